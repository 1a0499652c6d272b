"""Whether the server is alive, and whether it can answer."""

from __future__ import annotations

import threading
from typing import Any

from litestar import Response, Router, get
from litestar.openapi.datastructures import ResponseSpec

from server.http.errors import RETRY_AFTER_S
from server.http.protocols import Readiness
from server.visitor.api import ErrorBody

_REPEATED = ResponseSpec(ErrorBody, generate_examples=False, description="A parameter is given twice.")


@get("/healthz", sync_to_thread=False, responses={400: _REPEATED})
def healthz() -> dict[str, bool]:
    """Alive: the process answers."""
    return {"alive": True}


LEAVING = "The server is about to stop."


def health_router(readiness: Readiness, leaving: threading.Event) -> Router:
    """`/healthz` and `/readyz`; a server that is `leaving` is not ready for more."""

    @get(
        "/readyz",
        sync_to_thread=True,
        responses={
            400: _REPEATED,
            503: ResponseSpec(dict[str, Any], generate_examples=False, description="Not ready."),
        },
    )
    def readyz() -> Response[dict[str, Any]]:
        """200 when questions can be answered; otherwise 503, with a sentence for each missing part.

        `degraded` has a sentence for each part without which answers are simpler, or soon will not be kept.
        """
        missing = [LEAVING] if leaving.is_set() else readiness.missing()
        body = {"ready": not missing, "missing": missing, "degraded": readiness.degraded()}
        if not missing:
            return Response(body)
        return Response(body, status_code=503, headers={"Retry-After": str(RETRY_AFTER_S)})

    return Router("/", route_handlers=[healthz, readyz], tags=["health"])

"""Whether the server is alive, and whether it can answer."""

from __future__ import annotations

from typing import Any

from litestar import Response, Router, get

from server.web.problems import RETRY_AFTER_S
from server.web.protocols import Readiness


@get("/healthz", sync_to_thread=False)
def healthz() -> dict[str, bool]:
    """Alive: the process answers."""
    return {"alive": True}


def health_router(readiness: Readiness) -> Router:
    """`/healthz` and `/readyz`."""

    @get("/readyz", sync_to_thread=True)
    def readyz() -> Response[dict[str, Any]]:
        """200 when questions can be answered; otherwise 503, with a sentence for each missing part."""
        missing = readiness.missing()
        if not missing:
            return Response({"ready": True, "missing": []})
        headers = {"Retry-After": str(RETRY_AFTER_S)}
        return Response({"ready": False, "missing": missing}, status_code=503, headers=headers)

    return Router("/", route_handlers=[healthz, readyz], tags=["health"])

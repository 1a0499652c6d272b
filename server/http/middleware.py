"""What is settled of a request before any handler sees it: its scheme behind proxies, its path, and HEAD."""

from __future__ import annotations

import threading
from typing import cast

from litestar import Litestar
from litestar.enums import HttpMethod, ScopeType
from litestar.routes import HTTPRoute
from litestar.types import (
    HTTPScope,
    LifeSpanReceive,
    LifeSpanScope,
    LifeSpanSend,
    Message,
    Receive,
    Scope,
    Send,
)

from server.http.proxies import scheme_of
from server.http.request_checks import is_spelled_plainly

# An id of these is good once, and its answer is made while it is sent.
_ONCE = "/chat/events"
# No route has this path (it is that of `OPTIONS *`).
_NOWHERE = "*"


class SchemeMiddleware(Litestar):
    """A Litestar application behind so many trusted proxies; HEAD is answered like GET, without the body.

    A path that is not spelled plainly leads nowhere: the router would take it for the plain one.

    While `leaving` is set `/readyz` says so, and everything is answered as ever.
    """

    trusted_hops = 0
    leaving = threading.Event()

    async def __call__(
        self,
        scope: Scope | LifeSpanScope,
        receive: Receive | LifeSpanReceive,
        send: Send | LifeSpanSend,
    ) -> None:
        """The application's entry point."""
        if scope["type"] == ScopeType.HTTP:
            http = cast("HTTPScope", scope)
            http["scheme"] = scheme_of(http, self.trusted_hops)
            if not is_spelled_plainly(http["raw_path"]):
                http["path"] = _NOWHERE
            if http["method"] == HttpMethod.HEAD and not http["path"].startswith(_ONCE):
                # A copy: the web server goes by its own, and sends no body either.
                scope = cast("HTTPScope", {**http, "method": "GET"})
                send = _without_body(cast("Send", send))
        await super().__call__(scope, receive, send)


def _without_body(send: Send) -> Send:
    async def send_head(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return send_head


async def allow_all(message: Message, scope: Scope) -> None:
    """For Litestar's `before_send`: its own answer names the methods of an address's first handler alone."""
    if message["type"] != "http.response.start" or scope.get("method") != "OPTIONS":
        return
    routes = scope["litestar_app"].routes
    known = {route.path_format: route.methods for route in routes if isinstance(route, HTTPRoute)}
    methods = known.get(scope.get("path_template", ""))
    if methods and message["status"] < 300:
        others = [(name, value) for name, value in message["headers"] if name != b"allow"]
        message["headers"] = [*others, (b"allow", ", ".join(sorted(methods)).encode())]

"""`Allow` in the answer to OPTIONS: every method of an address."""

from __future__ import annotations

from litestar.routes import HTTPRoute
from litestar.types import Message, Scope


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

"""What scripts of the sites' own pages may read: cross-origin permission for the public API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from litestar.types import Message, Scope

from server.web.protocols import Sites

_PREFLIGHT = {
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "content-type",
    "access-control-max-age": "600",
}


def cross_origin(sites: Sites) -> Callable[[Message, Scope], Awaitable[None]]:
    """A hook for Litestar's `before_send`: the origins of the table of sites, and no others.

    A preflight does not say which site it is about; the question itself is checked against its own.
    """

    async def add(message: Message, scope: Scope) -> None:
        if message["type"] != "http.response.start" or not str(scope["path"]).startswith("/api/"):
            return
        extra = {"vary": "Origin"}
        origin = dict(scope["headers"]).get(b"origin", b"").decode("latin-1")
        if any(origin in site.origins for site in sites.all()):
            extra["access-control-allow-origin"] = origin
            extra["access-control-expose-headers"] = "retry-after"
            if scope.get("method") == "OPTIONS":
                extra |= _PREFLIGHT
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in extra.items()]
        message["headers"] = [*message["headers"], *pairs]

    return add

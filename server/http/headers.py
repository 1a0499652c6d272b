"""Security headers, on every response: errors, streams and files too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from litestar.connection import ASGIConnection
from litestar.types import Message, Scope

from server.http.protocols import Sites
from server.http.request_checks import only_value
from server.visitor.site_context import MAIN

_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
# For a year, and for this host alone: what else the university serves is its own affair.
_HSTS = {"strict-transport-security": "max-age=31536000"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)


def security_headers(sites: Sites) -> Callable[[Message, Scope], Awaitable[None]]:
    """A hook for Litestar's `before_send`. Only the chat page may be framed; only the demo page frames it.

    Browsers are told to come by TLS only where they came so (`scope["scheme"]`, `server/http/middleware.py`).
    """

    async def add(message: Message, scope: Scope) -> None:
        if message["type"] != "http.response.start":
            return
        extra = {**_ALWAYS, "content-security-policy": _policy(sites, scope)}
        if scope["scheme"] == "https":
            extra |= _HSTS
        pairs = [(name.encode(), value.encode()) for name, value in extra.items()]
        message["headers"] = [*message["headers"], *pairs]

    return add


def _policy(sites: Sites, scope: Scope) -> str:
    path = str(scope["path"]).rstrip("/")
    framed_by = _framers(sites, scope) if path == "/chat" else "'none'"
    frames = "; frame-src 'self'" if path == "/demo" else ""
    return f"{_POLICY}; frame-ancestors {framed_by}{frames}"


def _framers(sites: Sites, scope: Scope) -> str:
    """Ourselves, and the origins of the site that the address names; nobody where it names none we know, or
    several."""
    asked = only_value(ASGIConnection(scope), "site", MAIN)
    site = None if asked is None else sites.get(asked)
    return " ".join(("'self'", *site.origins)) if site else "'none'"


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

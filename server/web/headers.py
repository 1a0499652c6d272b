"""Security headers, on every response: errors, streams and files too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from litestar.types import Message, Scope

from server.web.options import WebOptions

_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)


def security_headers(options: WebOptions) -> Callable[[Message, Scope], Awaitable[None]]:
    """A hook for Litestar's `before_send`. Only the chat page may be framed; only the demo page frames it."""
    framers = " ".join(("'self'", *options.frame_origins))

    async def add(message: Message, scope: Scope) -> None:
        if message["type"] != "http.response.start":
            return
        policy = _policy(str(scope["path"]).rstrip("/"), framers)
        extra = {**_ALWAYS, "content-security-policy": policy}
        pairs = [(name.encode(), value.encode()) for name, value in extra.items()]
        message["headers"] = [*message["headers"], *pairs]

    return add


def _policy(path: str, framers: str) -> str:
    framed_by = framers if path == "/chat" else "'none'"
    frames = "; frame-src 'self'" if path == "/demo" else ""
    return f"{_POLICY}; frame-ancestors {framed_by}{frames}"

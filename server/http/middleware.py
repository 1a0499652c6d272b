"""Middleware and guards of every route.

They settle the caller's address and scheme behind trusted proxies, the spelling of paths, parameters and
forms, the origin of a request, HEAD and OPTIONS, security headers and CORS.

Each of `hops` trusted proxies adds the address that it was called from to `X-Forwarded-For`, and says in
`X-Forwarded-Proto` by which scheme. With none neither header is believed.

A form is read once, and nothing of it is kept: Litestar's own way remembers the last thousand forms by their
bytes, which is what visitors wrote, unmasked.
"""

from __future__ import annotations

import ipaddress
import re
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import Any, cast
from urllib.parse import parse_qsl

import msgspec
from litestar import Litestar, Request
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.enums import HttpMethod, ScopeType
from litestar.exceptions import InternalServerException, SerializationException
from litestar.handlers.base import BaseRouteHandler
from litestar.routes import HTTPRoute
from litestar.types import (
    Guard,
    HTTPScope,
    LifeSpanReceive,
    LifeSpanScope,
    LifeSpanSend,
    Message,
    Receive,
    Scope,
    Send,
)

from server.errors import BadInputError, NotAllowedError, NotFoundError
from server.http.protocols import SiteLookup
from server.models.sites import MAIN, Site

Connection = ASGIConnection[Any, Any, Any, Any]
AnyRequest = Request[Any, Any, Any]

_OWN = ("same-origin", "none")

_WITH_PORT = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?|([0-9.]{7,15}):[0-9]{1,5}")


def caller_of(connection: Connection, hops: int) -> str | None:
    """The client's address; None where there is none, as on a Unix socket."""
    client = connection.client.host if connection.client else None
    if not hops:
        return client
    # Some proxies add to the line that is there, others (HAProxy) a line below it.
    named = _listed(",".join(connection.headers.getall("x-forwarded-for", [])))
    return _without_port(named[-hops]) if len(named) >= hops else client


def scheme_of(scope: Scope, hops: int) -> str:
    """`https` where the visitor's browser, or the proxy that it talks to, says so."""
    if hops:
        told = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-proto")
        named = _listed(told.decode("latin-1").lower())
        if named:
            scheme = named[-hops] if len(named) >= hops else named[0]
            return scheme if scheme in ("http", "https") else scope["scheme"]
    return scope["scheme"]


def is_loopback(host: str) -> bool:
    """Whether it is an address of this machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def network_of(address: str) -> str:
    """The network that counts as one caller: an IPv4 address as it is, the /64 of an IPv6 address."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv6Address):
        inner = known.ipv4_mapped
        return str(inner) if inner else str(ipaddress.ip_network((known, 64), strict=False))
    return str(known)


def _without_port(address: str) -> str:
    """Some proxies add the caller's port, which is another for every connection, or brackets."""
    match = _WITH_PORT.fullmatch(address)
    return (match[1] or match[2]) if match else address


def _listed(header: str) -> list[str]:
    return [one.strip() for one in header.split(",") if one.strip()]


# Segments of letters, digits and `-._~` (RFC 3986's unreserved), none of them empty, `.` or `..`.
_PLAIN_PATH = re.compile(rb"/|(?:/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~-]+)+")
# One of `LODGE_ALLOWED_HOSTS`, and what a request calls the server by.
_ALLOWED = re.compile(r"(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")
_CALLED = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_CHECKED_BY_ADDRESS = ("/healthz", "/readyz")
_WRITING = ("POST", "PUT", "PATCH", "DELETE")
_FROM_ELSEWHERE = ("cross-site", "same-site")
_SHOWN_CHARS = 80  # of a name that a caller made up


def is_spelled_plainly(raw_path: bytes) -> bool:
    """Whether a path, as it was sent, is the one spelling of it.

    Whatever a route of ours has in its path (keys, names, ids, files) is made of these characters, so that no
    percent sign, doubled slash or slash at the end is needed. A proxy's rule for a path would miss those.
    """
    return _PLAIN_PATH.fullmatch(raw_path.partition(b"?")[0]) is not None


def refuse_repeated(names: Iterable[str]) -> None:
    """A `BadInputError` where a name comes twice: each is read once, and two readers may read another one."""
    for name, times in Counter(names).items():
        if times > 1:
            raise BadInputError(
                f"{name[:_SHOWN_CHARS]!r} is given {times} times; give it once.", code="repeated"
            )


def no_repeated_parameter(connection: Connection, _handler: BaseRouteHandler) -> None:
    """A guard: every parameter of the query has one value. No route of ours takes a list there."""
    refuse_repeated(name for name, _ in connection.query_params.multi_items())


def written_from_known_pages(connection: Connection, _handler: BaseRouteHandler) -> None:
    """A guard: a browser that writes from another origin says from which (`require_origin` goes by it).

    What it sends without `Origin` was made so that it has none. Programs send neither header. Raises
    `NotAllowedError`.
    """
    came_from = connection.headers.get("sec-fetch-site", "").strip().lower()
    if (
        connection.scope.get("method") in _WRITING
        and came_from in _FROM_ELSEWHERE
        and "origin" not in connection.headers
    ):
        raise NotAllowedError(
            "A page of another origin may not write here without its Origin.", code="origin"
        )


def only_hosts(allowed: str) -> Guard:
    """A guard: a request calls the server by one of these names, separated by spaces; with none, by any.

    `*.example.edu` is every name below that one; ports are not looked at. Health checks, which call an
    address, are let in. Raises `BadInputError` for a name that is none.
    """
    names = allowed.lower().split()
    for name in names:
        if not _ALLOWED.fullmatch(name):
            raise BadInputError(
                f"LODGE_ALLOWED_HOSTS has {name!r}; it takes names such as ask.example.edu or *.example.edu, "
                "without scheme or port."
            )
    exact = frozenset(names)
    below = tuple(name.removeprefix("*") for name in names if name.startswith("*."))

    def require_host(connection: Connection, _handler: BaseRouteHandler) -> None:
        if not names or connection.scope["path"] in _CHECKED_BY_ADDRESS:
            return
        called = _CALLED.fullmatch(connection.headers.get("host", "").lower())
        name = called[1].rstrip(".") if called else ""
        if name not in exact and not name.endswith(below):
            raise BadInputError("This server does not go by that name.", code="host")

    return require_host


def only_value(connection: Connection, name: str, default: str) -> str | None:
    """A parameter of the query, as handlers read it; None where it is given more than once."""
    values = connection.query_params.getall(name, [default])
    return values[0] if len(values) == 1 else None


def always(thing: object) -> Provide:
    """A dependency of handlers: the same object for every request."""

    def provide() -> object:
        return thing

    return Provide(provide, sync_to_thread=False)


def form_of(shape: type[Any]) -> dict[str, Provide]:
    """For a handler's `dependencies`: `form`, an object of that dataclass, whose fields are texts.

    What the form lacks is left at its default, what the dataclass lacks is left out; a `BadInputError` for
    two fields of one name.
    """

    async def form(request: Request[Any, Any, Any]) -> Any:
        fields = parse_qsl((await request.body()).decode("latin-1"), keep_blank_values=True)
        refuse_repeated(name for name, _ in fields)
        return msgspec.convert(dict(fields), shape)

    return {"form": Provide(form)}


class CheckedRequest(Request[Any, Any, Any]):
    """Litestar's request; broken UTF-8, JSON nested a thousand deep and a body without an end are a 400 here,
    not a 500."""

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """The body in pieces; `BadInputError` where its sender goes before its end."""
        try:
            async for piece in super().stream():
                yield piece
        except InternalServerException:
            raise BadInputError("The request ended before its body did.") from None

    async def json(self) -> Any:
        """The body as JSON, or a `BadInputError`."""
        try:
            return await super().json()
        except (SerializationException, UnicodeDecodeError, RecursionError):
            raise BadInputError("The body is not JSON that can be read.") from None


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


def security_headers(sites: SiteLookup) -> Callable[[Message, Scope], Awaitable[None]]:
    """A hook for Litestar's `before_send`. Only the chat page may be framed; only the demo page frames it.

    Browsers are told to come by TLS only where they came so (`scope["scheme"]`, `SchemeMiddleware`).
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


def _policy(sites: SiteLookup, scope: Scope) -> str:
    path = str(scope["path"]).rstrip("/")
    framed_by = _framers(sites, scope) if path == "/chat" else "'none'"
    frames = "; frame-src 'self'" if path == "/demo" else ""
    return f"{_POLICY}; frame-ancestors {framed_by}{frames}"


def _framers(sites: SiteLookup, scope: Scope) -> str:
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


def cross_origin(sites: SiteLookup) -> Callable[[Message, Scope], Awaitable[None]]:
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


# A GET there uses up the id of a waiting question and streams its answer, so a HEAD must not run it.
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


def known_site(sites: SiteLookup, key: str) -> Site:
    """The site of that key; `NotFoundError` when the table has none."""
    site = sites.get(key)
    if site is None:
        raise NotFoundError("There is no site of that name here.", code="unknown_site")
    return site


def require_origin(request: AnyRequest, site: Site) -> None:
    """A script or form of another web site may ask only where the table of sites lets it.

    A browser sends `Origin` with such a request; one without it is a program's. Raises `NotAllowedError`.
    """
    origin = request.headers.get("origin")
    if origin is None or request.headers.get("sec-fetch-site") in _OWN or origin in site.origins:
        return
    if origin.partition("://")[2] != request.headers.get("host"):
        raise NotAllowedError(f"{origin} may not ask on the site {site.key}.", code="origin")

"""What is checked of a request before its handler runs, the same on every route."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from litestar.handlers.base import BaseRouteHandler
from litestar.types import Guard

from server.errors import BadInputError, NotAllowedError
from server.http.proxies import Connection

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
    """A guard: a browser that writes from another origin says from which (`place.require_origin` goes by it).

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

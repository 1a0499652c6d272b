"""What can go wrong at a route of the admin API, for its description at `/schema`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec

from server.http.errors import ErrorBody

SENTENCES = {
    400: "What was given cannot be used; the message says why.",
    401: "A bearer token is needed.",
    403: "The token's role does not reach that far.",
    404: "There is no such thing.",
    409: "The same is at work already.",
    413: "The request is too large.",
    429: "Too many wrong tokens came from this address; see Retry-After.",
    503: "A part is missing for now; see Retry-After.",
}
_WITH_BODY = ("POST", "PUT", "PATCH")


def faults(*statuses: int, told: Mapping[int, str] | None = None) -> dict[int, ResponseSpec]:
    """The error shape for each status; `told` are a feature's own sentences."""
    sentences = {**SENTENCES, **(told or {})}
    return {
        status: ResponseSpec(ErrorBody, generate_examples=False, description=sentences[status])
        for status in statuses
    }


def described(
    handlers: Iterable[HTTPRouteHandler], told: Mapping[int, str] | None = None
) -> list[HTTPRouteHandler]:
    """The same handlers, each with what every one of its kind may answer; what a feature says itself stays.

    `told` are its own sentences for some of it.

    Without it, Litestar would describe a 400 in a shape of its own, which nobody is ever sent.
    """
    known = list(handlers)
    for handler in known:
        handler.responses = {**faults(*_usual(handler), told=told), **(handler.responses or {})}
    return known


def _usual(handler: HTTPRouteHandler) -> Iterable[int]:
    yield from (400, 401, 429, 503)
    if handler.guards:
        yield 403
    if any("{" in path for path in handler.paths):
        yield 404
    if any(method in _WITH_BODY for method in handler.http_methods):
        yield 413

"""Error responses: the status code, code and sentence of each exception, decided here alone.

Every error has one JSON shape, `{"error": {"code", "message"}}`. A browser that asks for a page gets the same
sentence as HTML, htmx gets it as a partial.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.types import ExceptionHandlersMap

from server.errors import (
    BadInputError,
    BusyError,
    ConflictError,
    LlmUnavailableError,
    LodgeError,
    ModelError,
    NotAllowedError,
    NotFoundError,
    NotReadyError,
    SnapshotError,
    StorageError,
    TooLargeError,
    TooManyError,
)

logger = logging.getLogger("lodge.web")

# The first class that fits decides, so a subclass stands before its parent.
_STATUS: tuple[tuple[type[LodgeError], int], ...] = (
    (TooLargeError, 413),
    (BadInputError, 400),
    (TooManyError, 429),
    (BusyError, 503),
    (NotAllowedError, 403),
    (NotFoundError, 404),
    (ConflictError, 409),
    (NotReadyError, 503),
    (SnapshotError, 503),
    (ModelError, 503),
    (StorageError, 503),
    (LlmUnavailableError, 503),
)

# Litestar's own errors say things like "Method POST for path …"; these are for a person.
_HTTP: Mapping[int, tuple[str, str]] = {
    400: ("bad_input", "The request could not be read."),
    401: ("not_allowed", "A bearer token is needed."),
    403: ("not_allowed", "This is not allowed."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take that method."),
    413: ("too_large", "The request is too large."),
    415: ("bad_input", "This media type is not understood."),
}
_UNAVAILABLE = "This is not available at the moment. Please try again in a few minutes."
_UNEXPECTED = "Something went wrong on our side. It has been noted; please try again."
RETRY_AFTER_S = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """An error response. `message` is a sentence for a person and holds no internals."""

    status: int
    code: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The JSON body, `{"error": {"code", "message"}}`."""
        return {"error": {"code": self.code, "message": self.message}}

    @property
    def wait(self) -> int:
        """Seconds to wait before asking again, after a rate limit or a full queue; 0 for other errors."""
        return int(self.headers.get("Retry-After", 0)) if self.code in ("too_many", "busy") else 0


def problem_of(error: Exception) -> Problem:
    """An exception as a `Problem`; an unforeseen one is a 500 and is logged with its traceback."""
    if isinstance(error, LodgeError):
        return _lodge_problem(error)
    if isinstance(error, HTTPException) and error.status_code < 500:
        return _http_problem(error)
    logger.error("unexpected error", exc_info=error)
    return Problem(500, "internal", _UNEXPECTED)


def public_problem(error: Exception) -> Problem:
    """An exception as visitors see it: that a part is unavailable, and not which. The log says which."""
    problem = problem_of(error)
    if problem.status != 503 or isinstance(error, BusyError):
        return problem
    logger.warning("answered with a 503 (%s): %s", problem.code, problem.message)
    return replace(problem, message=_UNAVAILABLE)


def _lodge_problem(error: LodgeError) -> Problem:
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    headers: dict[str, str] = {}
    if isinstance(error, TooManyError):
        headers["Retry-After"] = str(error.retry_after_s)
    if status == 503:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    if isinstance(error, NotAllowedError) and error.code == "no_token":
        status = 401
        headers["WWW-Authenticate"] = "Bearer"
    return Problem(status, error.code, error.message, headers)


def _http_problem(error: HTTPException) -> Problem:
    code, message = _HTTP.get(error.status_code, ("error", "The request could not be answered."))
    if isinstance(error, ValidationException):
        message = _validation_sentence(error) or message
    kept = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
    return Problem(error.status_code, code, message, kept)


def _validation_sentence(error: ValidationException) -> str:
    """Litestar's list of field errors as one sentence: ``question: Expected `str`, got `int`.``"""
    details = error.extra if isinstance(error.extra, list) else []
    parts = [_field_sentence(detail) for detail in details if isinstance(detail, dict)]
    return "; ".join(part for part in parts if part)


def _field_sentence(detail: Mapping[str, Any]) -> str:
    """Litestar calls the body `data`; a message of one word is the bare name of something that is missing."""
    name = str(detail.get("key") or "data")
    message = str(detail.get("message", ""))
    if " " not in message:
        return ""
    return f"{'body' if name == 'data' else name}: {message}."


# The page, or the part of one (`whole` is false), that tells a person of a problem.
ErrorPage = Callable[[Request[Any, Any, Any], Problem, bool], Response[Any]]


def problem_handlers(error_page: ErrorPage | None = None) -> ExceptionHandlersMap:
    """Litestar's `exception_handlers`: every error as JSON, as an HTML page or as an htmx partial.

    Without an `error_page` every error is JSON.
    """

    def handle(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
        # The admin API tells its callers, who have tokens, what is wrong.
        problem = problem_of(error) if request.scope.get("user") else public_problem(error)
        is_part = "hx-request" in request.headers
        if error_page and (is_part or _wants_page(request)):
            return error_page(request, problem, not is_part)
        return Response(
            problem.as_json(),
            status_code=problem.status,
            media_type=MediaType.JSON,
            headers=dict(problem.headers),
        )

    return {Exception: handle, HTTPException: handle, LodgeError: handle}


def _wants_page(request: Request[Any, Any, Any]) -> bool:
    path = request.scope["path"]
    return not path.startswith(("/api", "/admin")) and "text/html" in request.headers.get("accept", "")


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """`code` is stable; `message` is a sentence for a person."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The one shape of every error."""

    error: ErrorDetail

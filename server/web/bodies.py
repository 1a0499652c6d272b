"""Reading a request's body, so that whatever cannot be read is the sender's error and says so."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from litestar import Request
from litestar.exceptions import InternalServerException, SerializationException

from server.errors import BadInputError


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

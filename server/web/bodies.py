"""Reading a request's body, so that whatever cannot be read is the sender's error and says so."""

from __future__ import annotations

from typing import Any

from litestar import Request
from litestar.exceptions import SerializationException

from server.errors import BadInputError


class CheckedRequest(Request[Any, Any, Any]):
    """Litestar's request; broken UTF-8 and JSON nested a thousand deep are a 400 here, not a 500."""

    async def json(self) -> Any:
        """The body as JSON, or a `BadInputError`."""
        try:
            return await super().json()
        except (SerializationException, UnicodeDecodeError, RecursionError):
            raise BadInputError("The body is not JSON that can be read.") from None

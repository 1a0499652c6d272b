"""Forms as they come from the pages. Each is read once, and nothing of it is kept.

Litestar's own way remembers the last thousand forms by their bytes: what visitors wrote, unmasked.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from litestar.di import Provide
from litestar.exceptions import InternalServerException, SerializationException

from server.errors import BadInputError
from server.http.request_checks import refuse_repeated


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

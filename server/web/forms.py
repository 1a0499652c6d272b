"""Forms as they come from the pages. Each is read once, and nothing of it is kept.

Litestar's own way remembers the last thousand forms by their bytes: what visitors wrote, unmasked.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from litestar.di import Provide

from server.web.request_checks import refuse_repeated


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

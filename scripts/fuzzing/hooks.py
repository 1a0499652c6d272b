"""A check of our own for Schemathesis: no body tells of the inside."""

from __future__ import annotations

import re
from typing import Any

import schemathesis

from server.settings import PROJECT

INSIDE = re.compile(
    rf"Traceback \(most recent|\bFile \"|{re.escape(str(PROJECT))}|site-packages|sqlalchemy|psycopg|sqlite3\."
)


@schemathesis.check
def no_internals(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    """An `AssertionError` where a body holds a traceback, a path or a library's error."""
    found = INSIDE.search(response.content.decode("utf-8", "replace"))
    assert not found, f"The body holds {found.group()!r}."  # noqa: S101 - how a check fails

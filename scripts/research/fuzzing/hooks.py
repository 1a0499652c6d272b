"""Checks of our own for Schemathesis: no body tells of the inside, nothing wrong is let in on any route."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import schemathesis

from scripts.research.fuzzing.boundary import let_in, wrong_readings
from server.http.middleware import is_spelled_plainly
from server.settings import PROJECT

INSIDE = re.compile(
    rf"Traceback \(most recent|\bFile \"|{re.escape(str(PROJECT))}|site-packages|sqlalchemy|psycopg|sqlite3\."
)

# What a 503 for a visitor may not name: a snapshot, a file, a store.
PARTS = re.compile(r"\d{8}-\d{6}|\b\w+\.(?:json|toml|duckdb|sqlite|onnx|f32)\b|records store|lodge index")
tried: set[str] = set()


@schemathesis.check
def turned_away_on_every_route(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    """An `AssertionError` where a parameter that comes twice is read, or a page elsewhere writes.

    Tried once for each operation, as soon as a case has its method, and a path that may lead to it.
    """
    address = urlsplit(str(response.request.url))
    path = address.path.encode()
    is_own = response.request.method == case.operation.method.upper() and is_spelled_plainly(path)
    if case.operation.label in tried or not is_own:
        return
    tried.add(case.operation.label)
    allowed = {"Authorization": str(response.request.headers.get("Authorization", ""))}
    found = let_in(f"http://{address.netloc}", wrong_readings(case.operation.method.upper(), path), allowed)
    assert not found, "; ".join(found)  # noqa: S101 - how a check fails


@schemathesis.check
def no_internals(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    """An `AssertionError` where a body holds a traceback, a path or a library's error."""
    body = response.content.decode("utf-8", "replace")
    found = INSIDE.search(body)
    if response.status_code == 503 and case.path.startswith("/api/"):
        found = found or PARTS.search(body)
    assert not found, f"The body holds {found.group()!r}."  # noqa: S101 - how a check fails

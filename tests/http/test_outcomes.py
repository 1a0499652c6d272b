"""A line a question in the log, and in no line what a visitor typed, from where, or in which conversation."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from litestar.testing import TestClient

from server.app import WebOptions
from server.cli.logs import JsonLines, PlainLines
from server.http.limits import LimitOptions
from tests.scripted_app import ScriptedParts, web_app

MARKER = "quillon"
CONVERSATION = "c0ffee" * 4
ADDRESS = "203.0.113.99"


@pytest.fixture(params=[JsonLines(), PlainLines()], ids=["json", "plain"])
def log(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    """Everything that any library logs."""
    written, root, lodge = io.StringIO(), logging.getLogger(), logging.getLogger("lodge")
    handler, level = logging.StreamHandler(written), lodge.level
    handler.setFormatter(request.param)
    handler.addFilter(lambda record: not record.name.startswith("httpx"))  # the test's own client
    root.addHandler(handler)
    lodge.setLevel(logging.DEBUG)
    yield written
    lodge.setLevel(level)
    root.removeHandler(handler)


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[TestClient[Any]]:
    options = WebOptions(limits=LimitOptions(trusted_hops=1, address="4/day"))
    with TestClient(web_app(options, parts), raise_server_exceptions=False) as client:
        client.headers["X-Forwarded-For"] = ADDRESS
        yield client


def test_what_a_visitor_types_is_never_logged(
    client: TestClient[Any], parts: ScriptedParts, log: io.StringIO
) -> None:
    for word in ("", "nobel", "explode", "break", "too many"):
        body = {"question": f"{MARKER} {word}", "conversation_id": CONVERSATION}
        client.post("/api/ask", json=body)
    client.post("/api/ask", json={"question": MARKER, "site": MARKER})
    client.post("/chat", data={"question": MARKER, "conversation_id": CONVERSATION})
    parts.records.close()
    client.get(f"/chat/conversation?conversation_id={CONVERSATION}&{MARKER}")
    lines = log.getvalue()
    assert lines.count("lodge.access") == 6  # four asked, two turned away
    for private in (MARKER, CONVERSATION, ADDRESS):
        assert private not in lines


def test_a_line_has_what_the_console_needs_to_find_the_trace(
    client: TestClient[Any], log: io.StringIO
) -> None:
    answer = client.post("/api/ask", json={"question": "When?"}).json()
    [line] = [line for line in log.getvalue().splitlines() if "lodge.access" in line]
    if line.startswith("{"):
        fields = json.loads(line)
        assert fields.pop("ms") >= 0
        assert fields.pop("at").endswith("+00:00")
        assert fields == {
            "level": "INFO",
            "logger": "lodge.access",
            "message": "question",
            "trace_id": answer["trace_id"],
            "site": "main",
            "status": "answered",
            "answerer": "extractive",
        }
    else:
        assert f"trace_id={answer['trace_id']} site=main status=answered ms=" in line


def test_an_error_is_logged_by_its_kind_and_place_without_its_words(log: io.StringIO) -> None:
    try:
        raise ValueError(MARKER)
    except ValueError as error:
        logging.getLogger("lodge.web").error("unexpected error", exc_info=error)
    [line] = log.getvalue().splitlines()
    assert "ValueError" in line
    assert "test_outcomes.py" in line
    assert MARKER not in line

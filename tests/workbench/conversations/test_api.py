"""Conversations over the admin API: found, read and exported, with what is personal masked for most."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it ships no types
import pytest

from server.models import Feedback
from tests.storage.exchanges import exchange
from tests.workbench.access.test_audit_api import Desk
from tests.workbench.access.test_audit_api import desk as desk  # noqa: PLC0414 - pytest finds a fixture by its name here

PERSONAL = "I am ana@example.edu (802-555-0199), where is my aid?"


def ids(desk: Desk, query: str) -> list[str]:
    rows = desk.send("viewer", "GET", f"/conversations?{query}").json()["conversations"]
    return [row["id"] for row in rows]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "c3 c2 c1"),
        ("refused=true", "c2"),
        ("refused=false&topic=aid", "c1"),
        ("site=library", "c3"),
        ("rating=unhelpful", "c2"),
        ("text=NOBEL", "c2"),
        ("url=https://www.larkmoor.example/registrar", "c3 c1"),
        ("answerer=llm&degraded=true", ""),
        ("since=2026-03-01&until=2026-03-01", "c3 c2 c1"),
        ("since=2026-03-02", ""),
    ],
)
def test_a_query_is_the_filter(desk: Desk, query: str, found: str) -> None:
    desk.store.conversations.record(exchange(1, conversation="c1", topic="aid"))
    desk.store.conversations.record(exchange(2, conversation="c2", refused=True, question="A Nobel prize?"))
    desk.store.conversations.record(exchange(3, conversation="c3", site="library"))
    desk.store.conversations.rate(Feedback("c2", "m2", False, "wrong", "", "2026-03-04T00:00:00+00:00"))
    assert ids(desk, query) == found.split()
    assert len(
        desk.send("viewer", "GET", "/conversations/export?format=jsonl&" + query).text.splitlines()
    ) == len(found.split())


def test_ratings_are_counted(desk: Desk) -> None:
    for number in range(3):
        desk.store.conversations.record(exchange(number))
        if number:
            desk.store.conversations.rate(
                Feedback("c1", f"m{number}", number == 2, "", "", "2026-03-04T00:00:00+00:00")
            )
    [row] = desk.send("viewer", "GET", "/conversations").json()["conversations"]
    assert (row["messages"], row["helpful"], row["unhelpful"]) == (6, 1, 1)


def test_there_is_to_choose_from_what_there_is(desk: Desk) -> None:
    desk.store.conversations.record(exchange(topic="aid"))
    assert desk.send("viewer", "GET", "/conversations/choices").json() == {
        "sites": ["main"],
        "topics": ["aid"],
        "answerers": ["extractive"],
    }


@pytest.mark.parametrize("path", ["/conversations", "/conversations/export"])
@pytest.mark.parametrize(
    "query", ["since=spring", "rating=good", "refused=perhaps", f"text={'x' * 501}", "format=xls&until=x"]
)
def test_what_cannot_be_looked_for_is_one_clear_error(desk: Desk, path: str, query: str) -> None:
    response = desk.send("viewer", "GET", f"{path}?{query}")
    assert response.status_code == 400
    assert len(response.json()["error"]["message"]) > 10


@pytest.mark.parametrize("role", ["viewer", "editor", "developer"])
def test_what_is_personal_is_shown_to_developers_alone(desk: Desk, role: str) -> None:
    """In the list, the conversation, its trace and every export."""
    desk.store.conversations.record(
        exchange(question=PERSONAL, answer="Dear ana@example.edu, call (802) 555-0100.")
    )
    desk.store.conversations.rate(
        Feedback("c1", "m1", False, "wrong", "I am bob@example.edu", "2026-03-04T00:00:00+00:00")
    )
    paths = ["/conversations", "/conversations/c1", "/traces/t1"]
    paths += [f"/conversations/export?format={form}" for form in ("csv", "jsonl")]
    shown = [desk.send(role, "GET", path).text for path in paths]
    table = pq.read_table(io.BytesIO(desk.send(role, "GET", "/conversations/export?format=parquet").content))
    shown.append(json.dumps(table.to_pylist()))
    for text in shown:
        assert ("ana@example.edu" in text) == (role == "developer")
        assert ("802-555-0199" in text) == (role == "developer")
        assert ("[e-mail 1]" in text) == (role != "developer")
    for text in (shown[1], *shown[3:]):
        assert "Dear" in text
        assert "555-0100" in text
        assert ("bob@example.edu" in text) == (role == "developer")


@pytest.mark.parametrize(
    ("form", "media"),
    [("csv", "text/csv"), ("jsonl", "application/jsonl"), ("parquet", "application/vnd.apache.parquet")],
)
def test_an_export_is_a_file_with_a_name(desk: Desk, form: str, media: str) -> None:
    response = desk.send("viewer", "GET", f"/conversations/export?format={form}")
    assert response.headers["Content-Type"].startswith(media)
    assert response.headers["Content-Disposition"] == f'attachment; filename="conversations.{form}"'
    assert response.headers["Cache-Control"] == "no-store"


def test_an_export_has_every_exchange_of_many_conversations(desk: Desk) -> None:
    for number in range(450):
        desk.store.conversations.record(exchange(number, conversation=f"c{number // 2}"))
    text = desk.send("viewer", "GET", "/conversations/export").content.decode("utf-8-sig")
    rows: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == 450
    assert [row["conversation_id"] for row in rows[:3]] == ["c224", "c224", "c223"]
    assert len({row["trace_id"] for row in rows}) == 450

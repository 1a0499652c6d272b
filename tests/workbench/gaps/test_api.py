"""Gaps over the admin API: grouped aside, read with contacts and masks, handled by editors."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from litestar.testing import TestClient

from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, web_app
from tests.storage.exchanges import as_typed, exchange

API = "/admin/api/v1/gaps"
PERSONAL = "I am ana@example.edu, where is the pool?"
Client = TestClient[Any]


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[Client]:
    """An editor's, over records that hold one refused question about admissions."""
    parts.records.conversations.record(
        as_typed(exchange(question=PERSONAL, refused=True, topic="admissions"))
    )
    parts.gaps.work_off()
    token = parts.records.tokens.create("ed", "editor", 1)
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


def only(client: Client, query: str = "") -> dict[str, Any]:
    [gap] = client.get(f"{API}?{query}").json()["gaps"]
    found: dict[str, Any] = gap
    return found


def test_a_gap_names_whom_its_topic_concerns(client: Client) -> None:
    page = client.get(API).json()
    [gap] = page["gaps"]
    assert [contact["label"] for contact in gap["contacts"]] == ["Admissions Office"]
    assert (page["waiting"], page["next"], page["states"]["open"]) == (0, None, 1)
    assert page["snapshot"] == "20260301-100000"


def test_looking_puts_what_waits_into_gaps_aside(client: Client, parts: ScriptedParts) -> None:
    parts.records.conversations.record(exchange(2, conversation="c2", question="And the gym?", refused=True))
    assert client.get(API).status_code == 200
    give_up = time.monotonic() + 10
    while parts.records.gaps.count_waiting() and time.monotonic() < give_up:
        client.get("/admin/api/v1/jobs")
    assert only(client)["questions"] == 2
    [job] = client.get("/admin/api/v1/jobs?kind=gaps").json()["jobs"]
    assert job["by"] == "ed"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("kind=no_evidence", 1),
        ("kind=off_topic", 0),
        ("state=all", 1),
        ("state=ignored", 0),
        ("topic=admissions&since=2026-03-01&until=2026-03-01", 1),
        ("site=library", 0),
        ("offset=1", 0),
    ],
)
def test_they_are_filtered(client: Client, query: str, found: int) -> None:
    assert len(client.get(f"{API}?{query}").json()["gaps"]) == found


@pytest.mark.parametrize("query", ["kind=sad", "state=odd", "limit=0", "offset=-1", "since=spring"])
def test_what_cannot_be_looked_for_is_one_clear_error(client: Client, query: str) -> None:
    response = client.get(f"{API}?{query}")
    assert response.status_code == 400
    assert len(response.json()["error"]["message"]) > 10


@pytest.mark.parametrize("role", ["viewer", "editor", "developer"])
def test_what_is_personal_is_shown_to_developers_alone(
    client: Client, parts: ScriptedParts, role: str
) -> None:
    client.headers["Authorization"] = f"Bearer {parts.records.tokens.create(role, role, 1)}"
    number = only(client)["id"]
    for path in (API, f"{API}/{number}"):
        text = client.get(path).text
        assert ("ana@example.edu" in text) == (role == "developer")
        assert ("[e-mail 1], where" in text) == (role != "developer")


def test_an_editor_marks_it_and_has_it_asked_again(client: Client, parts: ScriptedParts) -> None:
    own = f"{API}/{only(client)['id']}"
    marked = client.put(own, json={"state": "mended", "note": "New page."}).json()
    assert (marked["state"], marked["changed_by"], marked["snapshot"]) == ("mended", "ed", "20260301-100000")
    assert client.get(API).json()["gaps"] == []
    assert client.post(f"{own}/ask").json()["again"]["refused"] is False
    assert client.get(own).json()["state"] == "answered"
    log = parts.records.audit.changes(limit=2, kind="gap")
    assert [change.who for change in log] == ["ed", "ed"]


def test_changing_takes_an_editor_and_something_to_keep(client: Client, parts: ScriptedParts) -> None:
    own = f"{API}/{only(client)['id']}"
    assert client.put(own, json={"state": "ignored"}).status_code == 400
    assert client.put(own, json={"state": "gone"}).status_code == 400
    assert client.put(f"{API}/99", json={"state": "mended"}).status_code == 404
    assert client.get(f"{API}/99").status_code == 404
    client.headers["Authorization"] = f"Bearer {parts.records.tokens.create('v', 'viewer', 1)}"
    assert client.put(own, json={"state": "mended"}).status_code == 403
    assert client.post(f"{own}/ask").status_code == 403
    assert parts.records.audit.changes(limit=5, kind="gap") == []


def test_a_missing_answer_is_called_the_same_in_every_list_and_on_its_page(
    client: Client, parts: ScriptedParts
) -> None:
    for n in range(2, 5):
        often = exchange(n, conversation=f"c{n}", question="When is the pool open?", refused=True)
        parts.records.conversations.record(as_typed(often))
    later = exchange(
        9, conversation="c9", question="pool?", refused=True, asked_at="2026-03-09T10:00:00+00:00"
    )
    parts.records.conversations.record(as_typed(later))
    parts.gaps.work_off()
    latest = only(client, "since=2026-03-09&until=2026-03-09")
    assert (latest["questions"], [one["question"] for one in latest["samples"]]) == (1, ["pool?"])
    assert latest["question"] == only(client)["question"] == "When is the pool open?"
    assert client.get(f"{API}/{latest['id']}").json()["question"] == "When is the pool open?"


def test_a_question_is_set_apart_only_where_it_can_be_told_apart(
    client: Client, parts: ScriptedParts
) -> None:
    own = only(client)["id"]
    trace = parts.records.gaps.get(own)["samples"][0]["trace_id"]
    assert client.post(f"{API}/{own}/apart", json={"trace_id": trace}).status_code == 400  # the heading
    assert client.post(f"{API}/{own}/apart", json={"trace_id": "nowhere"}).status_code == 404
    assert client.post(f"{API}/999/apart", json={"trace_id": trace}).status_code == 404

"""The overview and coverage over the admin API."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest
from litestar.testing import TestClient

from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, web_app
from tests.storage.exchanges import exchange

API = "/admin/api/v1"
Client = TestClient[Any]


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[Client]:
    """A viewer's, over two questions of a day."""
    parts.records.conversations.record(exchange(1, topic="aid"))
    parts.records.conversations.record(exchange(2, refused=True))
    token = parts.records.tokens.create("v", "viewer", 1)
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


def test_the_overview_counts_by_day_site_and_topic(client: Client) -> None:
    found = client.get(f"{API}/overview?since=2026-03-01").json()
    assert (found["total"]["questions"], found["total"]["refused"], found["total"]["p50_ms"]) == (2, 1, 16.0)
    assert [row["name"] for row in found["days"]] == ["2026-03-01"]
    assert [row["name"] for row in found["sites"]] == ["main"]
    assert [row["name"] for row in found["topics"]] == ["", "aid"]
    assert client.get(f"{API}/overview?topic=aid").json()["total"]["questions"] == 1


@pytest.mark.parametrize(
    "path", ["overview?since=spring", "coverage?months=0", "coverage/never-cited?limit=0"]
)
def test_what_cannot_be_counted_is_one_clear_error(client: Client, path: str) -> None:
    response = client.get(f"{API}/{path}")
    assert response.status_code == 400
    assert len(response.json()["error"]["message"]) > 10


def test_coverage_is_of_the_questions_asked_for(client: Client) -> None:
    found = client.get(f"{API}/coverage?months=7&topic=aid").json()
    assert found["months"] == 7
    assert found["topics"] == [{"topic": "aid", "questions": 1, "refused": 0}]


def test_pages_never_cited_are_leafed_through_and_exported(client: Client) -> None:
    found = client.get(f"{API}/coverage/never-cited?limit=2").json()
    assert ([page["title"] for page in found["pages"]], found["count"], found["next"]) == (
        ["Programs of Study", "Physics"],
        3,
        2,
    )
    rest = client.get(f"{API}/coverage/never-cited?limit=2&offset=2").json()
    assert (len(rest["pages"]), rest["next"]) == (1, None)
    response = client.get(f"{API}/coverage/never-cited/export?text=Physics")
    assert response.headers["Content-Disposition"] == 'attachment; filename="never-cited.csv"'
    rows = list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"), newline="")))
    assert [row["title"] for row in rows] == ["Physics"]

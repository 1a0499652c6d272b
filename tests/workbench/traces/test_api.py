"""The admin API's part on traces: who may ask again, and what a body may say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from litestar.testing import TestClient

from server.errors import BadInputError
from server.workbench.traces.api import changes_of
from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, web_app
from tests.storage.exchanges import DEADLINE, exchange

API = "/admin/api/v1/traces"
Client = TestClient[Any]


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[Client]:
    """With a developer's token, over records that hold one exchange."""
    parts.records.conversations.record(exchange())
    token = parts.records.tokens.create("dev", "developer", 1)
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


def test_the_passages_of_an_answer_are_tables(client: Client) -> None:
    [table] = client.get(f"{API}/t1/passages").json()["tables"]
    assert table["question"] == "When is the add/drop deadline?"
    assert table["steps"] == ["retrieve.semantic", "retrieve.keyword", "retrieve", "extract"]
    first = table["rows"][0]
    assert (first["url"], first["cited_as"], first["fell_at"]) == (DEADLINE.url, [1], None)
    assert first["standings"]["retrieve.semantic"] == {"rank": 2, "score": 0.7}
    assert {row["fell_at"] for row in table["rows"][1:]} == {"extract"}


def test_a_page_is_looked_for_by_its_address(client: Client) -> None:
    found = client.get(f"{API}/t1/page", params={"url": DEADLINE.url}).json()
    assert found["url"] == DEADLINE.url


def test_a_replay_takes_changes(client: Client) -> None:
    body = {"alpha": 0.5, "filters": {"topics": ["aid"]}}
    found = client.post(f"{API}/t1/replay", json=body)
    assert found.status_code == 200
    assert found.json()["question"] == "When does add/drop end?"
    assert found.json()["changes"]["alpha"] == 0.5
    assert found.json()["changes"]["filters"]["topics"] == ["aid"]


def test_a_replay_without_changes_takes_an_empty_object(client: Client) -> None:
    assert client.post(f"{API}/t1/replay", json={}).json()["changes"] == {}


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_asking_again_is_for_developers(client: Client, parts: ScriptedParts, role: str) -> None:
    token = parts.records.tokens.create(role, role, 1)
    header = {"Authorization": f"Bearer {token}"}
    assert client.post(f"{API}/t1/replay", json={}, headers=header).status_code == 403
    assert client.get(f"{API}/t1/passages", headers=header).status_code == 200


@pytest.mark.parametrize("path", ["nothing/passages", "nothing/page?url=https://e.example/"])
def test_an_unknown_trace_is_a_404(client: Client, path: str) -> None:
    assert client.get(f"{API}/{path}").status_code == 404
    assert client.post(f"{API}/nothing/replay", json={}).status_code == 404


def test_a_page_needs_an_address(client: Client) -> None:
    assert client.get(f"{API}/t1/page").status_code == 400


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"alhpa": 0.5}, "There is no change 'alhpa'. There are: strategy, fusion, alpha"),
        ({"alpha": "much"}, "Expected `float"),
        ({"filters": {"topics": "aid"}}, "filters"),
    ],
)
def test_a_body_that_cannot_be_used_is_named(body: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        changes_of(body)


@pytest.mark.parametrize("body", [[], "text", {"alpha": "much"}])
def test_and_is_a_400(client: Client, body: Any) -> None:
    assert client.post(f"{API}/t1/replay", json=body).status_code == 400

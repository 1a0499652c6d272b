"""Who looks after what; an owner sees what is theirs, masked, and nothing else of the console."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, cast

import pytest
from litestar.testing import TestClient

from server.models.notifications import Notification
from server.workbench.owners.service import OwnerService
from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, web_app
from tests.storage.exchanges import as_typed, exchange

API = "/admin/api/v1"
PERSONAL = "I am ana@example.edu, where is the pool?"
AID = "https://x.example/aid/"


def upkeep(_now: datetime) -> list[Notification]:
    return [
        Notification("p1", "upkeep", "An old page", urls=(f"{AID}loans",)),
        Notification("p2", "upkeep", "Another", urls=("https://x.example/pool",), site="library"),
    ]


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[TestClient[Any]]:
    """Over records with one refused question about sport."""
    parts.records.conversations.record(as_typed(exchange(question=PERSONAL, refused=True, topic="sport")))
    parts.gaps.work_off()
    parts.owners = cast("Any", OwnerService(parts.records, upkeep))
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        yield client


def let_in(client: TestClient[Any], parts: ScriptedParts, name: str, role: str) -> None:
    client.headers["Authorization"] = f"Bearer {parts.records.tokens.create(name, role, 1)}"


def put(client: TestClient[Any], own: str, **body: str) -> int:
    return int(client.put(f"{API}/owners/{own}", json=body).status_code)


def test_an_owner_sees_their_gaps_and_pages_masked_and_whatever_they_ask_for_their_own(
    client: TestClient[Any], parts: ScriptedParts
) -> None:
    let_in(client, parts, "ed", "editor")
    assert put(client, "a", scope="topic", value="sport", name="Recreation", email="rec@x.edu") == 200
    assert put(client, "b", scope="prefix", value=AID, name="Aid") == 200
    let_in(client, parts, "Recreation", "owner")
    for query in ("", "?name=Aid"):
        found = client.get(f"{API}/owned{query}").json()
        assert found["name"] == "Recreation"
        [gap] = found["gaps"]
        assert gap["question"] == "I am [e-mail 1], where is the pool?"
        assert found["upkeep"] == []
    let_in(client, parts, "reader", "viewer")
    theirs = client.get(f"{API}/owned?name=Aid").json()
    assert [one["title"] for one in theirs["upkeep"]] == ["An old page"]
    assert theirs["gaps"] == []
    assert client.get(f"{API}/owned").json()["owns"] == []


def test_an_owner_reaches_nothing_else(client: TestClient[Any], parts: ScriptedParts) -> None:
    """Every other route of the admin API takes a viewer at least."""
    let_in(client, parts, "Recreation", "owner")
    described = client.get("/schema/openapi.json").json()["paths"]
    for path, methods in described.items():
        if not path.startswith(f"{API}/") or path in (f"{API}/me", f"{API}/owned", f"{API}/session"):
            continue
        for method in methods:
            filled = path.replace("{", "").replace("}", "")
            status = client.request(method.upper(), filled, json={}).status_code
            assert status in {400, 403, 404}, f"{method} {path} answered {status}"
            if "{" not in path and method == "get":
                assert status == 403, path


def test_who_looks_after_what_is_changed_by_editors_and_noted(
    client: TestClient[Any], parts: ScriptedParts
) -> None:
    let_in(client, parts, "reader", "viewer")
    assert put(client, "a", scope="topic", value="sport", name="Recreation") == 403
    let_in(client, parts, "ed", "editor")
    assert put(client, "a", scope="prefix", value="no address", name="Recreation") == 400
    assert put(client, "a", scope="topic", value="sport", name="Recreation", email="a@x, b@x") == 400
    assert put(client, "a", scope="topic", value="sport", name="Recreation") == 200
    assert client.delete(f"{API}/owners/a").status_code == 204
    assert client.get(f"{API}/owners").json() == {"owners": []}
    changes = parts.records.audit.changes(limit=5, kind="owner")
    assert [(one.who, one.id) for one in changes] == [("ed", "a"), ("ed", "a")]

"""The admin API over a real store: who gets in, and what they read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from litestar import Litestar, get
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Components
from litestar.testing import TestClient

from server.http.errors import problem_handlers
from server.workbench.access.auth import BEARER, requires
from server.workbench.records import Records, open_records
from server.workbench.router import admin_router
from tests.scripted_app import site_table
from tests.storage.empty import put_empty_store
from tests.storage.exchanges import exchange

API = "/admin/api/v1"


@get("/developers", guards=[requires("developer")], sync_to_thread=False)
def developers_only() -> str:
    """A route of a higher role than reading."""
    return "welcome"


@dataclass(frozen=True)
class Desk:
    """A client, the store behind it, and a header that opens it."""

    client: TestClient[Litestar]
    store: Records
    headers: dict[str, str]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = open_records(put_empty_store(tmp_path))
    router = admin_router(store, site_table())
    router.register(developers_only)
    config = OpenAPIConfig("Lodge", "1", components=Components(security_schemes={"bearer": BEARER}))
    app = Litestar(
        [router],
        exception_handlers=problem_handlers(),
        openapi_config=config,
    )
    token = store.tokens.create("reader", "viewer", 1)
    with TestClient(app) as client:
        yield Desk(client, store, {"Authorization": f"Bearer {token}"})
    store.close()


@pytest.mark.parametrize("path", ["/me", "/conversations", "/conversations/c1", "/traces/t1", "/sites"])
@pytest.mark.parametrize("header", [None, "Bearer", "Bearer lodge_wrong", "Basic bG9kZ2U6", "Bearer \xff"])
def test_without_a_valid_token_every_door_is_closed(desk: Desk, path: str, header: str | None) -> None:
    headers = {} if header is None else {b"Authorization": header.encode("latin-1")}
    response = desk.client.get(API + path, headers=headers)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert set(response.json()["error"]) == {"code", "message"}


def test_a_revoked_token_opens_nothing_more(desk: Desk) -> None:
    assert desk.client.get(f"{API}/me", headers=desk.headers).json() == {"role": "viewer"}
    desk.store.tokens.revoke("reader")
    assert desk.client.get(f"{API}/me", headers=desk.headers).status_code == 401


def test_a_role_that_does_not_reach_is_told_so(desk: Desk) -> None:
    response = desk.client.get(f"{API}/developers", headers=desk.headers)
    assert response.status_code == 403
    assert "takes the role developer" in response.json()["error"]["message"]
    token = desk.store.tokens.create("dev", "developer", 1)
    response = desk.client.get(f"{API}/developers", headers={"Authorization": f"bearer {token}"})
    assert response.text == "welcome"


def test_conversations_come_in_pages_newest_first(desk: Desk) -> None:
    for number in range(5):
        desk.store.conversations.record(exchange(number, conversation=f"c{number}", refused=number == 4))
    first = desk.client.get(f"{API}/conversations?limit=3", headers=desk.headers).json()
    assert [row["id"] for row in first["conversations"]] == ["c4", "c3", "c2"]
    assert first["conversations"][0]["refused"] == 1
    rest = desk.client.get(
        f"{API}/conversations", params={"limit": 3, "before": first["next"]}, headers=desk.headers
    ).json()
    assert [row["id"] for row in rest["conversations"]] == ["c1", "c0"]
    assert rest["next"] is None


def test_one_conversation_and_its_trace(desk: Desk) -> None:
    desk.store.conversations.record(exchange())
    response = desk.client.get(f"{API}/conversations/c1", headers=desk.headers)
    assert response.headers["Cache-Control"] == "no-store"
    question, answer = response.json()["messages"]
    assert question["text"] == "When does add/drop end?"
    assert answer["answer"]["citations"][0]["n"] == 1
    assert answer["feedback"] is None
    trace = desk.client.get(f"{API}/traces/{answer['trace_id']}", headers=desk.headers).json()
    assert trace["passages"]["7"]["title"] == "Dates and deadlines"
    assert trace["answer"]["message_id"] == answer["id"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/conversations/nobody", 404),
        ("/traces/nothing", 404),
        ("/conversations?limit=0", 400),
        ("/conversations?limit=1000", 400),
        ("/conversations?limit=many", 400),
        ("/conversations?before=yesterday", 400),
    ],
)
def test_what_cannot_be_answered_is_one_clear_error(desk: Desk, path: str, status: int) -> None:
    response = desk.client.get(API + path, headers=desk.headers)
    assert response.status_code == status
    assert len(response.json()["error"]["message"]) > 10


def test_openapi_tells_the_shapes_and_the_token(desk: Desk) -> None:
    schema = desk.client.get("/schema/openapi.json").json()
    assert schema["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    page = schema["components"]["schemas"]["ConversationPage"]
    assert set(page["properties"]) == {"conversations", "next"}
    assert schema["paths"][f"{API}/me"]["get"]["security"] == [{"bearer": []}]


def test_a_csv_names_its_charset_once(desk: Desk) -> None:
    sent = desk.client.get("/admin/api/v1/conversations/export", headers=desk.headers)
    assert sent.headers["content-type"] == "text/csv; charset=utf-8"

from __future__ import annotations

import json
from typing import Any

import pytest
from litestar.testing import TestClient

from server.errors import NotFoundError
from server.web.application import web_app
from tests.web.conftest import OPTIONS
from tests.web.scripted import DEADLINE, ScriptedParts

Client = TestClient[Any]
ID = "0123456789abcdef"


def ask(client: Client, question: str = "When?") -> None:
    assert (
        client.post("/chat?site=main", data={"question": question, "conversation_id": ID}).status_code == 200
    )


def post(client: Client, path: str, **fields: str) -> Any:
    return client.post(f"{path}?site=main", data={"conversation_id": ID, **fields}, follow_redirects=False)


def test_a_tab_gets_its_conversation_back(client: Client) -> None:
    ask(client, "One?")
    ask(client, "Two?")
    partial = post(client, "/chat/restore").text
    assert partial.index("One?") < partial.index("Two?")
    assert "<html" not in partial
    assert DEADLINE in partial


def test_also_from_a_server_that_has_been_started_anew(client: Client, parts: ScriptedParts) -> None:
    ask(client, "One?")
    with TestClient(web_app(OPTIONS, parts)) as other:
        assert "One?" in post(other, "/chat/restore").text
        ask(other, "Two?")
        assert parts.asker.asked[-1].history[0] == ("user", "One?")


def test_a_conversation_goes_on_where_the_servers_memory_was_lost(
    client: Client, parts: ScriptedParts
) -> None:
    ask(client, "One?")
    with TestClient(web_app(OPTIONS, parts)) as other:
        ask(other, "Two?")
    assert parts.asker.asked[-1].history[0] == ("user", "One?")


@pytest.mark.parametrize("conversation_id", ["fedcba9876543210", "", "../../x", "a b"])
def test_there_is_nothing_to_bring_back_for_a_stranger(client: Client, conversation_id: str) -> None:
    ask(client)
    response = client.post("/chat/restore?site=main", data={"conversation_id": conversation_id})
    assert (response.status_code, response.content) == (204, b"")


def test_it_can_be_saved_as_text(client: Client) -> None:
    ask(client)
    response = post(client, "/chat/save", form="text")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.headers["content-disposition"].startswith('attachment; filename="main-20')
    assert response.headers["cache-control"] == "no-store"
    assert "https://www.larkmoor.example/admissions/transfer" in response.text


def test_it_can_be_saved_as_json(client: Client) -> None:
    ask(client, "¿Cuándo?")
    response = post(client, "/chat/save", form="json")
    assert response.headers["content-disposition"].endswith('.json"')
    assert json.loads(response.text)["conversation"][0]["question"] == "¿Cuándo?"


def test_an_empty_conversation_cannot_be_saved(client: Client) -> None:
    assert post(client, "/chat/save").status_code == 404


def test_starting_over_erases_it_everywhere(client: Client, parts: ScriptedParts) -> None:
    ask(client, "My secret?")
    response = post(client, "/chat/erase")
    assert (response.status_code, response.headers["location"]) == (303, "/chat?site=main&lang=en&erased=1")
    with pytest.raises(NotFoundError):
        parts.records.conversation(ID)
    assert post(client, "/chat/restore").status_code == 204
    assert "have been erased" not in client.get("/chat").text
    assert "has been erased" in client.get(response.headers["location"]).text


def test_the_page_that_was_left_open_begins_a_new_conversation(client: Client, parts: ScriptedParts) -> None:
    ask(client, "My secret?")
    post(client, "/chat/erase")
    ask(client, "Another?")
    assert parts.asker.asked[-1].conversation_id != ID
    assert parts.asker.asked[-1].history == ()


def test_erasing_nothing_is_no_error(client: Client) -> None:
    assert post(client, "/chat/erase").status_code == 303
    assert client.post("/chat/erase", data={"conversation_id": "x"}).status_code == 400


@pytest.mark.parametrize("path", ["/chat/restore", "/chat/save", "/chat/erase"])
def test_other_sites_pages_may_do_none_of_this(client: Client, parts: ScriptedParts, path: str) -> None:
    ask(client)
    strange = {"Origin": "https://evil.example"}
    response = client.post(f"{path}?site=main", data={"conversation_id": ID}, headers=strange)
    assert response.status_code == 403
    assert parts.records.conversation(ID)["messages"]

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from litestar.testing import TestClient

from server.errors import NotFoundError
from tests.http.conftest import OPTIONS
from tests.scripted_app import DEADLINE, ScriptedParts, web_app

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
        parts.records.conversations.conversation(ID)
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
    assert parts.records.conversations.conversation(ID)["messages"]


def through_another_site(client: Client, conversation_id: str, message_id: str) -> list[Any]:
    """What the library's page and API answer about a conversation, without what is new each time."""
    given = {"conversation_id": conversation_id}
    answers = []
    for path, fields in (
        ("/chat/restore", {}),
        ("/chat/save", {}),
        ("/chat/feedback", {"message_id": message_id, "verdict": "up"}),
        ("/chat", {"question": " "}),
        ("/chat/erase", {}),
    ):
        answer = client.post(f"{path}?site=library", data={**given, **fields}, follow_redirects=False)
        answers.append((path, answer.status_code, answer.text.replace(conversation_id, "ID")))
    rated = {**given, "message_id": message_id, "helpful": True, "site": "library"}
    answers.append(client.post("/api/feedback", json=rated).json())
    return answers


def test_through_another_site_a_conversation_is_as_if_it_did_not_exist(
    client: Client, parts: ScriptedParts
) -> None:
    ask(client, "My secret?")
    before = parts.records.conversations.conversation(ID)
    message_id = before["messages"][1]["id"]
    unknown = through_another_site(client, "fedcba9876543210", message_id)
    assert through_another_site(client, ID, message_id) == unknown
    with TestClient(web_app(OPTIONS, parts)) as other:  # which has the records alone to go by
        assert through_another_site(other, ID, message_id) == unknown
    assert parts.records.conversations.conversation(ID) == before
    assert "My secret?" in post(client, "/chat/restore").text


def test_an_id_that_another_site_uses_begins_a_conversation_of_its_own(
    client: Client, parts: ScriptedParts
) -> None:
    """A partner's script may have one id for a visitor on all sites."""
    ask(client, "My secret?")
    library = {"question": "When?", "conversation_id": ID, "site": "library"}
    answers = [client.post("/api/ask", json=library).json()]
    answers += [client.post("/api/ask", json={**library, "question": "And?", "history": []}).json()]
    answers += [client.post("/api/ask", json={**library, "question": "Why?"}).json()]
    assert [answer["conversation_id"] for answer in answers] == [ID] * 3
    assert [text for role, text in parts.asker.asked[1].history if role == "user"] == []
    assert [text for role, text in parts.asker.asked[3].history if role == "user"] == ["When?", "And?"]
    assert len(parts.records.conversations.conversation(ID)["messages"]) == 2
    of_library = client.post("/chat/restore?site=library", data={"conversation_id": ID}).text
    assert ("My secret?" in of_library, "Why?" in of_library) == (False, True)
    rated = {"conversation_id": ID, "message_id": answers[0]["message_id"], "helpful": True}
    assert client.post("/api/feedback", json={**rated, "site": "library"}).status_code == 204
    client.post("/chat/erase?site=library", data={"conversation_id": ID})
    assert client.post("/chat/restore?site=library", data={"conversation_id": ID}).status_code == 204
    assert "My secret?" in post(client, "/chat/restore").text


def test_an_answer_on_its_way_is_not_erased_through_another_site(parts: ScriptedParts) -> None:
    """With one worker, a question that is answered says that the flow of the one before it is over."""
    app = web_app(replace(OPTIONS, answer_workers=1), parts)
    with TestClient(app) as client, ThreadPoolExecutor(1) as visitor:
        on_its_way = visitor.submit(ask, client, "gate")
        assert parts.asker.waiting.wait(10)
        client.post("/chat/erase?site=library", data={"conversation_id": ID})
        parts.asker.gate.set()
        on_its_way.result(30)
        client.post("/api/ask", json={"question": "When?"})
        assert len(parts.records.conversations.conversation(ID)["messages"]) == 2


def test_an_error_leaves_the_conversation_on_the_page_of_a_server_started_anew(
    client: Client, parts: ScriptedParts
) -> None:
    ask(client, "One?")
    with TestClient(web_app(OPTIONS, parts)) as other:
        page = other.post("/chat?site=main", data={"question": " ", "conversation_id": ID})
    assert (page.status_code, "One?" in page.text) == (400, True)

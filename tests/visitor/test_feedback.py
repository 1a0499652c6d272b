from __future__ import annotations

import re
from typing import Any

import pytest
from litestar.testing import TestClient

from tests.scripted_app import ScriptedParts

Client = TestClient[Any]
ID = "0123456789abcdef"


def answered(client: Client) -> str:
    """The message id of an answer in the conversation `ID`."""
    response = client.post("/api/ask", json={"question": "When?", "conversation_id": ID})
    message_id: str = response.json()["message_id"]
    return message_id


def given(parts: ScriptedParts) -> Any:
    return parts.records.conversations.conversation(ID)["messages"][-1]["feedback"]


def press(client: Client, message_id: str, **fields: str) -> Any:
    data = {"conversation_id": ID, "message_id": message_id, **fields}
    return client.post("/chat/feedback?site=main", data=data, headers={"HX-Request": "true"})


def test_a_thumb_is_noted_and_asks_why(client: Client, parts: ScriptedParts) -> None:
    response = press(client, answered(client), verdict="down")
    assert response.status_code == 200
    assert (given(parts)["helpful"], given(parts)["reason"]) == (False, "")
    assert re.search(r'value="down" aria-pressed="true"', response.text)
    assert re.search(r'value="up" aria-pressed="false"', response.text)
    assert "What was wrong with it? (optional)" in response.text
    assert 'value="outdated"' in response.text
    assert '<p id="announce" hx-swap-oob="innerHTML">Thank you. Your feedback' in response.text


def test_words_are_noted_too_and_end_it(client: Client, parts: ScriptedParts) -> None:
    response = press(client, answered(client), verdict="down", reason="outdated", comment=" From 2019. ")
    assert (given(parts)["reason"], given(parts)["comment"]) == ("outdated", "From 2019.")
    assert "Your words have been noted" in response.text
    assert "<textarea" not in response.text


def test_a_change_of_mind_takes_the_place_of_what_was_said(client: Client, parts: ScriptedParts) -> None:
    message_id = answered(client)
    press(client, message_id, verdict="down", reason="wrong")
    press(client, message_id, verdict="up", reason="wrong")
    assert (given(parts)["helpful"], given(parts)["reason"]) == (True, "")


def test_without_script_the_page_comes_back_with_it(client: Client) -> None:
    page = client.post("/chat", data={"question": "When?", "conversation_id": ID}).text
    found = re.search(r'name="message_id" value="(\w+)"', page)
    assert found
    data = {"conversation_id": ID, "message_id": found[1], "verdict": "up"}
    after = client.post("/chat/feedback?site=main", data=data).text
    assert "<html" in after
    assert "What was good about it?" in after
    assert re.search(r'value="up" aria-pressed="true"', after)
    kept = client.post("/chat", data={"question": "And?", "conversation_id": ID}).text
    assert kept.count('aria-pressed="true"') == 1


def test_it_can_be_given_through_the_api(client: Client, parts: ScriptedParts) -> None:
    body = {"conversation_id": ID, "message_id": answered(client), "helpful": True, "comment": "¡Gracias!"}
    response = client.post("/api/feedback", json=body)
    assert (response.status_code, response.content) == (204, b"")
    assert given(parts)["comment"] == "¡Gracias!"


@pytest.mark.parametrize(
    ("changes", "status", "sentence"),
    [
        ({"message_id": "nothing"}, 404, "There is no answer with that id in that conversation."),
        ({"conversation_id": "fedcba9876543210"}, 404, "There is no answer with that id"),
        ({"reason": "wrong"}, 400, "reason is 'wrong'; it takes one of: clear, complete, other."),
        ({"reason": "rude"}, 400, "reason: Invalid enum value 'rude'."),
        ({"comment": "x" * 1_001}, 413, "The comment has 1,001 characters; 1,000 are the most."),
        ({"comment": "\0"}, 400, "The comment contains a NUL character"),
        ({"helpful": "yes"}, 400, "helpful: Expected `bool`, got `str`."),
        ({"site": "nowhere"}, 404, "There is no site of that name here."),
    ],
)
def test_what_cannot_be_used_says_why(
    client: Client, parts: ScriptedParts, changes: dict[str, Any], status: int, sentence: str
) -> None:
    body = {"conversation_id": ID, "message_id": answered(client), "helpful": True} | changes
    response = client.post("/api/feedback", json=body)
    assert (response.status_code, response.json()["error"]["message"][: len(sentence)]) == (status, sentence)
    assert given(parts) is None


def test_a_form_without_a_thumb_is_a_400(client: Client) -> None:
    assert press(client, answered(client)).status_code == 400


def test_other_sites_pages_may_not_rate(client: Client, parts: ScriptedParts) -> None:
    body = {"conversation_id": ID, "message_id": answered(client), "helpful": False}
    strange = {"Origin": "https://evil.example"}
    assert client.post("/api/feedback", json=body, headers=strange).status_code == 403
    assert (
        client.post("/chat/feedback?site=main", data={**body, "verdict": "down"}, headers=strange).status_code
        == 403
    )
    assert given(parts) is None


def test_nobody_is_asked_to_rate_help_lines(client: Client) -> None:
    page = client.post("/chat", data={"question": "crisis", "conversation_id": ID}).text
    assert "You can reach them now" in page
    assert 'name="verdict"' not in page
    assert 'name="verdict"' in client.post("/chat", data={"question": "When?", "conversation_id": ID}).text

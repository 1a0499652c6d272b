"""Holding, erasing and exporting one conversation over the admin API, and what its visitor is told."""

from __future__ import annotations

import pytest

from tests.http.conftest import OPTIONS  # noqa: F401  (beside the fixtures it belongs to)
from tests.scripted_app import ScriptedParts
from tests.storage.exchanges import exchange
from tests.visitor.test_conversation import Client
from tests.workbench.access.test_audit_api import Desk, desk

__all__ = ["desk"]
ONE = "/conversations/c1"


def test_a_developer_holds_releases_and_erases_and_the_log_says_so(desk: Desk) -> None:
    desk.store.conversations.record(exchange(1, question="I am ana@example.edu"))
    assert desk.send("developer", "PUT", ONE + "/hold", {"reason": "Case 14"}).status_code == 200
    assert desk.send("viewer", "GET", ONE).json()["hold"]["reason"] == "Case 14"
    refused = desk.send("developer", "DELETE", ONE)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "on_hold")
    assert desk.send("developer", "DELETE", ONE + "/hold").status_code == 204
    assert desk.send("developer", "DELETE", ONE).status_code == 204
    assert desk.send("viewer", "GET", ONE).status_code == 404
    rows = [row for row in desk.log() if row["kind"] != "token"]
    assert [(row["kind"], row["who"]) for row in rows] == [
        ("conversation", "the developer"),
        ("hold", "the developer"),
        ("hold", "the developer"),
    ]
    assert "ana@" not in str(rows)


@pytest.mark.parametrize(("method", "path"), [("PUT", "/hold"), ("DELETE", "/hold"), ("DELETE", "")])
def test_an_editor_does_none_of_it(desk: Desk, method: str, path: str) -> None:
    desk.store.conversations.record(exchange(1))
    body = {"reason": "x"} if method == "PUT" else None
    assert desk.send("editor", method, ONE + path, body).status_code == 403
    assert desk.send("viewer", "GET", ONE).json()["hold"] is None


def test_the_export_has_all_that_is_kept_masked_by_role(desk: Desk) -> None:
    desk.store.conversations.record(exchange(1, question="I am ana@example.edu"))
    assert desk.send("viewer", "GET", ONE + "/export").status_code == 403
    response = desk.send("editor", "GET", ONE + "/export")
    assert "attachment" in response.headers["content-disposition"]
    assert response.json()["conversation"]["messages"][0]["text"] == "I am [e-mail 1]"
    assert response.json()["traces"][0]["question"] == "I am [e-mail 1]"
    whole = desk.send("developer", "GET", ONE + "/export").json()
    assert whole["conversation"]["messages"][0]["text"] == "I am ana@example.edu"
    assert len(whole["traces"]) == 1


@pytest.mark.parametrize("lang", ["en", "es"])
def test_a_visitor_is_told_that_it_has_to_be_kept(client: Client, parts: ScriptedParts, lang: str) -> None:
    own = "held-conversation-0001"
    client.post("/chat", data={"question": "Hello?", "conversation_id": own})
    parts.records.retention.hold(own, "Case 14")
    headers = {"Accept": "text/html"}
    response = client.post(f"/chat/erase?lang={lang}", data={"conversation_id": own}, headers=headers)
    assert response.status_code == 409
    assert {"en": "for a legal reason", "es": "por un motivo legal"}[lang] in response.text
    assert "Case 14" not in response.text
    assert parts.records.conversations.conversation(own)["messages"]
    parts.records.retention.release(own)
    client.post("/chat/erase", data={"conversation_id": own})
    assert parts.records.search.conversations(limit=9) == []

from __future__ import annotations

import json
from typing import Any

import pytest
from litestar.testing import TestClient

from tests.scripted_app import DEADLINE, FEE, ScriptedParts

Client = TestClient[Any]
STREAM = {"Accept": "text/event-stream"}


def events(body: str) -> list[tuple[str, Any]]:
    found = []
    for block in filter(None, body.split("\n\n")):
        name, data = block.split("\n", 1)
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_an_answer_is_the_contract(client: Client) -> None:
    response = client.post("/api/ask", json={"question": "When?"})
    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-store"
    answer = response.json()
    assert list(answer) == [
        "answer", "refused", "refusal_reason", "answerer", "degraded", "citations", "closest_pages",
        "strategy", "snapshot", "conversation_id", "message_id", "trace_id", "timings_ms",
        "notices", "contacts", "as_of", "cautions", "lang", "confidence", "tier",
            "quote_reason", "narrow", "blocks",
    ]  # fmt: skip
    assert answer["answer"] == f"{DEADLINE} [1] {FEE} [2]"
    assert answer["citations"][0]["n"] == 1


def test_everything_that_is_given_reaches_the_asker(client: Client, parts: ScriptedParts) -> None:
    body = {
        "question": "And then?",
        "conversation_id": "0123456789abcdef",
        "site": "library",
        "strategy": "hybrid",
        "history": [["user", "When?"], ["assistant", "In March."]],
        "lang": "es",
    }
    assert client.post("/api/ask", json=body).json()["conversation_id"] == "0123456789abcdef"
    asked = parts.asker.asked[0]
    assert (asked.site, asked.strategy) == ("library", "hybrid")
    assert asked.history == (("user", "When?"), ("assistant", "In March."))
    assert asked.lang == "es"


def test_a_conversation_goes_on_by_its_id(client: Client, parts: ScriptedParts) -> None:
    first = client.post("/api/ask", json={"question": "One?"}).json()
    client.post("/api/ask", json={"question": "Two?", "conversation_id": first["conversation_id"]})
    assert parts.asker.asked[1].history == (("user", "One?"), ("assistant", first["answer"]))


def test_a_refusal_carries_the_closest_pages(client: Client) -> None:
    answer = client.post("/api/ask", json={"question": "Any nobel prize?"}).json()
    assert (answer["refused"], answer["refusal_reason"]) == (True, "no_evidence")
    assert len(answer["closest_pages"]) == 3


def test_the_stream_ends_with_the_whole_answer_and_its_tokens_are_its_text(client: Client) -> None:
    response = client.post("/api/ask", json={"question": "When?"}, headers=STREAM)
    assert response.headers["content-type"].startswith("text/event-stream")
    found = events(response.text)
    assert found[0] == ("status", {"step": "retrieve"})
    assert [name for name, _ in found].count("citation") == 2
    name, final = found[-1]
    assert name == "final"
    assert "".join(data["text"] for name, data in found if name == "token") == final["answer"]


def test_an_error_before_the_first_event_is_an_ordinary_response(client: Client) -> None:
    for headers in ({}, STREAM):
        response = client.post("/api/ask", json={"question": "unready"}, headers=headers)
        assert (response.status_code, response.json()["error"]["code"]) == (503, "not_ready")
        assert response.headers["retry-after"] == "5"


def test_an_error_after_it_is_the_last_event(client: Client) -> None:
    response = client.post("/api/ask", json={"question": "break"}, headers=STREAM)
    name, told = events(response.text)[-1]
    assert (name, told["error"]["code"]) == ("error", "not_ready")


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({}, 400, "body: Object missing required field `question`."),
        ({"question": 1}, 400, "question: Expected `str`, got `int`."),
        ({"question": None}, 400, "question: Expected `str`, got `null`."),
        ({"question": ""}, 400, "The question is empty. Please type one."),
        ({"question": "a\0b"}, 400, "The question contains a NUL character, which is no text."),
        ({"question": "x" * 201}, 413, "The question has 201 characters; 200 are the most."),
        ({"question": "x", "site": "../x"}, 404, "There is no site of that name here."),
        ({"question": "x", "history": [["user"]]}, 400, "history[0]: Expected `array` of length 2, got 1."),
        ({"question": "x", "history": "no"}, 400, "history: Expected `array | null`, got `str`."),
        ({"question": "x", "history": [["system", "y"]]}, 400, "history[0][0]: Invalid enum value 'system'."),
        (
            {"question": "x", "history": [["user", "\0"]]},
            400,
            "The history contains a NUL character, which is no text.",
        ),
        ([], 400, "body: Expected `object`, got `array`."),
    ],
)
def test_what_cannot_be_used_says_why(client: Client, body: Any, status: int, sentence: str) -> None:
    response = client.post("/api/ask", json=body)
    assert (response.status_code, response.json()["error"]["message"]) == (status, sentence)


def test_a_question_of_a_hundred_thousand_characters_is_a_413(client: Client) -> None:
    assert client.post("/api/ask", json={"question": "x" * 100_000}).status_code == 413


def test_no_body_at_all_is_a_400(client: Client) -> None:
    assert client.post("/api/ask").json()["error"]["message"] == "The request could not be read."


def test_other_sites_scripts_get_no_permission_and_no_answer(client: Client, parts: ScriptedParts) -> None:
    response = client.post("/api/ask", json={"question": "x"}, headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in response.headers
    assert (response.status_code, response.json()["error"]["code"]) == (403, "origin")
    assert parts.asker.asked == []


def test_a_sites_own_pages_may_ask_on_that_site_alone(client: Client) -> None:
    headers = {"Origin": "https://library.larkmoor.example"}
    allowed = client.post("/api/ask", json={"question": "x", "site": "library"}, headers=headers)
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == "https://library.larkmoor.example"
    assert client.post("/api/ask", json={"question": "x"}, headers=headers).status_code == 403


def test_the_schema_describes_the_question_and_the_one_error(client: Client) -> None:
    schema = client.get("/schema/openapi.json").json()
    operation = schema["paths"]["/api/ask"]["post"]
    assert {"200", "400", "413", "503"} <= operation["responses"].keys()
    assert "ErrorBody" in schema["components"]["schemas"]
    assert not [path for path in schema["paths"] if path.startswith(("/chat", "/static", "/demo"))]


@pytest.mark.parametrize(
    "origin", ["http://[::1", "http://[", "null", "://", "\xff", "http://testserver.local@x"]
)
def test_an_origin_that_is_no_address_is_turned_away(client: TestClient[Any], origin: str) -> None:
    headers = [(b"Origin", origin.encode("latin-1"))]
    response = client.post("/api/ask", json={"question": "When?"}, headers=headers)
    assert response.status_code == 403

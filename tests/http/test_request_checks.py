"""What is checked of every request, whatever its route."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from scripts.research.fuzzing.boundary import let_in, status_of, wrong_spellings
from server.app import WebOptions
from server.errors import BadInputError
from tests.scripted_app import ScriptedParts, serving, web_app

Client = TestClient[Any]
PAGE = {"Accept": "text/html"}
PATHS = (
    b"/",
    b"/chat",
    b"/chat/events/1",
    b"/api/ask",
    b"/admin/api/v1/me",
    b"/metrics",
    b"/readyz",
    b"/schema",
    b"/sites/main/chat.css",
    b"/static/chat.css",
    b"/widget.js",
)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[Client]:
    with TestClient(web_app(WebOptions(), parts), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {parts.records.tokens.create('ana', 'developer', 1)}"
        yield client


def operations(app: Litestar) -> list[tuple[str, str]]:
    """Each method of each route but OPTIONS, with something in the place of each parameter."""
    return sorted(
        (method, re.sub(r"\{[^}]*\}", "1", route.path_format))
        for route in app.routes
        for method in route.methods
        if method != "OPTIONS"
    )


def test_a_parameter_that_is_given_twice_is_a_400_on_every_route(client: Client) -> None:
    asked = operations(client.app)
    assert {("GET", "/chat"), ("POST", "/api/ask"), ("GET", "/admin/api/v1/me")} <= set(asked)
    for method, path in asked:
        answer = client.request(method, f"{path}?site=main&lang=en&site=main")
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "repeated"), (method, path)
        assert "'site'" in answer.json()["error"]["message"]


def test_a_page_of_two_sites_is_framed_by_neither(client: Client) -> None:
    for query in ("site=main&site=library", "site=main&%73ite=library", "site=&site=library"):
        page = client.get(f"/chat?{query}", headers=PAGE)
        assert page.status_code == 400
        assert "<h1>That did not work</h1>" in page.text
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


def test_a_field_that_is_given_twice_is_a_400(client: Client, parts: ScriptedParts) -> None:
    for path in ("/chat/ask", "/chat/erase", "/chat/save", "/chat/restore", "/chat/feedback"):
        body = "conversation_id=0123456789abcdef&question=One%3F&conversation_id=fedcba9876543210"
        answer = client.post(path, content=body, headers=FORM)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "repeated"), path
    assert parts.asker.asked == []


def test_a_path_has_one_spelling(parts: ScriptedParts) -> None:
    """So that a proxy's rule for a path holds for whatever leads there."""
    with serving(web_app(WebOptions(), parts)) as server:
        known = {status_of(server, "GET", path, {}) for path in PATHS}
        assert known == {200, 401, 405}
        wrong = [one for path in PATHS for method in ("GET", "POST") for one in wrong_spellings(method, path)]
        assert len(wrong) > 1_000
        assert let_in(server, wrong) == []


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("ask.larkmoor.example", 200),
        ("ask.larkmoor.example:8000", 200),
        ("ASK.Larkmoor.example.", 200),
        ("a.library.larkmoor.example", 200),
        ("[::1]:8000", 200),
        ("library.larkmoor.example", 400),
        ("evillibrary.larkmoor.example", 400),
        ("evil.example", 400),
        ("ask.larkmoor.example.evil.example", 400),
        ("ask.larkmoor.example@evil.example", 400),
        ("ask.larkmoor.example:80:80", 400),
        ("127.0.0.1", 400),
        ("", 400),
    ],
)
def test_only_names_that_are_allowed_are_answered_to(parts: ScriptedParts, host: str, status: int) -> None:
    allowed = "ask.larkmoor.example *.library.larkmoor.example [::1]"
    with TestClient(web_app(WebOptions(allowed_hosts=allowed), parts)) as client:
        for path in ("/chat", "/widget.js", "/schema"):
            answer = client.get(path, headers={"Host": host})
            assert answer.status_code == status, path
            if status == 400:
                assert answer.json()["error"]["code"] == "host"
        for path in ("/healthz", "/readyz"):  # a check calls an address, not a name
            assert client.get(path, headers={"Host": host}).status_code == 200
        asked = client.post("/api/ask", json={"question": "When?"}, headers={"Host": host})
        assert asked.status_code == status
        assert len(parts.asker.asked) == (status == 200)


def test_without_a_list_any_name_is_answered_to(client: Client) -> None:
    assert client.get("/chat", headers={"Host": "any.example"}).status_code == 200


@pytest.mark.parametrize(
    "wrong",
    [
        "https://ask.example.edu",
        "ask.example.edu:8000",
        "ask.example.edu/",
        "*",
        "a.*.edu",
        "ask,library",
        "::1",
        ".a",
    ],
)
def test_a_name_that_is_none_is_a_sentence_at_the_start(parts: ScriptedParts, wrong: str) -> None:
    with pytest.raises(BadInputError, match="LODGE_ALLOWED_HOSTS") as told:
        web_app(WebOptions(allowed_hosts=f"ask.example.edu {wrong}"), parts)
    assert repr(wrong) in told.value.message


WRITING = ("POST", "PUT", "PATCH", "DELETE")


@pytest.mark.parametrize("came_from", ["cross-site", "same-site"])
def test_what_a_browser_sends_from_elsewhere_without_saying_whence_writes_nothing(
    client: Client, came_from: str
) -> None:
    writing = [(method, path) for method, path in operations(client.app) if method in WRITING]
    assert {("POST", "/chat/erase"), ("POST", "/api/feedback"), ("PUT", "/admin/api/v1/curated/1")} <= set(
        writing
    )
    for method, path in writing:
        answer = client.request(method, path, headers={"Sec-Fetch-Site": came_from})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "origin"), (method, path)


def test_what_is_written_stays_where_it_was(client: Client, parts: ScriptedParts) -> None:
    known = {"conversation_id": "0123456789abcdef"}
    client.post("/chat", data={"question": "When?", **known})
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "CROSS-SITE"}):
        assert client.post("/chat/erase", data=known, headers=headers).status_code == 403
    assert parts.records.conversations.conversation(known["conversation_id"])["messages"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://testserver.local"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "https://www.larkmoor.example"},
        {"Sec-Fetch-Site": "same-site", "Origin": "https://www.larkmoor.example"},
    ],
)
def test_our_own_pages_the_sites_and_programs_go_on_writing(client: Client, headers: dict[str, str]) -> None:
    assert client.post("/api/ask", json={"question": "When?"}, headers=headers).status_code == 200
    erased = client.post("/chat/erase?site=main", headers=headers, follow_redirects=False)
    assert erased.status_code == 303


def test_a_page_elsewhere_may_lead_here_and_frame_the_chat(client: Client) -> None:
    for path in ("/chat", "/widget.js", "/demo"):
        assert client.get(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200

"""What is checked of every request, whatever its route."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from litestar.testing import TestClient

from server.web.application import web_app
from server.web.options import WebOptions
from tests.web.scripted import ScriptedParts

Client = TestClient[Any]
PAGE = {"Accept": "text/html"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[Client]:
    with TestClient(web_app(WebOptions(), parts), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {parts.records.create_token('ana', 'developer', 1)}"
        yield client


def operations(client: Client) -> list[tuple[str, str]]:
    """Each method of each route but OPTIONS, with something in the place of each parameter."""
    return sorted(
        (method, re.sub(r"\{[^}]*\}", "1", route.path_format))
        for route in client.app.routes
        for method in route.methods
        if method != "OPTIONS"
    )


def test_a_parameter_that_is_given_twice_is_a_400_on_every_route(client: Client) -> None:
    asked = operations(client)
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

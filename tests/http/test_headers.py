from __future__ import annotations

from typing import Any

import pytest
from litestar.testing import TestClient

Client = TestClient[Any]

PATHS = ["/", "/chat", "/demo", "/widget.js", "/static/chat.css", "/healthz", "/schema/openapi.json", "/nope"]


def directives(response: Any) -> dict[str, list[str]]:
    policy = response.headers["content-security-policy"]
    return {name: values for name, *values in (part.split() for part in policy.split(";"))}


@pytest.mark.parametrize("path", PATHS)
def test_every_response_carries_the_headers_and_no_cookie(client: Client, path: str) -> None:
    response = client.get(path)
    policy = directives(response)
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == ["'self'"]
    assert "unsafe" not in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "camera=()" in response.headers["permissions-policy"]
    assert response.headers["referrer-policy"] == "strict-origin-when-cross-origin"
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize("path", ["/chat", "/chat?site=main&embed=1"])
def test_the_chat_page_may_be_framed_by_ourselves_and_the_configured_origins(
    client: Client, path: str
) -> None:
    assert directives(client.get(path))["frame-ancestors"] == ["'self'", "https://www.larkmoor.example"]


def test_each_site_has_framers_of_its_own_and_an_unknown_one_none(client: Client) -> None:
    library = directives(client.get("/chat?site=library"))["frame-ancestors"]
    assert library == ["'self'", "https://library.larkmoor.example"]
    assert directives(client.post("/chat?site=library"))["frame-ancestors"] == library
    assert directives(client.get("/chat?site=nowhere"))["frame-ancestors"] == ["'none'"]


@pytest.mark.parametrize("path", ["/", "/demo", "/nope", "/chat/events/x", "/api/ask"])
def test_nothing_else_may_be_framed(client: Client, path: str) -> None:
    assert directives(client.get(path))["frame-ancestors"] == ["'none'"]


def test_only_the_demo_page_holds_a_frame(client: Client) -> None:
    assert directives(client.get("/demo"))["frame-src"] == ["'self'"]
    assert "frame-src" not in directives(client.get("/chat"))


def test_a_stream_carries_them_too(client: Client) -> None:
    response = client.post("/api/ask", json={"question": "hi"}, headers={"Accept": "text/event-stream"})
    assert directives(response)["default-src"] == ["'none'"]

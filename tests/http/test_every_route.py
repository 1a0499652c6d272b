"""Every route there is, by every method, and what goes wrong on them: the same security headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from server.app import WebOptions
from server.http.limits import LimitOptions
from tests.scripted_app import ScriptedParts, web_app

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
ELSEWHERE = [
    "/nope",
    "/static/none.css",
    "/static/../../etc/passwd",
    "/admin/api/v1/nope",
    "/%00",
    "/chat?site=none",
]
STREAM = {"Accept": "text/event-stream"}
BEHIND_TLS = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient[Any]]:
    parts = ScriptedParts(tmp_path_factory.mktemp("records"))
    options = WebOptions(limits=LimitOptions(trusted_hops=1))
    with TestClient(web_app(options, parts), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {parts.records.tokens.create('walker', 'developer', 1)}"
        yield client


def paths(client: TestClient[Any]) -> list[str]:
    """Each route's address, with something in the place of each parameter."""
    filled = {re.sub(r"\{[^}]*\}", "1", route.path_format) for route in client.app.routes}
    return sorted({*filled, "/static/chat.css", *ELSEWHERE})


def check(response: Any, where: str) -> None:
    policy = response.headers["content-security-policy"]
    assert "unsafe-" not in policy, where
    assert "default-src 'none'" in policy, where
    assert "frame-ancestors" in policy, where
    assert response.headers["x-content-type-options"] == "nosniff", where
    assert response.headers["referrer-policy"] == "strict-origin-when-cross-origin", where
    assert "camera=()" in response.headers["permissions-policy"], where
    assert "set-cookie" not in response.headers, where
    for name in ("content-security-policy", "x-content-type-options"):
        assert len(response.headers.get_list(name)) == 1, where


@pytest.mark.parametrize("method", METHODS)
def test_every_route_has_the_security_headers_whatever_it_answers(
    client: TestClient[Any], method: str
) -> None:
    walked = paths(client)
    assert {"/chat", "/api/ask", "/admin/api/v1/me", "/widget.js", "/healthz"} <= set(walked)
    for path in walked:
        response = client.request(method, path, headers=BEHIND_TLS)
        check(response, f"{method} {path}")
        assert response.headers["strict-transport-security"] == "max-age=31536000"
        if method == "HEAD":
            assert response.content == b""


@pytest.mark.parametrize("question", ["When?", "unready", "explode", "break", ""])
def test_answers_errors_and_streams_have_them_too(client: TestClient[Any], question: str) -> None:
    for headers in ({}, STREAM, {"Accept": "text/html"}):
        check(client.post("/api/ask", json={"question": question}, headers=headers), question)
    check(client.post("/chat", data={"question": question}), question)
    asked = client.post("/chat/ask", data={"question": question}, headers={"hx-request": "true"})
    check(asked, question)
    check(client.post("/api/ask", content=b"{", headers={"Content-Type": "application/json"}), "no JSON")
    check(client.post("/api/ask", content=b"x" * 100_000), "too large")


@pytest.mark.parametrize(
    ("hops", "headers", "secure"),
    [
        (0, {}, False),
        (0, {"X-Forwarded-Proto": "https"}, False),
        (1, {"X-Forwarded-Proto": "https"}, True),
        (1, {"X-Forwarded-Proto": "http"}, False),
        (1, {}, False),
        (2, {"X-Forwarded-Proto": "https, http"}, True),
        (2, {"X-Forwarded-Proto": "https"}, True),
        (1, {"X-Forwarded-Proto": "gopher"}, False),
    ],
)
def test_browsers_are_told_to_come_by_tls_only_where_they_did(
    tmp_path: Path, hops: int, headers: dict[str, str], secure: bool
) -> None:
    app = web_app(WebOptions(limits=LimitOptions(trusted_hops=hops)), ScriptedParts(tmp_path))
    with TestClient(app) as client:
        response = client.get("/demo", headers=headers)
        assert ("strict-transport-security" in response.headers) is secure
        assert ("https://testserver.local/widget.js" in response.text) is secure
    with TestClient(app, base_url="https://ask.larkmoor.example") as client:
        direct = client.get("/healthz")
        assert "strict-transport-security" in direct.headers or hops


@pytest.mark.parametrize(
    "path", ["/", "/chat", "/demo", "/widget.js", "/static/chat.css", "/healthz", "/readyz"]
)
def test_head_is_get_without_a_body(client: TestClient[Any], path: str) -> None:
    head, get = client.head(path), client.get(path)
    assert head.status_code == get.status_code == 200
    assert head.content == b""
    assert get.content
    assert head.headers["content-type"] == get.headers["content-type"]


def test_head_does_not_use_an_answer_up(client: TestClient[Any]) -> None:
    asked = client.post("/chat/ask", data={"question": "When?"}, headers={"hx-request": "true"}).text
    found = re.search(r"/chat/events/[0-9a-f]+", asked)
    assert found
    assert client.head(found[0]).status_code == 405
    assert "event: final" in client.get(found[0]).text


def test_options_name_every_method_of_an_address(client: TestClient[Any]) -> None:
    assert client.options("/admin/api/v1/golden").headers.get_list("allow") == ["GET, OPTIONS, POST"]

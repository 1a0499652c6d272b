from __future__ import annotations

import asyncio
from typing import Any

import pytest
from litestar.testing import TestClient

JSON = {"Content-Type": "application/json"}
FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[" * 4_000,
        b'{"question": "a", "history": ' + b"[" * 4_000,
        b'{"question": "\xff"}',
        b'{"question": "\\ud800"}',
        b"\x00",
    ],
)
def test_a_body_that_cannot_be_read_is_a_400(client: TestClient[Any], body: bytes) -> None:
    response = client.post("/api/ask", content=body, headers=JSON)
    assert response.status_code == 400
    assert response.json()["error"]["message"] == "The body is not JSON that can be read."


@pytest.mark.parametrize("path", ["/api/ask", "/chat", "/chat/ask"])
def test_a_body_over_the_limit_is_a_413(client: TestClient[Any], path: str) -> None:
    headers = JSON if path.startswith("/api") else {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post(path, content=b"question=" + b"x" * 5_000, headers=headers).status_code == 413


@pytest.mark.parametrize(("path", "kind"), [("/api/ask", "application/json"), ("/chat/ask", FORM)])
def test_a_sender_who_goes_before_the_end_is_no_error_of_ours(
    client: TestClient[Any], caplog: pytest.LogCaptureFixture, path: str, kind: str
) -> None:
    sent: list[Any] = []
    incoming: list[Any] = [
        {"type": "http.request", "body": b'{"ques', "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Any:
        return incoming.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-type", kind.encode()), (b"content-length", b"900")]
    scope: Any = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "headers": headers,
    }
    scope |= {
        "query_string": b"",
        "scheme": "http",
        "client": None,
        "server": ("a", 80),
        "http_version": "1.1",
    }
    asyncio.run(client.app(scope | {"asgi": {"version": "3.0"}, "root_path": ""}, receive, send))
    assert sent[0]["status"] == 400
    assert not [record for record in caplog.records if record.levelname == "ERROR"]

from __future__ import annotations

from typing import Any

import pytest
from litestar.testing import TestClient

JSON = {"Content-Type": "application/json"}


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

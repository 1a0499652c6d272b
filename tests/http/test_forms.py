"""What the pages' forms bring, and that nothing of it stays behind."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from litestar._parsers import parse_url_encoded_form_data
from litestar.testing import TestClient

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def test_no_form_is_remembered(client: TestClient[Any]) -> None:
    """Litestar's cache would keep it unmasked; there is no other way to look into it."""
    before = parse_url_encoded_form_data.cache_info().currsize
    asked = {"question": "My number is 585-555-0142. May I drop a course?", "conversation_id": "c" * 32}
    assert client.post("/chat/ask", data=asked).status_code == 200
    for path in ("/chat/feedback", "/chat/restore", "/chat/save", "/chat/erase"):
        client.post(path, data={**asked, "path": path})
    assert parse_url_encoded_form_data.cache_info().currsize == before


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (urlencode({"question": "Où est la bibliothèque + le café ?"}), "Où est la bibliothèque + le café ?"),
        ("question=known&unknown=field&&=", "known"),
    ],
)
def test_what_was_typed_is_what_is_asked(client: TestClient[Any], body: str, shown: str) -> None:
    response = client.post("/chat/ask", content=body, headers=FORM)
    assert response.status_code == 200
    assert shown in response.text


@pytest.mark.parametrize("body", ["", "%", "question", "question=%FF%fe%00", "=", "&&&", "a=1;b=2"])
def test_a_form_that_says_nothing_is_a_400(client: TestClient[Any], body: str) -> None:
    response = client.post("/chat/ask", content=body.encode(), headers=FORM)
    assert response.status_code == 400

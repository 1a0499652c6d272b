from __future__ import annotations

from typing import Any

import pytest
from litestar.testing import TestClient

Client = TestClient[Any]
OWN = "https://library.larkmoor.example"


def preflight(client: Client, origin: str, path: str = "/api/ask") -> Any:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    return client.options(path, headers=headers)


def test_a_preflight_from_a_page_of_a_site_is_allowed(client: Client) -> None:
    response = preflight(client, OWN)
    assert response.status_code == 204
    assert response.headers["access-control-allow-origin"] == OWN
    assert response.headers["access-control-allow-methods"] == "POST"
    assert response.headers["access-control-allow-headers"] == "content-type"
    assert "access-control-allow-credentials" not in response.headers


@pytest.mark.parametrize("origin", ["https://evil.example", "null", f"{OWN}.evil.example", "https://"])
def test_one_from_any_other_page_is_not(client: Client, origin: str) -> None:
    assert "access-control-allow-origin" not in preflight(client, origin).headers


def test_an_error_can_be_read_by_those_who_may_ask(client: Client) -> None:
    response = client.post("/api/ask", json={"question": "", "site": "library"}, headers={"Origin": OWN})
    assert (response.status_code, response.headers["access-control-allow-origin"]) == (400, OWN)


def test_caches_keep_the_answers_to_different_pages_apart(client: Client) -> None:
    assert client.post("/api/ask", json={"question": "x"}).headers["vary"] == "Origin"


@pytest.mark.parametrize("path", ["/chat", "/admin/api/v1/me", "/healthz"])
def test_nothing_but_the_public_api_is_open_to_scripts(client: Client, path: str) -> None:
    assert "access-control-allow-origin" not in preflight(client, OWN, path).headers

from __future__ import annotations

from typing import Any

from litestar.testing import TestClient

from tests.scripted_app import ScriptedParts


def test_alive_says_nothing_about_the_parts(client: TestClient[Any], parts: ScriptedParts) -> None:
    parts.readiness.sentences = ["No snapshot has been published."]
    assert client.get("/healthz").json() == {"alive": True}


def test_ready_when_nothing_is_missing(client: TestClient[Any]) -> None:
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"ready": True, "missing": [], "degraded": []})


def test_not_ready_says_what_is_missing(client: TestClient[Any], parts: ScriptedParts) -> None:
    parts.readiness.sentences = ["No snapshot has been published."]
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"ready": False, "missing": ["No snapshot has been published."], "degraded": []}
    assert response.headers["retry-after"] == "5"

from __future__ import annotations

import threading

import httpx
from litestar.testing import TestClient

from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, serving, web_app


def test_the_parts_are_closed_when_the_server_stops(parts: ScriptedParts) -> None:
    with TestClient(web_app(OPTIONS, parts)):
        assert not parts.closed
    assert parts.closed


def test_an_answer_under_way_is_finished_before_the_server_stops(parts: ScriptedParts) -> None:
    found: list[httpx.Response] = []

    def ask(url: str) -> None:
        found.append(httpx.post(f"{url}/api/ask", json={"question": "gate"}, timeout=20))

    with serving(web_app(OPTIONS, parts)) as url:
        asking = threading.Thread(target=ask, args=[url])
        asking.start()
        assert parts.asker.waiting.wait(10)
        threading.Timer(0.3, parts.asker.gate.set).start()
    asking.join(20)
    assert found[0].json()["refused"] is False
    assert parts.closed


def test_a_client_that_leaves_a_stream_ends_its_flow(parts: ScriptedParts) -> None:
    with serving(web_app(OPTIONS, parts)) as url:
        headers = {"Accept": "text/event-stream"}
        with httpx.stream("POST", f"{url}/api/ask", json={"question": "gate"}, headers=headers) as response:
            assert next(response.iter_lines()) == "event: status"
        assert parts.asker.closed.wait(10)


def test_the_schema_is_read_without_any_other_server_and_tells_of_the_bearer_token(
    parts: ScriptedParts,
) -> None:
    with TestClient(web_app(OPTIONS, parts)) as client:
        schema = client.get("/schema").json()
    assert schema["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert "/admin/api/v1/conversations" in schema["paths"]

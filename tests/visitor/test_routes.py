from __future__ import annotations

from litestar.routes import HTTPRoute

from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, web_app


def test_every_page_and_call_is_there(parts: ScriptedParts) -> None:
    routes = [route for route in web_app(OPTIONS, parts).routes if isinstance(route, HTTPRoute)]
    found = {(route.path, method) for route in routes for method in route.methods}
    forms = ("/chat", "/chat/ask", "/chat/restore", "/chat/save", "/chat/erase", "/chat/feedback")
    assert {(path, "POST") for path in (*forms, "/api/ask", "/api/feedback")} <= found
    assert {(path, "GET") for path in ("/", "/chat", "/chat/events/{event_id:str}", "/demo")} <= found
    parts.close()

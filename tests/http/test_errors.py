from __future__ import annotations

import logging
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from server import errors
from server.errors import LodgeError, NotAllowedError
from server.http.errors import problem_of
from tests.scripted_app import ScriptedParts

Client = TestClient[Any]

STATUS = {
    "BadInputError": 400,
    "TooLargeError": 413,
    "NotFoundError": 404,
    "ConflictError": 409,
    "BlockedError": 409,
    "TooManyError": 429,
    "BusyError": 503,
    "NotAllowedError": 403,
    "NotReadyError": 503,
    "SnapshotError": 503,
    "ModelError": 503,
    "StorageError": 503,
    "LlmUnavailableError": 503,
    "CrawlError": 500,
    "LodgeError": 500,
}


def every_error() -> list[type[LodgeError]]:
    found = [thing for thing in vars(errors).values() if isinstance(thing, type)]
    return [kind for kind in found if issubclass(kind, LodgeError)]


@pytest.mark.parametrize("kind", every_error())
def test_every_error_of_ours_has_its_status_and_keeps_its_sentence(kind: type[LodgeError]) -> None:
    problem = problem_of(kind("A sentence."))
    assert problem.status == STATUS[kind.__name__]
    assert problem.as_json() == {"error": {"code": kind.code, "message": "A sentence."}}
    assert ("Retry-After" in problem.headers) == (problem.status in {429, 503})


def test_a_missing_token_is_a_401_that_names_the_scheme() -> None:
    problem = problem_of(NotAllowedError("A token, please.", code="no_token"))
    assert (problem.status, problem.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_an_unknown_address_and_a_wrong_method_have_the_one_shape(client: Client) -> None:
    missing = client.get("/nope")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    wrong = client.get("/api/ask")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")
    assert "POST" in wrong.headers["allow"]


def test_what_was_not_foreseen_is_logged_and_tells_nothing(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "lodge.web"):
        response = client.post("/api/ask", json={"question": "explode"})
    assert (response.status_code, response.json()["error"]["code"]) == (500, "internal")
    assert "secret" not in response.text
    assert "secret" in caplog.text


def test_a_browser_gets_a_page_and_the_api_never_does(client: Client) -> None:
    browser = {"Accept": "text/html,*/*"}
    page = client.get("/nope", headers=browser)
    assert page.status_code == 404
    assert "<h1>That did not work</h1>" in page.text
    assert client.get("/api/nope", headers=browser).json()["error"]["code"] == "not_found"
    assert client.get("/admin/api/v1/me", headers=browser).json()["error"]["code"] == "no_token"


def test_htmx_gets_a_partial(client: Client) -> None:
    response = client.post("/chat/ask", data={"question": ""}, headers={"HX-Request": "true"})
    assert response.status_code == 400
    assert response.text == '<p class="problem">Please type a question first.</p>'


INSIDE = ("napshot", "manifest", "lodge index", "sqlite", "records", "20260301")
WAYS_TO_ASK: list[tuple[str, str, dict[str, str]]] = [
    ("/api/ask", "json", {}),
    ("/api/ask", "json", {"Accept": "text/event-stream"}),
    ("/api/ask", "json", {"Accept": "text/html"}),
    ("/chat", "data", {"Accept": "text/html"}),
    ("/chat/ask", "data", {"HX-Request": "true"}),
]


@pytest.mark.parametrize("trouble", ["unready", "damaged", "break"])
@pytest.mark.parametrize("way", WAYS_TO_ASK)
def test_a_visitors_503_names_no_snapshot_and_no_file(
    client: Client, way: tuple[str, str, dict[str, str]], trouble: str, caplog: pytest.LogCaptureFixture
) -> None:
    path, kind, headers = way
    given: dict[str, Any] = {kind: {"question": trouble}}
    answer = client.post(path, **given, headers=headers)
    told = answer.text
    if found := re.search(r'sse-connect="([^"]+)"', told):
        told = client.get(found[1]).text
    assert "not available at the moment" in told
    assert answer.status_code == 503 or "event" in told  # which had begun
    assert [word for word in INSIDE if word in told.replace("snapshot_failed", "")] == []  # which is the code
    assert "napshot" in caplog.text


def test_what_a_broken_database_is_called_is_for_the_log_and_for_who_has_a_token(
    client: Client, parts: ScriptedParts, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    token = {"Authorization": f"Bearer {parts.records.tokens.create('ana', 'viewer', 1)}"}
    with closing(sqlite3.connect(tmp_path / "records.sqlite")) as database:
        database.executescript("PRAGMA foreign_keys=off; DROP TABLE conversations; DROP TABLE erasures")
    known = {"conversation_id": "0123456789abcdef", "message_id": "1"}
    for path, given in (
        ("/chat/restore", {"data": known}),
        ("/api/feedback", {"json": {**known, "helpful": True}}),
        ("/chat/erase", {"data": known}),
    ):
        caplog.clear()
        answer = client.post(path, **given)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "storage_failed"), path
        assert [word for word in INSIDE if word in answer.json()["error"]["message"]] == []
        assert "records store" in caplog.text
    listed = client.get("/admin/api/v1/conversations", headers=token)
    assert (listed.status_code, "records store" in listed.json()["error"]["message"]) == (503, True)


def test_without_a_token_that_holds_the_admin_api_tells_no_more(
    client: Client, parts: ScriptedParts, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "records.sqlite")) as database:
        database.executescript("DROP TABLE tokens")
    answer = client.get("/admin/api/v1/me", headers={"Authorization": "Bearer guess"})
    assert answer.status_code == 503
    assert [word for word in INSIDE if word in answer.json()["error"]["message"]] == []

"""Curated answers and notices over the admin API, with a real store behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from litestar import Litestar
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Components
from litestar.testing import TestClient

from server.http.errors import problem_handlers
from server.models.curation import AskedSuggestion
from server.workbench.access.auth import BEARER
from server.workbench.records import Records, open_records
from server.workbench.router import admin_router
from tests.scripted_app import site_table
from tests.storage.empty import put_empty_store

API = "/admin/api/v1"
CODE = {
    "phrasings": ["What is the FAFSA code?"],
    "text": "It is 003696.",
    "links": [{"label": "Aid", "url": "https://example.edu/aid"}],
    "topic": "aid",
    "valid_from": "2026-09-01",
    "valid_until": None,
    "site": "main",
}
SNOW = {"text": "Campus is closed.", "until": "2999-02-01T18:00:00+00:00", "url": "", "site": "main"}


@dataclass(frozen=True)
class Desk:
    """A client and the store behind it; each request goes with a token of its own."""

    client: TestClient[Litestar]
    store: Records

    def send(self, role: str, method: str, path: str, body: dict[str, Any] | None = None) -> Response:
        headers = {"Authorization": f"Bearer {self.store.tokens.create('t', role, 1)}"}
        response = self.client.request(method, API + path, headers=headers, json=body)
        self.store.tokens.revoke("t")
        return response


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = open_records(put_empty_store(tmp_path))
    config = OpenAPIConfig("Lodge", "1", components=Components(security_schemes={"bearer": BEARER}))
    app = Litestar(
        [admin_router(store, site_table())],
        exception_handlers=problem_handlers(),
        openapi_config=config,
    )
    with TestClient(app) as client:
        yield Desk(client, store)
    store.close()


@pytest.mark.parametrize(
    ("path", "name", "body"), [("/curated/one", "curated", CODE), ("/notices/one", "notices", SNOW)]
)
def test_an_editor_writes_and_a_viewer_reads(desk: Desk, path: str, name: str, body: dict[str, Any]) -> None:
    kept = body | {"id": "one"}
    response = desk.send("editor", "PUT", path, body)
    assert (response.status_code, response.json()) == (200, kept)
    assert desk.send("viewer", "GET", path).json() == kept
    assert desk.send("viewer", "GET", f"/{name}").json() == {name: [kept]}
    assert desk.send("viewer", "GET", f"/{name}?site=other").json() == {name: []}
    assert desk.send("editor", "PUT", path, body | {"text": "Other words."}).json()["text"] == "Other words."
    assert desk.send("editor", "DELETE", path).status_code == 204
    assert desk.send("viewer", "GET", path).status_code == 404
    assert desk.send("editor", "DELETE", path).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/curated/one", CODE),
        ("DELETE", "/curated/one", None),
        ("PUT", "/notices/one", SNOW),
        ("DELETE", "/notices/one", None),
    ],
)
def test_writing_takes_an_editor(desk: Desk, method: str, path: str, body: dict[str, Any] | None) -> None:
    version = desk.store.curation.curation_version()
    response = desk.send("viewer", method, path, body)
    assert response.status_code == 403
    assert "takes the role editor" in response.json()["error"]["message"]
    assert desk.client.request(method, API + path, json=body).status_code == 401
    assert desk.store.curation.curation_version() == version


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/curated/one", CODE | {"phrasings": []}, "1 to 50 phrasings"),
        ("/curated/one", CODE | {"text": ""}, "answer is empty"),
        ("/curated/one", CODE | {"links": [{"label": "x", "url": "javascript:x"}]}, "no http or https"),
        ("/curated/One", CODE, "id is 'One'"),
        ("/curated/one", {"text": "no phrasings"}, "phrasings"),
        ("/notices/one", SNOW | {"until": "soon"}, "no time such as"),
        ("/notices/one", SNOW | {"until": "2020-01-01T00:00Z"}, "is past"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_sentence(
    desk: Desk, path: str, body: dict[str, Any], sentence: str
) -> None:
    response = desk.send("editor", "PUT", path, body)
    assert response.status_code == 400
    assert sentence in response.json()["error"]["message"]


def test_what_is_left_out_has_its_usual_value(desk: Desk) -> None:
    body = {"phrasings": ["What is the FAFSA code?"], "text": "It is 003696."}
    kept = desk.send("editor", "PUT", "/curated/one", body).json()
    assert (kept["site"], kept["links"], kept["topic"], kept["valid_from"]) == ("main", [], None, None)


def test_openapi_tells_the_shapes(desk: Desk) -> None:
    schema = desk.client.get("/schema/openapi.json").json()
    for path in ("/curated/{answer_id}", "/notices/{notice_id}"):
        assert set(schema["paths"][API + path]) == {"get", "put", "delete"}
        assert {"200", "400", "401", "403"} <= set(schema["paths"][API + path]["put"]["responses"])
    body = schema["components"]["schemas"]["CuratedBody"]
    assert body["required"] == ["phrasings", "text"]


def test_an_editor_accepts_the_page_that_a_suggested_question_is_answered_from(desk: Desk) -> None:
    asked = AskedSuggestion("main", "en", "When?", refused=False, cited=("https://example.edu/a",))
    desk.store.suggestions.keep([asked], "s1")
    desk.store.suggestions.keep([replace(asked, cited=("https://example.edu/b",))], "s2")
    [shown] = desk.send("viewer", "GET", "/suggestions").json()["suggestions"]
    assert (shown["question"], shown["page"], shown["cited"]) == (
        "When?",
        asked.cited[0],
        ["https://example.edu/b"],
    )
    assert "https://example.edu/b" in shown["fault"]
    assert desk.send("viewer", "GET", "/suggestions?site=other").json() == {"suggestions": []}
    name = {"site": "main", "lang": "en", "question": "When?"}
    assert desk.send("viewer", "POST", "/suggestions/accept", name).status_code == 403
    assert desk.send("editor", "POST", "/suggestions/accept", name | {"lang": ""}).status_code == 404
    accepted = desk.send("editor", "POST", "/suggestions/accept", name).json()
    assert (accepted["page"], accepted["fault"]) == ("https://example.edu/b", None)
    desk.store.suggestions.keep([replace(asked, refused=True, cited=())], "s3")
    assert desk.send("editor", "POST", "/suggestions/accept", name).status_code == 409

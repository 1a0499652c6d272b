"""Editors draft, try, publish and undo over the admin API."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from litestar import Litestar
from litestar.testing import TestClient

from server.http.errors import problem_handlers
from server.workbench.job_store import OPEN, JobStore
from server.workbench.jobs import Jobs
from server.workbench.records import Records, open_records
from server.workbench.router import Tools, admin_router
from tests.scripted_app import ScriptedPreviews, site_table
from tests.storage.empty import put_empty_store

NEWS = {"id": "news", "kind": "prefix", "value": "/news/", "why": "Old."}
PIN = {"id": "fees", "kind": "pin", "page": "https://example.edu/fees", "phrase": "permit"}
CODE = {"id": "code", "phrasings": ["What is the code?"], "text": "It is 003696."}
DRAFT = {"leave_out": [NEWS], "curated": [CODE], "suggestions": ["When is spring break?"]}


@dataclass(frozen=True)
class Desk:
    client: TestClient[Litestar]
    store: Records
    tokens: dict[str, str]

    def send(self, role: str, method: str, path: str, body: Any = None) -> Response:
        headers = {"Authorization": f"Bearer {self.tokens[role]}"}
        return self.client.request(method, "/admin/api/v1" + path, headers=headers, json=body)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = open_records(put_empty_store(tmp_path))
    jobs = Jobs(JobStore(store.transactions))
    tools = Tools(previews=ScriptedPreviews(store), jobs=jobs)
    app = Litestar(
        [admin_router(store, site_table(), tools)],
        exception_handlers=problem_handlers(),
        openapi_config=None,
    )
    tokens = {role: store.tokens.create(f"the {role}", role, 1) for role in ("viewer", "editor", "developer")}
    with TestClient(app) as client:
        yield Desk(client, store, tokens)
    jobs.close()
    store.close()


def error(response: Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["message"]


def test_a_draft_is_kept_published_and_undone(desk: Desk) -> None:
    kept = desk.send("editor", "PUT", "/rules/main/draft", DRAFT).json()
    assert (kept["number"], kept["live"]["leave_out"]) == (0, [])
    assert kept["draft"]["by"] == "the editor"
    assert kept["draft"]["book"]["leave_out"] == [NEWS]
    assert kept["draft"]["book"]["curated"][0]["phrasings"] == CODE["phrasings"]
    assert desk.send("viewer", "GET", "/rules/main/draft/pages").json()["goes"] == 1
    live = desk.send("editor", "POST", "/rules/main/publish", {"note": "No old news"}).json()
    assert (live["number"] > 0, live["draft"], live["live"]["suggestions"]) == (
        True,
        None,
        ["When is spring break?"],
    )
    assert desk.store.curation.curated("main")[0].text == "It is 003696."
    [version] = desk.send("viewer", "GET", "/rules/main/history").json()["versions"]
    assert (version["by"], version["note"]) == ("the editor", "No old news")
    assert desk.send("editor", "POST", "/rules/main/back").json()["live"]["leave_out"] == []
    assert desk.store.curation.curated("main") == ()


def test_what_cannot_be_used_is_told_and_the_draft_stays(desk: Desk) -> None:
    desk.send("editor", "PUT", "/rules/main/draft", DRAFT)
    wrong = {"leave_out": [NEWS | {"value": "/"}]}
    assert error(desk.send("editor", "PUT", "/rules/main/draft", wrong)) == (
        400,
        "The filter 'news' would leave out every page.",
    )
    assert desk.send("viewer", "GET", "/rules/main").json()["draft"]["book"]["leave_out"] == [NEWS]
    assert error(desk.send("editor", "PUT", "/rules/moon/draft", DRAFT))[0] == 404
    desk.send("editor", "DELETE", "/rules/main/draft")
    for method, path in (("DELETE", "draft"), ("POST", "publish"), ("POST", "draft/preview")):
        assert error(desk.send("editor", method, f"/rules/main/{path}", {})) == (
            404,
            "There is no draft for that site.",
        )


def test_what_a_page_is_can_be_corrected(desk: Desk) -> None:
    label = {"id": "a", "page": "https://example.edu/a", "kind": "news", "audiences": ["alumni"], "why": ""}
    anyone: dict[str, object] = {
        "id": "b",
        "page": "https://example.edu/b",
        "kind": None,
        "audiences": [],
        "why": "",
    }
    assert desk.send("editor", "PUT", "/rules/main/draft", {"labels": [label, anyone]}).status_code == 200
    published = desk.send("editor", "POST", "/rules/main/publish", {}).json()
    assert published["live"]["labels"] == [label, anyone]
    status, said = error(
        desk.send("editor", "PUT", "/rules/main/draft", {"labels": [label | {"kind": "blog"}]})
    )
    assert status == 400
    assert "blog" in said
    assert desk.send("editor", "POST", "/rules/main/back").json()["live"]["labels"] == []


def test_a_golden_question_that_breaks_is_in_the_way_of_all_but_a_developer_with_a_reason(desk: Desk) -> None:
    desk.send("editor", "PUT", "/rules/main/draft", {"favours": [PIN]})
    status, said = error(desk.send("editor", "POST", "/rules/main/publish", {}))
    assert (status, said) == (409, "Golden questions break: “Q?”: It is not answered.")
    assert desk.send("editor", "POST", "/rules/main/publish", {"override": "sure"}).status_code == 403
    done = desk.send("developer", "POST", "/rules/main/publish", {"override": "The page has moved."})
    assert done.json()["live"]["favours"][0]["page"] == PIN["page"]
    assert "The page has moved." in desk.store.rulebooks.history("main")[0]["note"]


def test_a_preview_is_a_job_whose_visitors_words_are_masked(desk: Desk) -> None:
    desk.send("editor", "PUT", "/rules/main/draft", DRAFT)
    job = desk.send("editor", "POST", "/rules/main/draft/preview", {"questions": 7}).json()
    for _ in range(10_000):
        if desk.send("developer", "GET", f"/jobs/{job['id']}").json()["state"] not in OPEN:
            break
        threading.Event().wait(0.001)
    masked = desk.send("editor", "GET", f"/previews/{job['id']}").json()
    assert (masked["state"], masked["result"]["questions"]) == ("done", 7)
    assert masked["result"]["changes"][0]["question"] == "I am [e-mail 1]"
    assert masked["result"]["changes"][0]["after"]["answer"] == "Ask [e-mail 1]."
    seen = desk.send("developer", "GET", f"/previews/{job['id']}").json()
    assert seen["result"]["changes"][0]["question"] == "I am ana@example.edu"
    assert desk.send("editor", "POST", "/rules/main/draft/preview", {"questions": -1}).status_code == 400


def test_viewers_change_nothing(desk: Desk) -> None:
    assert desk.send("viewer", "PUT", "/rules/main/draft", DRAFT).status_code == 403
    for path in ("draft/preview", "publish", "back"):
        assert desk.send("viewer", "POST", f"/rules/main/{path}", {}).status_code == 403

"""The audit log over the admin API: developers read it, and whoever writes is in it by the token's name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from litestar import Litestar
from litestar.testing import TestClient

from server.ask.pipeline import Asker
from server.errors import NotReadyError
from server.http.errors import problem_handlers
from server.index.snapshot import Snapshot
from server.ingest.publish import SnapshotStore
from server.settings import Settings
from server.workbench.crawls.service import CrawlService
from server.workbench.job_store import JobStore
from server.workbench.jobs import Jobs
from server.workbench.records import Records, open_records
from server.workbench.router import Tools, admin_router
from server.workbench.snapshots.publishing import SnapshotPublisher
from server.workbench.snapshots.service import SnapshotService
from tests.scripted_app import site_table
from tests.storage.exchanges import exchange

API = "/admin/api/v1"
CODE = {"phrasings": ["What is the FAFSA code?"], "text": "It is 003696."}
SPRING = {"question": "When does spring term begin?"}
SNOW = {"text": "Campus is closed.", "until": "2999-02-01T18:00:00+00:00"}


@dataclass(frozen=True)
class Desk:
    """A client, the store behind it, and three people's tokens by their roles."""

    client: TestClient[Litestar]
    store: Records
    tokens: dict[str, str]

    def send(self, role: str, method: str, path: str, body: dict[str, Any] | None = None) -> Response:
        headers = {"Authorization": f"Bearer {self.tokens[role]}"}
        return self.client.request(method, API + path, headers=headers, json=body)

    def log(self, query: str = "") -> list[dict[str, Any]]:
        """The entries, newest first, as a developer reads them."""
        rows: list[dict[str, Any]] = self.send("developer", "GET", f"/audit{query}").json()["changes"]
        return rows


def nobody_over(_: Path) -> AbstractContextManager[Asker]:
    raise NotReadyError("There is no model here.")


def unopened(_: Path) -> AbstractContextManager[Snapshot]:
    raise NotReadyError("There is no snapshot here.")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")
    settings = Settings(home=tmp_path)
    publisher = SnapshotPublisher(SnapshotStore(settings.snapshots_dir), 5, store, nobody_over, print)
    jobs = Jobs(JobStore(store.transactions))
    snapshots = SnapshotService(settings, publisher, store, jobs, unopened)
    tools = Tools(jobs=jobs, snapshots=snapshots, crawls=CrawlService(settings, store, jobs, snapshots))
    app = Litestar(
        [admin_router(store, site_table(), tools)],
        exception_handlers=problem_handlers(),
        openapi_config=None,
    )
    roles = ("viewer", "editor", "developer")
    tokens = {role: store.tokens.create(f"the {role}", role, 1) for role in roles}
    with TestClient(app) as client:
        yield Desk(client, store, tokens)
    jobs.close()
    store.close()


def test_every_write_over_the_api_is_in_the_log_with_the_tokens_name(desk: Desk) -> None:
    for path, body in (("/curated/code", CODE), ("/notices/snow", SNOW)):
        desk.send("editor", "PUT", path, body)
        desk.send("developer", "PUT", path, body | {"text": "Other words."})
        desk.send("editor", "DELETE", path)
    rows = [row for row in desk.log() if row["kind"] != "token"]
    assert [(row["who"], row["id"]) for row in rows] == [
        ("the editor", "snow"),
        ("the developer", "snow"),
        ("the editor", "snow"),
        ("the editor", "code"),
        ("the developer", "code"),
        ("the editor", "code"),
    ]
    removed, changed, made = rows[:3]
    assert (made["before"], made["after"]["text"]) == (None, "Campus is closed.")
    assert (changed["before"], changed["after"]["text"]) == (made["after"], "Other words.")
    assert (removed["before"], removed["after"]) == (changed["after"], None)


def test_so_are_golden_questions(desk: Desk) -> None:
    desk.store.conversations.record(exchange())
    own = desk.send("editor", "POST", "/golden", SPRING).json()["id"]
    desk.send("developer", "PUT", f"/golden/{own}", SPRING | {"refuse": True})
    desk.send("editor", "DELETE", f"/golden/{own}")
    traced = desk.send("editor", "POST", "/traces/t1/golden", {"refuse": True}).json()["id"]
    rows = desk.log("?kind=golden")
    assert [(row["who"], row["id"], bool(row["before"]), bool(row["after"])) for row in rows] == [
        ("the editor", traced, False, True),
        ("the editor", own, True, False),
        ("the developer", own, True, True),
        ("the editor", own, False, True),
    ]


def test_the_writes_of_the_tests_above_are_all_there_are(desk: Desk) -> None:
    """Whoever adds a route that writes has it noted, and adds it there."""
    routes = desk.client.app.routes
    writes = {
        (method, route.path_format.removeprefix(API).split("/")[1])
        for route in routes
        for method in getattr(route, "methods", ())
        if method not in {"GET", "HEAD", "OPTIONS"}
    }
    kinds = ("curated", "notices", "sites", "golden", "owners")  # of sites and owners, see their own tests
    rules = {("PUT", "rules"), ("DELETE", "rules"), ("POST", "rules")}  # see test_rulebooks.py of the records
    golden = {("POST", "golden"), ("POST", "traces")}  # a run of them is kept with who began it
    # See test_gaps_api.py and test_feedback_queue_api.py.
    handling = {("PUT", "gaps"), ("POST", "gaps"), ("PUT", "feedback")}
    nothing_kept = {("DELETE", "jobs"), ("POST", "jobs")}
    snapshots = {("POST", "snapshots")}  # see test_snapshots_api.py
    crawls = {("POST", "crawl"), ("PUT", "crawl")}  # see test_crawl_api.py
    suggestions = {("POST", "suggestions")}  # see test_suggestions.py of the records
    hours = {("POST", "hours"), ("PUT", "hours"), ("DELETE", "hours")}  # see test_api.py of the hours
    # See test_retention_api.py.
    keeping = {("PUT", "conversations"), ("DELETE", "conversations")}
    # See the notifications' test_api.py.
    handling |= {("POST", "subscriptions"), ("DELETE", "subscriptions")}
    handling |= {("PUT", "judgements")}  # see test_judgements.py
    # See the labelling's test_api.py.
    handling |= {("POST", "samples"), ("PUT", "samples"), ("DELETE", "samples")}
    # Trying an answer keeps nothing, and a session is its token's.
    nothing_kept |= {("POST", "answers"), ("POST", "session"), ("DELETE", "session")}
    others = keeping | rules | golden | handling | nothing_kept | snapshots | crawls | suggestions | hours
    assert writes == {(method, kind) for method in ("PUT", "DELETE") for kind in kinds} | others


def test_what_is_turned_away_is_not_in_the_log(desk: Desk) -> None:
    before = desk.log()
    assert desk.send("viewer", "PUT", "/curated/code", CODE).status_code == 403
    assert desk.send("editor", "PUT", "/curated/code", CODE | {"text": ""}).status_code == 400
    assert desk.send("editor", "DELETE", "/notices/none").status_code == 404
    assert desk.log() == before


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_reading_it_takes_a_developer(desk: Desk, role: str) -> None:
    response = desk.send(role, "GET", "/audit")
    assert response.status_code == 403
    assert "takes the role developer" in response.json()["error"]["message"]


def test_it_is_read_in_pages_and_by_kind_and_who(desk: Desk) -> None:
    for number in range(4):
        desk.send("editor", "PUT", f"/curated/a{number}", CODE)
    page = desk.send("developer", "GET", "/audit?limit=3").json()
    assert [row["id"] for row in page["changes"]] == ["a3", "a2", "a1"]
    rest = desk.send("developer", "GET", f"/audit?before={page['next']}").json()
    assert [row["id"] for row in rest["changes"]] == ["a0", "the developer", "the editor", "the viewer"]
    assert rest["next"] is None
    assert {row["kind"] for row in desk.log("?kind=token")} == {"token"}
    assert {row["who"] for row in desk.log("?who=command%20line")} == {"command line"}


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "before=yesterday", "before=-3"])
def test_what_cannot_be_answered_is_one_clear_error(desk: Desk, query: str) -> None:
    response = desk.send("developer", "GET", f"/audit?{query}")
    assert response.status_code == 400
    assert len(response.json()["error"]["message"]) > 10

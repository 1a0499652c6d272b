"""Snapshots over the admin API of a real server, which has one live and a later one shelved."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from httpx import Response
from litestar.testing import TestClient

from server.app import create_app
from server.models.golden import GoldenQuestion
from server.settings import Settings
from server.wiring import serving as answering
from server.workbench.records import Records
from tests.small_site import SITE

API = "/admin/api/v1"
LIBRARY = GoldenQuestion("library", "main", "When is the library open?", (SITE + "/library",))
TUITION = GoldenQuestion("tuition", "main", "How much is tuition for residents?", (SITE + "/tuition",))
BOATS = GoldenQuestion("boats", "main", "When are boats lent?", (SITE + "/boats",))


@dataclass(frozen=True)
class Desk:
    """A client of the server, the store behind it, a token for each role, and the two snapshots."""

    client: TestClient[Any]
    store: Records
    tokens: dict[str, str]
    first: str
    second: str

    def send(self, role: str, method: str, path: str, body: dict[str, Any] | None = None) -> Response:
        headers = {"Authorization": f"Bearer {self.tokens[role]}"}
        return self.client.request(method, API + path, headers=headers, json=body)

    def get(self, path: str) -> dict[str, Any]:
        """What a viewer is told."""
        found: dict[str, Any] = self.send("viewer", "GET", path).json()
        return found

    def ended(self, response: Response) -> dict[str, Any]:
        """The job of a response, once it has ended."""
        assert response.status_code == 202, response.text
        job: dict[str, Any] = response.json()
        while job["state"] in ("waiting", "running"):
            time.sleep(0.02)
            job = self.get(f"/jobs/{job['id']}")
        return job

    @property
    def live(self) -> str:
        """The live snapshot, as the list has it."""
        [name] = [one["name"] for one in self.get("/snapshots")["snapshots"] if one["current"]]
        return str(name)

    def answers(self, question: str) -> dict[str, Any]:
        """What a visitor is told."""
        answer: dict[str, Any] = self.client.post("/api/ask", json={"question": question}).json()
        return answer


@pytest.fixture
def desk(own_snapshots: Settings) -> Iterator[Desk]:
    serving = answering.build_serving(own_snapshots)
    roles = ("viewer", "editor", "developer")
    tokens = {role: serving.records.tokens.create(f"the {role}", role, 1) for role in roles}
    first, second = serving.snapshots.shelf.names()
    with TestClient(create_app(own_snapshots, serving)) as client:
        yield Desk(client, serving.records, tokens, first, second)


def test_the_list_says_when_of_what_with_which_model_and_which_is_live(desk: Desk) -> None:
    later, live = desk.get("/snapshots")["snapshots"]
    assert (later["name"], later["current"], live["name"], live["current"]) == (
        desk.second,
        False,
        desk.first,
        True,
    )
    assert live["dropped"] == {"duplicate": 1, "short": 1, "archive": 1}
    assert (live["embedder"], live["usable"], live["checked"]) == ("minilm-l6-int8", True, None)
    manifest = desk.get(f"/snapshots/{desk.second}")
    assert (manifest["pages"], manifest["current"]) == (later["pages"], False)
    assert desk.send("viewer", "GET", "/snapshots/nowhere").status_code == 404


def test_two_are_compared_page_by_page(desk: Desk) -> None:
    pair = f"before={desk.first}&after={desk.second}"
    found = desk.get(f"/snapshots/compare?{pair}&limit=2")
    assert found["counts"] == {"in": 1, "out": 1, "changed": 1, "same": 12}
    came, went = found["pages"]
    assert (came["kind"], came["url"], came["title_after"]) == ("in", SITE + "/boats", "Boat House")
    assert (went["kind"], went["url"], went["why"]) == ("out", SITE + "/tuition", None)
    [changed] = desk.get(f"/snapshots/compare?{pair}&offset={found['next']}")["pages"]
    assert (changed["url"], changed["title_differs"], changed["text_differs"]) == (
        SITE + "/library",
        False,
        True,
    )
    assert [one["url"] for one in desk.get(f"/snapshots/compare?{pair}&kind=changed")["pages"]] == [
        changed["url"]
    ]
    page = desk.get(f"/snapshots/compare/page?{pair}&url={SITE}/library")
    [was], [is_now] = page["only_before"], page["only_after"]
    assert (was["heading"], "midnight" in was["text"], "2 a.m." in is_now["text"]) == (
        "Opening hours",
        True,
        True,
    )
    back = desk.get(f"/snapshots/compare?before={desk.second}&after={desk.first}&kind=out")
    assert back["pages"][0]["url"] == SITE + "/boats"
    same = desk.get(f"/snapshots/compare?before={desk.first}&after={desk.first}")
    assert (same["counts"]["same"], same["pages"]) == (14, [])


def test_golden_questions_that_flip_are_named_and_visitors_notice_nothing(desk: Desk) -> None:
    pair = {"before": desk.first, "after": desk.second}
    nothing = desk.send("editor", "POST", "/snapshots/compare/golden", pair)
    assert (nothing.status_code, "no golden questions" in nothing.text) == (409, True)
    for golden in (LIBRARY, TUITION, BOATS):
        desk.store.golden.put(golden)
    job = desk.ended(desk.send("editor", "POST", "/snapshots/compare/golden", pair))
    assert (job["kind"], job["state"], job["total"]) == ("comparison", "done", 6)
    changes = {one["id"]: one["change"] for one in job["result"]["questions"]}
    assert changes == {"library": "still_right", "tuition": "broken", "boats": "mended"}
    [library] = [one for one in job["result"]["questions"] if one["id"] == "library"]
    assert "midnight" in library["before"]["answer"]
    assert "2 a.m." in library["after"]["answer"]
    assert (desk.store.search.conversations(limit=1), desk.store.golden.runs()) == ([], [])
    assert desk.answers("When is the library open?")["snapshot"] == desk.first


def test_publishing_is_blocked_overridden_with_a_reason_and_rolled_back(desk: Desk) -> None:
    desk.store.golden.put(TUITION)
    path = f"/snapshots/{desk.second}/publish"
    job = desk.ended(desk.send("developer", "POST", path, {}))
    assert (job["state"], desk.live) == ("failed", desk.first)
    assert "1 of 1 golden questions are answered rightly now and fail over it" in job["says"]
    assert [one["id"] for one in job["result"]["failed"]] == ["tuition"]
    assert desk.answers("How much is tuition?")["snapshot"] == desk.first

    job = desk.ended(desk.send("developer", "POST", path, {"override": "Set in May."}))
    assert (job["state"], job["result"]["live_before"], desk.live) == ("done", desk.first, desk.second)
    assert desk.answers("When are boats lent?")["snapshot"] == desk.second
    checked = {one["name"]: one["checked"] for one in desk.get("/snapshots")["snapshots"]}
    assert checked == {desk.second: {"passed": 0, "failed": 1, "known_gaps": 0}, desk.first: None}

    back = desk.send("developer", "POST", "/snapshots/rollback", {})
    assert (back.json()["name"], desk.live) == (desk.first, desk.first)
    log = [
        (row["who"], row["after"]["done"], row["after"].get("reason"))
        for row in desk.send("developer", "GET", "/audit?kind=snapshot").json()["changes"]
    ]
    assert log == [
        ("the developer", "rolled back to", None),
        ("the developer", "published", None),
        ("the developer", "overrode the golden questions of", "Set in May."),
    ]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 400, "no earlier snapshot"),
        ({"name": "second"}, 400, "publish it instead"),
        ({"name": "nowhere"}, 404, "There are:"),
    ],
)
def test_going_back_is_to_an_earlier_one(desk: Desk, body: dict[str, str], status: int, words: str) -> None:
    given = {"name": desk.second} if body.get("name") == "second" else body
    response = desk.send("developer", "POST", "/snapshots/rollback", given)
    assert (response.status_code, words in response.text, desk.live) == (status, True, desk.first)


@pytest.mark.parametrize(
    "path", ["/snapshots/build", "/snapshots/rollback", "/snapshots/any/publish", "/crawl/start"]
)
def test_changing_anything_takes_a_developer(desk: Desk, path: str) -> None:
    assert desk.send("editor", "POST", path, {}).status_code == 403


def test_what_cannot_be_done_is_one_clear_error(desk: Desk) -> None:
    unknown = desk.send("viewer", "GET", f"/snapshots/compare?before={desk.first}&after=none")
    assert (unknown.status_code, "There is no snapshot 'none'" in unknown.text) == (404, True)
    assert desk.send("developer", "POST", "/snapshots/none/publish", {}).status_code == 404
    job = desk.ended(desk.send("developer", "POST", "/snapshots/build"))
    assert (job["state"], "run `lodge crawl" in job["says"]) == ("failed", True)

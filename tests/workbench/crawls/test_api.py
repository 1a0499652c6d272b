"""Crawls over the admin API: read by everyone a part at a time, scheduled by developers, and in the log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from litestar.testing import TestClient

from server.app import create_app
from server.ingest.crawl.nouns import CrawlOutcome, FoundUrl
from server.ingest.crawl.store import CrawlStore
from server.settings import Settings
from server.wiring import serving as answering
from server.workbench.crawls.service import counted

API = "/admin/api/v1"
HOST = "www.brackwater.example"
ROOT = f"https://{HOST}/"


class Client:
    """A client of a real server, over a site that was crawled, with a token for each role."""

    def __init__(self, client: TestClient[Any], serving: answering.Serving) -> None:
        self.serving = serving
        self._client = client
        roles = ("viewer", "editor", "developer")
        self._tokens = {role: serving.records.tokens.create(f"the {role}", role, 1) for role in roles}

    def send(self, role: str, method: str, path: str, body: dict[str, Any] | None = None) -> Response:
        headers = {"Authorization": f"Bearer {self._tokens[role]}"}
        return self._client.request(method, API + path, headers=headers, json=body)

    def get(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = self.send("viewer", "GET", path).json()
        return found


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    settings = Settings(home=tmp_path, reranker="")
    store = CrawlStore(settings.crawl_dir, HOST)
    store.begin()
    store.add_root(ROOT)
    store.add([FoundUrl(f"{ROOT}p{number}", "/*", number) for number in range(5)])
    for _ in range(4):
        item = store.next()
        assert item
        store.settle(item, CrawlOutcome("gone", "http 404", "The page has been taken away.", 404))
    store.close()
    serving = answering.build_serving(settings)
    with TestClient(create_app(settings, serving)) as client:
        yield Client(client, serving)


@pytest.mark.parametrize(
    ("new", "gone", "failed", "now", "says"),
    [
        (3, 0, {}, 0, "3 pages new or changed, 0 gone."),
        (1, 2, {"http 404": 1}, 0, "1 page new or changed, 2 gone. 1 address has never been readable."),
        (
            0,
            0,
            {"http 500": 2, "timeout": 1},
            1,
            "0 gone. 1 page that was read before could not be read now; what was read of it is kept."
            " 2 addresses have never been readable.",
        ),
        (
            0,
            0,
            {"http 500": 2},
            2,
            "2 pages that were read before could not be read now; what was read of",
        ),
    ],
)
def test_a_night_says_what_could_not_be_read(
    new: int, gone: int, failed: dict[str, int], now: int, says: str
) -> None:
    assert says in counted({"fetched": new, "gone": gone, "failed": failed, "failed_now": now})


def test_the_last_crawl_is_told_in_numbers_and_page_by_page(client: Client) -> None:
    [site] = client.get("/crawl")["sites"]
    assert (site["site"], site["urls"], site["ended"]) == (HOST, [ROOT], None)
    assert {one["fate"]: one["pages"] for one in site["fates"]} == {"gone": 4, "queued": 1}
    path = f"/crawl/pages?site={HOST}&fate=gone&reason=http%20404"
    first = client.get(f"{path}&limit=3")
    rest = client.get(f"{path}&limit=3&cursor={first['next']}")
    assert [row["url"] for row in first["pages"] + rest["pages"]] == [f"{ROOT}p{n}" for n in range(4)]
    assert (rest["next"], rest["pages"][0]["says"]) == (None, "The page has been taken away.")
    assert client.get(f"/crawl/pages?site={HOST}&url=p4")["pages"][0]["fate"] == "queued"
    assert client.send("viewer", "GET", "/crawl/pages?site=nowhere").status_code == 404
    assert client.send("viewer", "GET", f"/crawl/pages?site={HOST}&fate=lost").status_code == 400


def test_a_schedule_is_kept_from_where_the_site_was_crawled_and_noted(client: Client) -> None:
    wanted = {"site": HOST, "every": "day", "hour": 4, "zone": "Europe/Paris", "then": "build"}
    assert client.send("editor", "PUT", "/crawl/schedule", wanted).status_code == 403
    kept = client.send("developer", "PUT", "/crawl/schedule", wanted).json()["schedules"]
    assert kept == client.get("/crawl/schedule")["schedules"]
    assert (kept[0]["urls"], kept[0]["zone"], kept[0]["last_at"]) == ([ROOT], "Europe/Paris", None)
    assert kept[0]["next_at"].endswith("+00:00")
    gone = client.send("developer", "PUT", "/crawl/schedule", {"site": HOST, "every": "never"})
    assert gone.json() == {"schedules": []}
    log = client.send("developer", "GET", "/audit?kind=schedule").json()["changes"]
    assert [(row["who"], row["id"], row["after"] is None) for row in log] == [
        ("the developer", HOST, True),
        ("the developer", HOST, False),
    ]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"site": HOST, "every": "hour"}, "every"),
        ({"site": HOST, "hour": 24}, "The hour is 0 to 23"),
        ({"site": HOST, "zone": "Campus"}, "no time zone"),
        ({"site": "www.unknown.example"}, "has never been crawled here"),
        ({"site": HOST, "urls": ["https://elsewhere.example/"]}, "is not on the site"),
        ({"site": HOST, "every": "never"}, "No crawl of"),
    ],
)
def test_what_cannot_be_scheduled_is_one_clear_error(
    client: Client, wrong: dict[str, Any], words: str
) -> None:
    response = client.send("developer", "PUT", "/crawl/schedule", wrong)
    assert response.status_code in (400, 404)
    assert words in response.json()["error"]["message"]
    assert client.get("/crawl/schedule") == {"schedules": []}
    assert client.send("developer", "GET", "/audit?kind=schedule").json()["changes"] == []

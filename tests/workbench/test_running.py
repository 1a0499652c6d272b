"""Commands as jobs, and a whole night's work: a site is crawled, indexed and published by itself."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from server.errors import BadInputError, ConflictError, LodgeError
from server.models.golden import GoldenQuestion
from server.settings import Settings
from server.wiring import serving as answering
from server.workbench.crawls.schedules_store import CrawlSchedule
from server.workbench.crawls.service import STOPPED
from server.workbench.job_store import Job
from server.workbench.jobs import CancelledError, JobProgress
from server.workbench.running import run_command
from tests import small_site

pytestmark = pytest.mark.long

PAGES = {one["url"].removeprefix(small_site.SITE): one["html"] for one in small_site.kept_pages()}


class _College(BaseHTTPRequestHandler):
    """The small college's pages, and a page that leads to them; each waits until the site is open."""

    opened: threading.Event
    visited: threading.Event

    def do_GET(self) -> None:
        page = PAGES.get(self.path) or "".join(f'<a href="{path}">{path}</a>' for path in PAGES)
        known = self.path == "/" or self.path in PAGES
        if known:
            self.visited.set()
            self.opened.wait(60)
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode() if known else b"")

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def college(*, is_open: bool = True) -> Iterator[tuple[str, type[_College]]]:
    """Its address on loopback; closed, it keeps its visitors waiting."""

    class Today(_College):
        opened, visited = threading.Event(), threading.Event()

    if is_open:
        Today.opened.set()
    with ThreadingHTTPServer(("127.0.0.1", 0), Today) as site:
        thread = threading.Thread(target=site.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{site.server_address[1]}", Today
        finally:
            Today.opened.set()
            site.shutdown()
            thread.join()


@contextmanager
def server(settings: Settings, host: str) -> Iterator[answering.Serving]:
    serving = answering.build_serving(replace(settings, crawl_private_hosts=host, crawl_delay_s=0.0))
    try:
        yield serving
    finally:
        serving.close()


def ended(serving: answering.Serving, job: Job) -> Job:
    """The job once it has ended: the worker's queue is empty then."""
    over = threading.Event()
    while serving.jobs.get(job.id).state in ("waiting", "running"):
        over.wait(0.05)
    return serving.jobs.get(job.id)


def test_by_night_a_site_is_crawled_indexed_and_published_by_itself(own_snapshots: Settings) -> None:
    with college() as (host, _), server(own_snapshots, host) as serving:
        live = serving.snapshots.shelf.current_name
        due = CrawlSchedule(host, (f"http://{host}/",), every="day", then="publish")
        serving.crawls.put_schedule(due, by="ada")
        assert serving.crawls.start_due(datetime.now(UTC)) is None
        job = serving.crawls.start_due(datetime.now(UTC) + timedelta(days=1))
        assert job is not None
        job = ended(serving, job)
        assert (job.kind, job.about, job.by, job.state) == ("crawl", host, "schedule", "done")
        assert (job.result["fetched"], job.result["ended"]) == (len(PAGES) + 1, "done")
        name = job.result["snapshot"]
        assert serving.snapshots.shelf.current_name == name != live
        [kept] = serving.crawls.schedules()
        assert kept["last_said"].endswith("It is live.")
        log = [(row.who, (row.after or {}).get("done")) for row in serving.records.audit.changes(limit=9)]
        assert log == [("schedule", "published"), ("schedule", "built"), ("ada", None)]
        [crawl] = serving.crawls.sites()
        assert (crawl["site"], crawl["held"], crawl["ended"] is not None) == (host, len(PAGES) + 1, True)
        fetched = serving.crawls.pages(host, limit=99, after=0, fate="fetched")
        assert {row["url"] for row in fetched} >= {f"http://{host}{path}" for path in PAGES}

        wrong = GoldenQuestion("x", "main", "When is the library open?", ("https://www.elsewhere.example/",))
        serving.records.golden.put(wrong)
        assert serving.crawls.start(host, [], [], by="ada").about == host
        job = serving.crawls.start_due(datetime.now(UTC) + timedelta(days=3))
        assert job is None  # one crawl at a time


def test_a_crawl_that_is_stopped_says_that_it_goes_on_where_it_was(
    own_snapshots: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_to_end, terminate = threading.Event(), subprocess.Popen.terminate

    def ask(process: subprocess.Popen[str]) -> None:
        terminate(process)
        asked_to_end.set()

    monkeypatch.setattr(subprocess.Popen, "terminate", ask)
    with college(is_open=False) as (host, site), server(own_snapshots, host) as serving:
        job = serving.crawls.start(None, [f"http://{host}"], [], by="ada")
        assert site.visited.wait(60)
        with pytest.raises(ConflictError, match="at work already"):
            serving.crawls.start(None, [f"http://{host}"], [], by="bob")
        serving.jobs.cancel(job.id)
        assert asked_to_end.wait(60)  # a crawl that could go on before it is asked may come to its end
        site.opened.set()
        job = ended(serving, job)
        assert (job.state, job.says) == ("cancelled", STOPPED)
        assert [row.who for row in serving.records.audit.changes(limit=9, kind="crawl")] == ["ada"]


@pytest.mark.parametrize(
    ("site", "urls", "words"),
    [
        (None, [], "Say what to crawl"),
        ("www.example.edu", [], "has never been crawled here"),
        (None, ["the library"], "is no address to crawl"),
        (None, ["--help"], "is no address to crawl"),
    ],
)
def test_what_cannot_be_crawled_is_said_at_once(
    own_snapshots: Settings, site: str | None, urls: list[str], words: str
) -> None:
    with server(own_snapshots, "") as serving:
        with pytest.raises(BadInputError, match=words):
            serving.crawls.start(site, urls, [], by="ada")
        assert serving.records.audit.changes(limit=9) == []
        elsewhere = CrawlSchedule("www.example.edu", ("https://www.example.com/",))
        with pytest.raises(BadInputError, match="is not on the site"):
            serving.crawls.put_schedule(elsewhere, by="ada")


def test_a_command_that_fails_says_so_in_its_own_words(own_snapshots: Settings) -> None:
    progress = JobProgress(lambda **_: None)
    with pytest.raises(LodgeError, match="run `lodge crawl URL` first"):
        run_command(own_snapshots, ["index"], progress, lambda _: (0, 0, ""), begins="")


def test_a_job_that_is_cancelled_before_it_begins_runs_nothing(own_snapshots: Settings) -> None:
    progress = JobProgress(lambda **_: None)
    progress._ended.set()
    with pytest.raises(CancelledError):
        run_command(own_snapshots, ["index"], progress, lambda _: (0, 0, ""), begins="")

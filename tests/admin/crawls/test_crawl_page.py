"""The page of crawls over real crawl stores: what the last one did, and having it done by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from server.ingest.crawl.nouns import CrawlOutcome, FoundUrl
from server.ingest.crawl.store import CrawlStore
from server.wiring import serving as answering
from server.workbench.access.auth import Role
from server.workbench.job_store import Job, JobStore
from tests import small_site
from tests.admin.conftest import running
from tests.admin.test_console import console, press, shown
from tests.small_site import SITE

HOST = SITE.removeprefix("https://")


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[answering.Serving]:
    serving = answering.build_serving(small_site.settings_for(tmp_path / "home"))
    yield serving
    serving.close()


@pytest.fixture
def role() -> Role:
    return "developer"


@pytest.fixture(autouse=True)
def office(serving: answering.Serving, role: Role, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with running(serving.records, role, crawls=serving.crawls, jobs=serving.jobs) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        yield


@pytest.fixture
def crawled(serving: answering.Serving) -> None:
    """A crawl that was stopped: a page read, one that failed, one left alone, and two that wait."""
    store = CrawlStore(serving.snapshots.settings.crawl_dir, HOST)
    store.begin()
    store.add_root(SITE + "/")
    store.add([FoundUrl(SITE + path, path, depth) for depth, path in enumerate(("/", "/fees", "/a", "/b"))])
    store.add([FoundUrl(SITE + "/staff", "/staff", 1, skip="robots")])
    for outcome in (CrawlOutcome("fetched"), CrawlOutcome("failed", "timeout", "The answer took too long.")):
        item = store.next()
        assert item
        store.settle(item, outcome)
    store.close()


def page() -> AppTest:
    app = console("crawl")
    assert not app.exception
    return app


def test_before_the_first_crawl_it_says_what_to_do(serving: answering.Serving) -> None:
    app = page()
    assert "Nothing has been crawled yet. Give the site's address below." in shown(app)
    app.text_input[0].input("our web site")
    press(app, "Start crawling")
    assert "is no address to crawl" in shown(app).replace("\\", "")
    assert serving.jobs.all() == []


@pytest.mark.usefixtures("crawled")
def test_every_address_is_told_with_its_reason_and_found_by_it() -> None:
    app = page()
    assert "2 addresses are known and not visited yet" in "\n".join(box.value for box in app.warning)
    [table] = app.dataframe
    told = dict(zip(table.value["Address"], table.value["Why"], strict=True))
    assert told[SITE + "/fees"] == "The answer took too long."
    assert told[SITE + "/staff"] == "robots.txt asks crawlers to stay away."
    [which] = [one for one in app.selectbox if one.label == "Which"]
    left_alone = next(label for label in which.options if label.startswith("Left alone"))
    assert left_alone == "Left alone: robots.txt asks crawlers to stay away. (1)"
    which.set_value(which.options.index(left_alone) - 1).run()  # as all is -1
    assert list(app.dataframe[0].value["Address"]) == [SITE + "/staff"]
    [letters] = [one for one in app.text_input if one.label == "Address contains"]
    letters.input("nothing like it").run()
    assert "No address is like that." in shown(app)


@pytest.mark.usefixtures("crawled")
def test_a_crawl_is_scheduled_and_no_longer(serving: answering.Serving) -> None:
    app = page()
    assert "only when somebody starts it" in shown(app)
    [often] = [one for one in app.selectbox if one.label == "Crawl it"]
    often.set_value("week")
    press(app, "Keep it so")
    [kept] = serving.crawls.schedules()
    assert (kept["site"], kept["urls"], kept["every"]) == (HOST, (SITE + "/",), "week")
    assert "every week on Sunday at 03:00" in shown(app).replace("\\", "")
    [often] = [one for one in app.selectbox if one.label == "Crawl it"]
    often.set_value("never")
    press(app, "Keep it so")
    assert serving.crawls.schedules() == []


@pytest.mark.usefixtures("crawled")
def test_a_crawl_that_was_lost_with_its_server_is_begun_again(serving: answering.Serving) -> None:
    kept, urls = JobStore(serving.records.transactions), ["http://127.0.0.1:1/"]
    given = {"urls": urls, "prefixes": [], "then": None}
    kept.add(Job("1", "crawl", HOST, "ada", "2026-03-01T03:00:00+00:00", arguments=given), "crawl", None)
    kept.give_up("1", kept.heartbeats()["1"])
    app = page()
    assert "The server was stopped while it ran" in "\n".join(box.value for box in app.warning)
    press(app, "Start it again")
    [again, lost] = serving.jobs.all("crawl")
    assert (again.about, again.arguments["urls"], again.by, lost.id) == (HOST, urls, "reader", "1")


@pytest.mark.parametrize("role", ["editor"])
@pytest.mark.usefixtures("crawled")
def test_an_editor_looks_and_starts_nothing() -> None:
    app = page()
    assert not list(app.button)
    assert "Starting a crawl takes a developer." in shown(app)
    assert len(app.dataframe) == 1

"""What the last crawl did, told from a real crawl store."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server.errors import BadInputError, NotFoundError
from server.ingest.crawl.contents import WantedPages, crawled_pages, last_crawl, last_crawls
from server.ingest.crawl.nouns import Copy, CrawlOutcome, FoundUrl
from server.ingest.crawl.store import CrawlStore

SITE = "www.brackwater.example"
ROOT = f"https://{SITE}/"


def copy(*, noindex: bool = False) -> Copy:
    return Copy("text/html", "{}", None, None, b"x", "h", "k", None, noindex, "2026-05-01T10:00:00+00:00")


def begin(folder: Path) -> CrawlStore:
    store = CrawlStore(folder, SITE)
    store.begin()
    store.add_root(ROOT)
    return store


def crawl(store: CrawlStore, **outcomes: tuple[CrawlOutcome, Copy | None]) -> None:
    """Pages by path, each with what became of it."""
    for depth, (path, (outcome, kept)) in enumerate(outcomes.items()):
        store.add([FoundUrl(ROOT + path, "/*", depth, found_on=ROOT)])
        item = store.next()
        assert item is not None
        store.settle(item, outcome, copy=kept)


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    """A finished crawl, in which a page was taken away, and one after it that was stopped."""
    store = begin(tmp_path)
    crawl(store, old=(CrawlOutcome("fetched"), copy()))
    store.finish(mark_gone=True)
    store.begin()
    crawl(
        store,
        fees=(CrawlOutcome("fetched", status=200), copy()),
        private=(CrawlOutcome("fetched", status=200), copy(noindex=True)),
        fine=(CrawlOutcome("unchanged", status=304), None),
        moved=(CrawlOutcome("redirect", None, f"Leads to {ROOT}fees", 301), None),
        broken=(CrawlOutcome("failed", "http 500", "The server answered 500.", 500), None),
    )
    sitemap = FoundUrl(ROOT + "sitemap.xml", "/sitemap.xml", 90, kind="sitemap")
    store.add([sitemap, FoundUrl(ROOT + "deep", "/deep", 99), FoundUrl(ROOT + "no", "/no", 1, skip="robots")])
    store.close()
    return tmp_path


def test_it_is_told_how_many_pages_had_which_fate_and_why(crawled: Path) -> None:
    [last] = last_crawls(crawled)
    assert (last.site, last.urls, last.ended, last.held) == (SITE, (ROOT,), None, 3)
    assert {(one.fate, one.reason): one.pages for one in last.fates} == {
        ("fetched", None): 2,
        ("unchanged", None): 1,
        ("redirect", None): 1,
        ("failed", "http 500"): 1,
        ("queued", None): 1,
        ("skipped", "robots"): 1,
    }
    assert {one.says for one in last.fates} >= {
        "robots.txt asks crawlers to stay away.",
        "Known, and not visited yet.",
        "The server answered 500.",
    }
    assert last.began <= str(last.last_visit)


def test_every_page_has_its_fate_and_reason_a_part_at_a_time(crawled: Path) -> None:
    first = crawled_pages(crawled, SITE, WantedPages(), limit=4)
    rest = crawled_pages(crawled, SITE, WantedPages(), limit=9, after=first[-1].cursor)
    told = {one.url.removeprefix(ROOT): (one.fate, one.says) for one in (*first, *rest)}
    assert (len(first), len(rest)) == (4, 3)
    assert told["private"] == ("fetched", "The page asks not to be indexed.")
    assert told["moved"] == ("redirect", f"Leads to {ROOT}fees")
    assert told["broken"] == ("failed", "The server answered 500.")
    assert told["no"] == ("skipped", "robots.txt asks crawlers to stay away.")
    assert told["deep"][0] == "queued"
    assert first[0].found_on == ROOT
    assert "old" not in told


@pytest.mark.parametrize(
    ("wanted", "paths"),
    [
        (WantedPages(fate="fetched"), ["fees", "private"]),
        (WantedPages(fate="skipped", reason="robots"), ["no"]),
        (WantedPages(url="/f"), ["fees", "fine"]),
        (WantedPages(fate="fetched", url="ee"), ["fees"]),
        (WantedPages(url="%"), []),
    ],
)
def test_they_are_found_by_fate_reason_and_address(
    crawled: Path, wanted: WantedPages, paths: list[str]
) -> None:
    rows = crawled_pages(crawled, SITE, wanted, limit=9)
    assert [row.url.removeprefix(ROOT) for row in rows] == paths


def test_a_crawl_that_ended_says_so_and_what_nothing_leads_to_is_gone(crawled: Path) -> None:
    store = begin(crawled)
    item = store.next()
    while item is not None:
        store.settle(item, CrawlOutcome("fetched"))
        item = store.next()
    store.finish(mark_gone=True)
    store.close()
    last = last_crawl(crawled, SITE)
    assert last.ended is not None
    assert last.seconds >= 0
    [gone] = crawled_pages(crawled, SITE, WantedPages(fate="gone"), limit=9)
    assert (gone.url, gone.says) == (ROOT + "old", "No page or sitemap leads here any more.")


def test_what_is_not_known_is_one_clear_error(crawled: Path) -> None:
    with pytest.raises(NotFoundError, match="never been crawled"):
        crawled_pages(crawled, "../" + SITE, WantedPages(), limit=9)
    with pytest.raises(NotFoundError, match="never been crawled"):
        last_crawl(crawled, "nowhere")
    with pytest.raises(BadInputError, match="There are: fetched, unchanged"):
        crawled_pages(crawled, SITE, WantedPages(fate="lost"), limit=9)


def test_a_store_of_another_version_and_no_store_tell_nothing(crawled: Path) -> None:
    with closing(sqlite3.connect(crawled / f"{SITE}.sqlite")) as db:
        db.execute("PRAGMA user_version = 99")
    assert last_crawls(crawled) == []
    assert last_crawls(crawled / "none") == []

"""Who looks often opens a crawl store only when its file may be another, and misses nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from server.ingest.crawl.contents import LastCrawl, last_crawl_in, last_crawls
from server.ingest.crawl.known_crawls import KnownCrawls
from server.ingest.crawl.nouns import CrawlOutcome
from server.ingest.crawl.store import CrawlStore
from tests.ingest.crawl.test_last import SITE, begin, copy, crawl

FETCHED = CrawlOutcome("fetched")


class Opened:
    """Reads stores as ever, and keeps which."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, path: Path) -> LastCrawl | None:
        self.names.append(path.name)
        return last_crawl_in(path)


@pytest.fixture
def opened() -> Opened:
    return Opened()


def let_settle(folder: Path) -> None:
    """As if nothing had been written for a long time."""
    for number, path in enumerate(folder.iterdir()):
        os.utime(path, (1_700_000_000 + number,) * 2)


def test_a_store_that_nobody_writes_is_opened_once(tmp_path: Path, opened: Opened) -> None:
    store = begin(tmp_path)
    crawl(store, fees=(FETCHED, copy()))
    store.finish(mark_gone=True)
    store.close()
    let_settle(tmp_path)
    known = KnownCrawls(tmp_path, opened)
    looks = [known.latest() for _ in range(3)]
    assert looks == [last_crawls(tmp_path)] * 3
    assert looks[0][0].ended
    assert opened.names == [f"{SITE}.sqlite"]


def test_each_page_of_a_crawl_that_goes_on_is_seen(tmp_path: Path, opened: Opened) -> None:
    """It is in the log beside the store alone, until the crawl ends."""
    store = begin(tmp_path)
    known = KnownCrawls(tmp_path, opened)
    held = []
    for path in ("fees", "aid", "hours"):
        crawl(store, **{path: (FETCHED, copy())})
        let_settle(tmp_path)
        held += [known.latest()[0].held for _ in range(2)]
    assert held == [1, 1, 2, 2, 3, 3]
    assert len(opened.names) == 3
    store.close()


def test_what_was_written_a_moment_ago_is_looked_at_again(tmp_path: Path, opened: Opened) -> None:
    """A second writing within a tick of the file system's clock may leave the same time and size."""
    begin(tmp_path).close()
    known = KnownCrawls(tmp_path, opened)
    known.latest()
    known.latest()
    assert len(opened.names) == 2


def test_of_several_only_the_one_that_changed_is_opened(tmp_path: Path, opened: Opened) -> None:
    other = CrawlStore(tmp_path, "other.example")
    other.begin()
    other.close()
    store = begin(tmp_path)
    let_settle(tmp_path)
    known = KnownCrawls(tmp_path, opened)
    assert len(known.latest()) == 2
    opened.names.clear()
    crawl(store, fees=(FETCHED, copy()))
    store.close()
    assert {one.site: one.held for one in known.latest()} == {SITE: 1, "other.example": 0}
    assert opened.names == [f"{SITE}.sqlite"]
    for path in tmp_path.glob(f"{SITE}*"):
        path.unlink()
    assert [one.site for one in known.latest()] == ["other.example"]

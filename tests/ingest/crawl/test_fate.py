"""What the crawl store tells of one address."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.errors import StorageError
from server.ingest.crawl.contents import is_crawled, url_status
from server.ingest.crawl.nouns import Copy, CrawlOutcome, FoundUrl
from server.ingest.crawl.reading import store_path
from server.ingest.crawl.store import CrawlStore

URL = "http://h/a"
AT = "2026-09-01T10:00:00+00:00"


@pytest.fixture
def store_dir(tmp_path: Path) -> Path:
    """A site with a page that was fetched, one that robots.txt keeps, and one that waits."""
    store = CrawlStore(tmp_path, "h")
    store.begin()
    store.add([FoundUrl(URL, "/a", 1), FoundUrl("http://h/later", "/later", 1)])
    store.add([FoundUrl("http://h/private", "/private", 1, skip="robots")])
    item = store.next()
    assert item is not None
    copy = Copy("text/html", "{}", None, None, b"text", "hash", "key", None, False, AT, "text")
    store.settle(item, CrawlOutcome("fetched", status=200), copy=copy)
    store.close()
    return tmp_path


def test_a_page_that_was_fetched(store_dir: Path) -> None:
    fate = url_status(store_dir, "HTTP://h:80/a#top")
    assert fate is not None
    assert (fate.outcome, fate.status, fate.live, fate.queued) == ("fetched", 200, True, False)
    assert fate.fetched_at == AT


def test_a_page_that_robots_txt_keeps(store_dir: Path) -> None:
    fate = url_status(store_dir, "http://h/private")
    assert fate is not None
    assert (fate.outcome, fate.reason, fate.live) == ("skipped", "robots", False)


def test_a_page_that_waits(store_dir: Path) -> None:
    fate = url_status(store_dir, "http://h/later")
    assert fate is not None
    assert fate.queued


@pytest.mark.parametrize("url", ["http://h/never", "http://elsewhere/a", "no address"])
def test_an_address_that_no_crawl_knows(store_dir: Path, url: str) -> None:
    assert url_status(store_dir, url) is None
    assert is_crawled(store_dir, url) == ("//h/" in url)


def test_a_store_that_cannot_be_read_is_an_error_with_its_name(tmp_path: Path) -> None:
    store_path(tmp_path, "h").write_bytes(b"no database" * 100)
    with pytest.raises(StorageError, match=r"h\.sqlite"):
        url_status(tmp_path, URL)

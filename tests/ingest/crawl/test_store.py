"""The store of one site: the frontier, the outcomes, the copies."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from server.errors import CrawlError, StorageError
from server.ingest.crawl.nouns import Copy, CrawlOutcome, FoundUrl, QueuedUrl
from server.ingest.crawl.reading import store_path
from server.ingest.crawl.store import CrawlStore


def found(path: str, depth: int = 1, **more: str | None) -> FoundUrl:
    return FoundUrl(f"http://h/{path}", f"/{path}", depth, **more)  # type: ignore[arg-type]  # only text is given


def copy(text: str = "words") -> Copy:
    return Copy(
        "text/html", "{}", '"1"', None, text.encode(), text, text, None, False, "2024-01-01T00:00:00+00:00"
    )


def opened(store_dir: Path) -> CrawlStore:
    store = CrawlStore(store_dir, "h")
    store.begin()
    return store


def take(store: CrawlStore) -> QueuedUrl:
    item = store.next()
    assert item is not None
    return item


def finish_with(store_dir: Path, *paths: str) -> None:
    """A whole crawl that fetched these paths."""
    store = opened(store_dir)
    store.add([found(path) for path in paths])
    while (item := store.next()) is not None:
        store.settle(item, CrawlOutcome("fetched"), copy=copy(item.url))
    store.finish(mark_gone=True)
    store.close()


def test_the_frontier_is_breadth_first_and_second_tries_come_last(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add([found("deep", 2), found("b"), found("c"), found("map", -1, kind="sitemap")])
    order = []
    while (item := store.next()) is not None:
        order.append(item.url.removeprefix("http://h/"))
        if order[-1] == "b" and not item.tries:
            store.retry(item, 0.0, "later")
        else:
            store.settle(item, CrawlOutcome("fetched"))
    assert order == ["map", "b", "c", "deep", "b"]
    store.close()


def test_a_url_is_queued_once_in_a_crawl(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add([found("a"), found("a", 5)])
    item = take(store)
    store.settle(item, CrawlOutcome("fetched"), [found("a")], copy())
    assert (item.depth, store.queued()) == (1, 0)
    store.close()


def test_a_link_that_may_be_followed_beats_one_that_may_not(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add([found("a", skip="nofollow"), found("b", skip="trap")])
    store.add([found("a"), found("b")])
    assert take(store).url == "http://h/a"
    assert store.queued() == 1
    store.close()


def test_what_is_on_its_way_when_a_crawl_dies_is_still_queued(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add([found("a")])
    take(store)
    store.close()
    again = CrawlStore(tmp_path, "h")
    assert again.begin()
    assert take(again).url == "http://h/a"
    again.close()


def test_a_new_crawl_asks_again_with_the_validators_of_the_copy(tmp_path: Path) -> None:
    finish_with(tmp_path, "a")
    store = CrawlStore(tmp_path, "h")
    assert not store.begin()
    store.add([found("a")])
    item = take(store)
    assert (item.etag, item.body_hash) == ('"1"', "http://h/a")
    assert store.stored(item) == (b"http://h/a", "{}")
    store.close()


def test_what_nothing_leads_to_any_more_is_gone_within_the_scope(tmp_path: Path) -> None:
    finish_with(tmp_path, "a", "b", "elsewhere")
    store = opened(tmp_path)
    store.add([found("a")])
    store.settle(take(store), CrawlOutcome("unchanged"))
    store.finish(mark_gone=True, covers=lambda url: "elsewhere" not in url)
    assert store.counts("SELECT outcome, count(*) FROM urls GROUP BY 1") == {
        "fetched": 1,
        "gone": 1,
        "unchanged": 1,
    }
    assert store.counts("SELECT url, live FROM urls JOIN copies ON url_id = id") == {
        "http://h/a": 1, "http://h/b": 0, "http://h/elsewhere": 1,
    }  # fmt: skip
    store.close()


@pytest.mark.parametrize(
    ("outcome", "live"),
    [
        (CrawlOutcome("gone", "http 404"), 0),
        (CrawlOutcome("redirect"), 0),
        (CrawlOutcome("skipped", "robots"), 0),
        (CrawlOutcome("failed", "http 503"), 1),
        (CrawlOutcome("unchanged"), 1),
    ],
)
def test_which_outcomes_end_a_copy(outcome: CrawlOutcome, live: int, tmp_path: Path) -> None:
    finish_with(tmp_path, "a")
    store = opened(tmp_path)
    store.add([found("a")])
    store.settle(take(store), outcome)
    assert store.counts("SELECT 'live', live FROM copies") == {"live": live}
    store.close()


def test_closing_a_shape_skips_what_is_queued_of_it(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add([FoundUrl(f"http://h/{day}", "/0", 1) for day in range(3)] + [found("real")])
    store.close_shape("/0")
    assert take(store).url == "http://h/real"
    assert store.counts("SELECT reason, count(*) FROM urls WHERE reason NOT NULL GROUP BY 1") == {"trap": 3}
    store.close()


def test_misses_and_texts_outlive_a_kill_but_not_the_crawl(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add([found("a")])
    store.settle(take(store), CrawlOutcome("fetched"), (), copy("words"), misses=2)
    store.close()
    again = opened(tmp_path)
    assert (again.known_texts(), again.known_misses()) == (["words"], {"/a": 2})
    again.finish(mark_gone=True)
    again.close()
    new = opened(tmp_path)
    assert (new.known_texts(), new.known_misses()) == ([], {})
    new.close()


def test_start_urls_are_remembered(tmp_path: Path) -> None:
    store = opened(tmp_path)
    assert store.add_root("http://h/a") == ("http://h/a",)
    assert store.add_root("http://h/b") == ("http://h/a", "http://h/b")
    store.close()


def test_a_second_crawler_is_kept_away(tmp_path: Path) -> None:
    store = opened(tmp_path)
    with pytest.raises(CrawlError, match="Another crawl"):
        CrawlStore(tmp_path, "h")
    store.close()
    opened(tmp_path).close()


def test_a_failed_transaction_leaves_nothing_half_written(tmp_path: Path) -> None:
    """The disk is full at the links: the outcome before them is not kept either."""
    store = opened(tmp_path)
    store.add([found("a")])
    store._db.execute(f"PRAGMA max_page_count = {store._db.execute('PRAGMA page_count').fetchone()[0] + 3}")
    with pytest.raises(StorageError, match="full"):
        store.settle(take(store), CrawlOutcome("fetched"), [found("x" * n) for n in range(1000)], copy())
    assert (store.queued(), store.has_copies()) == (1, False)
    store.close()


def test_another_version_and_a_file_that_is_no_store_are_clear_errors(tmp_path: Path) -> None:
    path = store_path(tmp_path, "h")
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(StorageError, match=r"h\.sqlite"):
        CrawlStore(tmp_path, "h")
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StorageError, match="version 99"):
        CrawlStore(tmp_path, "h")


def test_file_names_are_safe(tmp_path: Path) -> None:
    assert store_path(tmp_path, "H:8090").name == "h_8090.sqlite"
    assert store_path(tmp_path, "[::1]:80").parent == tmp_path

"""What the crawl store knows of pages after a snapshot was built."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from server.ingest.crawl.nouns import Copy, CrawlOutcome, FoundUrl
from server.ingest.crawl.reading import CrawledChanges, store_path
from server.ingest.crawl.store import CrawlStore

URL = "http://h/a"
READ, LATER, LAST = (f"2026-09-0{day}T10:00:00+00:00" for day in (1, 2, 3))


def copy(text: str, at: str, body: str = "", canonical: str | None = None) -> Copy:
    body = body or text
    return Copy("text/html", "{}", None, None, body.encode(), body, "key", canonical, False, at, text)


def crawled(store_dir: Path, *copies: Copy | CrawlOutcome) -> None:
    """One crawl after another; each finds the page so, or nothing new."""
    for one in copies:
        store = CrawlStore(store_dir, "h")
        store.begin()
        store.add([FoundUrl(URL, "/a", 1)])
        item = store.next()
        assert item is not None
        if isinstance(one, Copy):
            store.settle(item, CrawlOutcome("fetched"), copy=one)
        else:
            store.settle(item, one)
        store.finish(mark_gone=False)
        store.close()


def changed(store_dir: Path, url: str = URL, since: str = READ) -> bool:
    return CrawledChanges(store_dir).changed(url, since)


def test_another_text_is_a_change_until_the_snapshot_has_it(tmp_path: Path) -> None:
    crawled(tmp_path, copy("$90", READ), copy("$95", LATER))
    assert changed(tmp_path)
    assert not changed(tmp_path, since=LATER)


def test_a_change_is_not_forgotten_when_the_next_crawl_finds_nothing_new(tmp_path: Path) -> None:
    crawled(tmp_path, copy("$90", READ), copy("$95", LATER), CrawlOutcome("unchanged"), copy("$95", LAST))
    assert changed(tmp_path)


@pytest.mark.parametrize(
    "again", [CrawlOutcome("unchanged"), CrawlOutcome("failed"), copy("$90", LATER, "other markup")]
)
def test_the_same_text_is_no_change(again: Copy | CrawlOutcome, tmp_path: Path) -> None:
    crawled(tmp_path, copy("$90", READ), again)
    assert not changed(tmp_path)


def test_a_page_that_is_gone_has_changed(tmp_path: Path) -> None:
    crawled(tmp_path, copy("$90", READ), CrawlOutcome("gone"))
    assert changed(tmp_path)


def test_a_page_that_came_back_as_it_was_has_not(tmp_path: Path) -> None:
    crawled(tmp_path, copy("$90", READ), CrawlOutcome("gone"), copy("$90", LAST))
    assert not changed(tmp_path)


def test_a_page_also_goes_by_its_canonical_url(tmp_path: Path) -> None:
    crawled(
        tmp_path, copy("$90", READ, canonical="http://h/fees"), copy("$95", LATER, canonical="http://h/fees")
    )
    assert changed(tmp_path, "http://h/fees")


@pytest.mark.parametrize("url", ["http://h/unknown", "http://elsewhere/a", "http://[", "", "no url"])
def test_of_a_page_it_does_not_know_it_says_nothing(url: str, tmp_path: Path) -> None:
    crawled(tmp_path, copy("$90", READ), copy("$95", LATER))
    assert not changed(tmp_path, url)


def test_a_time_that_is_none_says_nothing(tmp_path: Path) -> None:
    crawled(tmp_path, copy("$90", READ), copy("$95", LATER))
    assert not changed(tmp_path, since="yesterday")
    assert changed(tmp_path, since="2026-09-01")


def test_a_store_of_version_1_is_taken_up_and_knows_of_changes_from_then_on(tmp_path: Path) -> None:
    crawled(tmp_path, copy("$90", READ, "<p>$90"))
    with sqlite3.connect(store_path(tmp_path, "h")) as db:
        db.executescript(
            "DROP INDEX canonical_copies; ALTER TABLE urls DROP COLUMN text_hash;"
            "ALTER TABLE urls DROP COLUMN changed_at; PRAGMA user_version = 1;"
        )
    db.close()
    assert not changed(tmp_path)
    crawled(tmp_path, copy("$90", LATER, "<p>$90"))
    assert not changed(tmp_path)
    crawled(tmp_path, copy("$95", LAST, "<p>$95"))
    assert changed(tmp_path)


def test_a_store_that_is_missing_locked_or_damaged_knows_of_no_change(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert not changed(tmp_path)
    crawled(tmp_path, copy("$90", READ), copy("$95", LATER))
    path = store_path(tmp_path, "h")
    with sqlite3.connect(path, isolation_level=None) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("UPDATE urls SET depth = 1")
        assert not changed(tmp_path)
    db.close()
    assert "could not be looked up" in caplog.text
    assert changed(tmp_path)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:50], b"", b"not a database" * 500):
        path.write_bytes(damaged)
        assert not changed(tmp_path)


def test_a_crawl_that_is_writing_is_not_waited_for(tmp_path: Path) -> None:
    crawled(tmp_path, copy("$90", READ), copy("$95", LATER))
    store = CrawlStore(tmp_path, "h")
    with store._transaction() as db:
        db.execute("UPDATE urls SET depth = 2")
        assert changed(tmp_path)
    store.close()


def test_an_answer_is_kept_for_a_while(tmp_path: Path) -> None:
    now = [0.0]
    changes = CrawledChanges(tmp_path, kept_s=60, clock=lambda: now[0])
    crawled(tmp_path, copy("$90", READ))
    assert not changes.changed(URL, READ)
    crawled(tmp_path, replace(copy("$95", LATER)))
    assert not changes.changed(URL, READ)
    now[0] = 61
    assert changes.changed(URL, READ)

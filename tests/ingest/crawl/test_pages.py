"""What the index gets of the crawl stores."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from server.errors import NotReadyError
from server.ingest.crawl.contents import read_drops, read_leads, read_pages
from server.ingest.crawl.nouns import Copy, CrawlOutcome, FoundUrl
from server.ingest.crawl.store import CrawlStore

COPY = Copy(
    "text/html",
    '{"content-type": "text/html; charset=latin-1"}',
    None,
    None,
    b"<p>",
    "b",
    "t",
    None,
    False,
    "now",
)


def stored(store_dir: Path, **copies: Copy | CrawlOutcome) -> None:
    """A finished crawl with these copies, or outcomes without one, by path."""
    store = CrawlStore(store_dir, "h")
    store.begin()
    store.add(FoundUrl(f"http://h/{path}", path, 1, lastmod="2024-01-01") for path in copies)
    for one in copies.values():
        item = store.next()
        assert item is not None
        if isinstance(one, Copy):
            store.settle(item, CrawlOutcome("fetched", status=200), copy=one)
        else:
            store.settle(item, one)
    store.finish(mark_gone=True)
    store.close()


def copy(**changes: object) -> Copy:
    return dataclasses.replace(COPY, **changes)  # type: ignore[arg-type]  # each test gives the right ones


def urls(store_dir: Path) -> list[str]:
    return [page.url.removeprefix("http://h/") for page in read_pages(store_dir)]


def drops(store_dir: Path) -> dict[str, str]:
    return {drop.url.removeprefix("http://h/"): drop.reason for drop in read_drops(store_dir)}


def test_a_page_as_it_was_received(tmp_path: Path) -> None:
    stored(tmp_path, a=copy(last_modified="Sun, 06 Nov 1994 08:49:37 GMT"), b=copy(last_modified="yesterday"))
    a, b = read_pages(tmp_path)
    assert (a.url, a.body, a.is_html, a.status, a.fetched_at) == ("http://h/a", b"<p>", True, 200, "now")
    assert a.content_type == "text/html; charset=latin-1"
    assert (a.last_modified, b.last_modified) == ("1994-11-06T08:49:37+00:00", "2024-01-01")


def test_a_document_is_no_html(tmp_path: Path) -> None:
    stored(tmp_path, handbook=copy(content_type="application/pdf"))
    assert [page.is_html for page in read_pages(tmp_path)] == [False]


@pytest.mark.parametrize("kind", ["text/plain", "text/csv", "text/tab-separated-values"])
def test_plain_text_is_no_html(tmp_path: Path, kind: str) -> None:
    stored(tmp_path, notes=copy(content_type=kind))
    assert [page.is_html for page in read_pages(tmp_path)] == [False]


def test_what_gives_no_page_is_a_drop_with_a_reason(tmp_path: Path) -> None:
    stored(
        tmp_path,
        hidden=copy(noindex=True),
        photo=copy(content_type="image/png"),
        dead=CrawlOutcome("failed", "http 404", "The server answered 404.", 404),
        secret=CrawlOutcome("skipped", "robots"),
        old=CrawlOutcome("redirect", None, "Leads to http://h/new"),
    )
    assert urls(tmp_path) == []
    assert drops(tmp_path) == {
        "hidden": "noindex", "photo": "type", "dead": "failed", "secret": "robots", "old": "redirect",
    }  # fmt: skip
    assert all(drop.detail for drop in read_drops(tmp_path))


def test_a_page_goes_by_its_canonical_url_once(tmp_path: Path) -> None:
    stored(
        tmp_path,
        print=copy(canonical="http://h/page"),
        page=copy(canonical="http://h/page"),
        shared=copy(canonical="http://h/never-fetched"),
    )
    assert urls(tmp_path) == ["page", "never-fetched"]
    assert drops(tmp_path) == {"print": "canonical", "shared": "canonical"}


def test_addresses_that_lead_to_another_are_told(tmp_path: Path) -> None:
    stored(
        tmp_path,
        page=COPY,
        print=copy(canonical="http://h/page"),
        old=CrawlOutcome("redirect", None, "Leads to http://h/page", 301),
        dead=CrawlOutcome("failed", "http 404", "The server answered 404.", 404),
    )
    assert read_leads(tmp_path) == {"http://h/print": "http://h/page", "http://h/old": "http://h/page"}


def test_a_canonical_url_that_cannot_be_right_is_not_believed(tmp_path: Path) -> None:
    many = {f"p{number}": copy(canonical="http://h/home") for number in range(12)}
    stored(
        tmp_path,
        dead=CrawlOutcome("failed", "http 404"),
        one=copy(canonical="http://h/dead"),
        two=copy(canonical="http://elsewhere/x"),
        home=COPY,
        **many,
    )
    assert sorted(urls(tmp_path)) == sorted(["one", "two", "home", *many])


def test_an_empty_store_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotReadyError, match="lodge crawl"):
        list(read_pages(tmp_path))


def test_a_date_of_a_year_that_no_clock_has_is_none(tmp_path: Path) -> None:
    stored(tmp_path, a=copy(last_modified="Mon, 01 Jan 99999999999999999999 00:00:00 GMT"), b=COPY)
    assert [page.last_modified for page in read_pages(tmp_path)] == ["2024-01-01", "2024-01-01"]

"""One site's walk over a web in memory: order, manners, and what happens when the site is unwell."""

from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from server.ingest.crawl.contents import read_pages
from server.ingest.crawl.fetch import FetchedResponse, Fetcher, FetchFailure
from server.ingest.crawl.nouns import FoundUrl
from server.ingest.crawl.parse import MAX_LINKS
from server.ingest.crawl.site_crawler import MAX_FAILURES_IN_A_ROW, SiteCrawler
from server.ingest.crawl.store import CrawlStore
from tests.ingest.crawl.run_crawl import limits_of

NOT_THERE = FetchFailure("no such host", "The host name could not be resolved.")


Fetched = FetchedResponse | FetchFailure


class Web(Fetcher):
    """Replies by path, with 304 to its own ETag; anything else is a 404. A list is answered in its order."""

    def __init__(self, **pages: Fetched | list[Fetched]) -> None:
        self.pages = {f"/{name}": page for name, page in pages.items()}
        self.asked: list[str] = []
        self.times: list[float] = []
        self.conditions: dict[str, list[str | None]] = {}

    async def get(
        self, url: str, max_bytes: int, headers: Mapping[str, str] | None = None, *, pages_only: bool = True
    ) -> Fetched:
        path = url.removeprefix("http://h")
        self.asked.append(path)
        self.times.append(time.monotonic())
        page = self.pages.get(path, FetchedResponse(url, 404, {}, b""))
        if isinstance(page, list):
            page = page.pop(0)
        if isinstance(page, FetchFailure):
            return page
        condition = (headers or {}).get("If-None-Match")
        self.conditions.setdefault(path, []).append(condition)
        if condition and condition == page.headers.get("etag"):
            return FetchedResponse(url, 304, {}, b"")
        return dataclasses.replace(page, url=url)


def html(*links: str, text: str = "", status: int = 200, **headers: str) -> FetchedResponse:
    body = text + "".join(f'<a href="/{link}">{link}</a>' for link in links)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return FetchedResponse("", status, {"content-type": "text/html"} | named, body.encode())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CrawlStore]:
    store = CrawlStore(tmp_path, "h")
    store.begin()
    yield store
    store.close()


def walk_over(web: Web, store: CrawlStore, **limits: Any) -> SiteCrawler:
    walk = SiteCrawler(store, "http://h/", limits_of(**limits), lambda one: store.add([one]))
    store.add([FoundUrl("http://h/a", "/a", 0)])

    async def run() -> None:
        while await walk.step(web):
            pass

    asyncio.run(run())
    return walk


def outcomes(store: CrawlStore) -> dict[str, Any]:
    query = "SELECT substr(url, 10), coalesce(reason, outcome) FROM urls WHERE kind = 'page'"
    return dict(store.counts(query))


def test_a_clock_that_was_put_back_holds_no_page_up(store: CrawlStore) -> None:
    """What an earlier run put off is put off by the clock of then."""
    store.add([FoundUrl("http://h/b", "/b", 0)])
    item = store.next()
    assert item is not None
    store.retry(item, time.time() + 1e8, "later")
    web = Web(a=html(), b=html(text="b"))
    walk_over(web, store)
    assert outcomes(store)["b"] == "fetched"


def test_robots_first_then_sitemaps_then_pages(store: CrawlStore) -> None:
    web = Web(
        **{
            "robots.txt": FetchedResponse("", 200, {}, b"Sitemap: /map.xml"),
            "a": html("b"),
            "b": html(text="b"),
        }
    )
    walk_over(web, store)
    assert web.asked == ["/robots.txt", "/map.xml", "/sitemap.xml", "/a", "/b"]


@pytest.mark.parametrize("unread", [html(status=503, retry_after="0"), NOT_THERE])
def test_without_an_answer_about_robots_nothing_else_is_asked(
    unread: FetchedResponse | FetchFailure, store: CrawlStore
) -> None:
    web = Web(**{"robots.txt": unread})
    walk = walk_over(web, store, retries=1)
    assert web.asked == ["/robots.txt"] * 2
    assert walk.trouble is not None
    assert "robots.txt" in walk.trouble


def test_robots_txt_may_redirect(store: CrawlStore) -> None:
    web = Web(
        **{
            "robots.txt": html(status=301, location="/r"),
            "r": FetchedResponse("", 200, {}, b"User-agent: *\nDisallow: /a"),
        }
    )
    walk_over(web, store)
    assert outcomes(store) == {"a": "robots"}


def test_the_pace_is_the_delay_and_never_under_crawl_delay(store: CrawlStore) -> None:
    robots = FetchedResponse("", 200, {}, b"User-agent: *\nCrawl-delay: 0.1")
    web = Web(**{"robots.txt": robots, "a": html("b"), "b": html("c", text="b"), "c": html(text="c")})
    walk_over(web, store, delay_s=0.01)
    gaps = [later - sooner for sooner, later in zip(web.times[1:], web.times[2:], strict=False)]
    assert min(gaps) >= 0.1


def test_retry_after_is_honoured(store: CrawlStore) -> None:
    web = Web(a=[html(status=503, retry_after="1"), html(text="well")])
    walk_over(web, store)
    assert web.times[-1] - web.times[-2] >= 1.0
    assert outcomes(store) == {"a": "fetched"}


@pytest.mark.parametrize("asked", ["²", "-1", "Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "soon"])
def test_a_retry_after_that_is_none_is_passed_over(asked: str, store: CrawlStore) -> None:
    walk_over(Web(a=[html(status=503, retry_after=asked), html(text="well")]), store)
    assert outcomes(store) == {"a": "fetched"}


def test_a_page_that_keeps_failing_is_given_up_after_its_retries(store: CrawlStore) -> None:
    web = Web(a=html(status=500, retry_after="0"))
    walk_over(web, store, retries=2)
    assert web.asked.count("/a") == 3
    assert outcomes(store) == {"a": "http 500"}


def test_a_site_that_fails_again_and_again_is_given_up_with_its_queue_kept(store: CrawlStore) -> None:
    names = [f"p{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    broken = {name: html(status=500, retry_after="0") for name in names}
    walk = walk_over(Web(a=html(*names), **broken), store, retries=0)
    assert walk.trouble == f"h was given up after {MAX_FAILURES_IN_A_ROW} failures in a row."
    assert store.queued() == len(names) - MAX_FAILURES_IN_A_ROW


def test_a_page_that_fails_on_an_update_still_leads_to_its_links(store: CrawlStore) -> None:
    web = Web(a=html("b"), b=html(text="b"))
    walk_over(web, store)
    store.finish(mark_gone=True)
    store.begin()
    web.pages["/a"] = FetchFailure("timeout", "The answer took too long.", may_pass=False)
    walk_over(web, store)
    store.finish(mark_gone=True)
    assert outcomes(store) == {"a": "timeout", "b": "unchanged"}


UNREADABLE = FetchedResponse("", 200, {"content-type": "text/html"}, None)  # type: ignore[arg-type]  # raises whoever reads it


def test_a_page_that_raises_has_failed_and_the_crawl_goes_on(store: CrawlStore) -> None:
    web = Web(**{"a": html("b", "c"), "b": UNREADABLE, "c": html(text="c"), "sitemap.xml": UNREADABLE})
    assert walk_over(web, store).trouble is None
    assert outcomes(store) == {"a": "fetched", "b": "unreadable", "c": "fetched"}
    assert (store.first_failure() or "").startswith("http://h/b: The page could not be read: TypeError: ")


def test_a_page_that_raises_on_an_update_still_leads_to_its_links(store: CrawlStore) -> None:
    web = Web(a=html("b"), b=html(text="b"))
    walk_over(web, store)
    store.finish(mark_gone=True)
    store.begin()
    web.pages["/a"] = UNREADABLE
    walk_over(web, store)
    store.finish(mark_gone=True)
    assert outcomes(store) == {"a": "unreadable", "b": "unchanged"}


def test_a_damaged_copy_that_the_site_calls_unchanged_is_fetched_whole_by_the_next_update(
    store: CrawlStore,
) -> None:
    web = Web(a=html("b", etag='"1"'), b=html(text="b"))
    walk_over(web, store)
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE copies SET body = substr(body, 5) WHERE etag NOT NULL")
    db.close()
    for expected in ("unreadable", "unchanged"):
        store.finish(mark_gone=False)
        store.begin()
        walk_over(web, store)
        assert outcomes(store)["a"] == expected
    assert web.conditions["/a"] == [None, '"1"', None]
    pages = read_pages(store.path.parent)
    assert {page.url for page in pages} == {"http://h/a", "http://h/b"}


def test_a_robots_txt_that_raises_ends_the_site_alone(store: CrawlStore) -> None:
    web = Web(**{"robots.txt": UNREADABLE})
    walk = walk_over(web, store)
    assert web.asked == ["/robots.txt"]
    assert "robots.txt could not be read" in (walk.trouble or "")


def test_nofollow_is_respected_until_another_page_links_there(store: CrawlStore) -> None:
    web = Web(
        a=html("b", "c", text="<a rel=nofollow href=/d>d</a>"),
        b=html("c", "e", text="b", x_robots_tag="nofollow"),
    )
    walk_over(web, store)
    assert outcomes(store) == {
        "a": "fetched",
        "b": "fetched",
        "c": "http 404",
        "d": "nofollow",
        "e": "nofollow",
    }


def test_depth_is_limited(store: CrawlStore) -> None:
    walk_over(Web(a=html("b"), b=html("c", text="b"), c=html(text="c")), store, max_depth=1)
    assert outcomes(store) == {"a": "fetched", "b": "fetched", "c": "depth"}


def test_a_page_of_too_many_links_is_read_and_counted(store: CrawlStore) -> None:
    names = [f"elsewhere{number}" for number in range(MAX_LINKS + 1)]
    walk_over(Web(a=html(*names)), store, prefixes=["/a"])
    assert (store.cuts(), len(outcomes(store))) == ({"links": 1}, MAX_LINKS + 1)


def test_a_site_of_more_addresses_than_are_taken_keeps_to_them(tmp_path: Path) -> None:
    """What was left may be all that leads to a page: none is taken for unlinked then."""
    store = CrawlStore(tmp_path, "h", max_urls=4)
    store.begin()
    web = Web(a=html("b", "c"), b=html("a", "c", text="b"), c=html("d", "e", "f", text="c"))
    walk_over(web, store)
    assert (set(outcomes(store)), store.cuts()) == (set("abcd"), {"frontier": 1})
    store.close()
    again = CrawlStore(tmp_path, "h", max_urls=4)
    again.begin()
    again.add([FoundUrl("http://h/a", "/a", 0), FoundUrl("http://h/e", "/e", 0)])
    assert (set(outcomes(again)), again.cuts()) == (set("abcd"), {"frontier": 1})
    again.close()


def test_very_long_and_repeating_urls_are_traps(store: CrawlStore) -> None:
    walk_over(Web(a=html("x" * 2001, "l/m/l/m/l/m")), store)
    assert sorted(outcomes(store).values()) == ["fetched", "trap", "trap"]


def test_links_to_other_sites_are_handed_over(store: CrawlStore) -> None:
    handed: list[str] = []
    walk = SiteCrawler(store, "http://h/", limits_of(), lambda one: handed.append(one.url))
    store.add([FoundUrl("http://h/a", "/a", 0)])

    async def run() -> None:
        web = Web(a=html(text='<a href="http://other/">'))
        while await walk.step(web):
            pass

    asyncio.run(run())
    assert "http://other/" in handed
    assert outcomes(store) == {"a": "fetched"}

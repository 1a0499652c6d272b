"""Single requests that go wrong, each a reason in the report while the crawl goes on."""

from __future__ import annotations

import gzip
from pathlib import Path

from server.ingest.crawling.fetch import Reply
from server.ingest.crawling.pages import read_pages
from tests.ingest.crawling.loopback import HTML, Page, links, run_crawl, serving


def test_a_gzip_bomb_and_a_page_of_50_mb_are_given_up(tmp_path: Path) -> None:
    bomb = gzip.compress(b"<p>" + b"a" * 20_000_000)
    pages = {
        "/": links("/bomb", "/huge", "/packed"),
        "/bomb": Page(bomb, headers=HTML | {"Content-Encoding": "gzip"}),
        "/huge": Page(b"b" * 50_000_000),
        "/packed": Page(gzip.compress(b"<p>small</p>"), headers=HTML | {"Content-Encoding": "gzip"}),
    }
    with serving(pages) as site:
        report = run_crawl(site, tmp_path)
    assert report["skipped"] == {"size": 2}
    assert report["fetched"] == 2
    assert [page.body for page in read_pages(tmp_path) if page.url.endswith("/packed")] == [b"<p>small</p>"]


def test_a_slow_page_times_out_and_damaged_ones_fail(tmp_path: Path) -> None:
    pages = {
        "/": links("/slow", "/damaged", "/short", "/fine"),
        "/slow": Page("late", slow_s=1.5),
        "/damaged": Page(b"no gzip", headers=HTML | {"Content-Encoding": "gzip"}),
        "/short": Page("cut", headers=HTML | {"Transfer-Encoding": "chunked"}),
        "/fine": links(text="fine"),
    }
    with serving(pages) as site:
        report = run_crawl(site, tmp_path, timeout_s=0.5, retries=0)
    assert report["failed"].pop("timeout") >= 1
    assert sum(report["failed"].values()) >= 1
    assert report["fetched"] == 2


def test_a_page_that_fails_at_first_is_tried_again(tmp_path: Path) -> None:
    answers = iter(
        [Page("", 503, {"Retry-After": "0"}), Page("", 503, {"Retry-After": "0"}), links(text="well")]
    )
    pages = {"/": links("/shaky"), "/robots.txt": Page("", 404), "/sitemap.xml": Page("", 404)}
    with serving(pages, lambda _: next(answers)) as site:
        report = run_crawl(site, tmp_path, retries=2)
    assert (report["fetched"], report["failed"]) == (2, {})


def test_reply_reads_its_content_type() -> None:
    reply = Reply("http://h/", 200, {"content-type": 'Text/HTML; charset="Latin-1"'}, b"")
    assert (reply.content_type, reply.charset) == ("text/html", "Latin-1")
    assert Reply("http://h/", 200, {}, b"").charset is None

"""Calendars and feeds that pages link to: fetched within the site's rules, kept, and not without end."""

from __future__ import annotations

from pathlib import Path

from server.ingest.crawl.contents import read_drops, read_pages
from server.ingest.crawl.feed_links import MOST_FEEDS, FeedWatch, item_links
from server.ingest.crawl.parse import read_facts
from tests.ingest.calendar_text import ADD_DROP, calendar
from tests.ingest.crawl.loopback import Page, links, run_crawl, serving

HEAD = """<link rel=alternate type="application/rss+xml" title="News" href="/feed">
<link rel=alternate type="application/rss+xml" title="A page Comments Feed" href="/a/feed">"""
FEED = "<?xml version='1.0'?><rss><channel><item><link>/news/1</link></item></channel></rss>"


def test_feeds_are_told_from_pages() -> None:
    page = f"""<html><head>{HEAD}<link rel=alternate type=text/html href=/print></head><body>
    <a href="webcal://h/a.ics">a</a><a href="/b.ics?x=1">b</a><a type="text/calendar" href="/c">c</a>
    <a href="/d.ics" rel=nofollow>d</a><a href="/e">e</a></body></html>"""
    facts = read_facts(page.encode(), "https://h/")
    assert facts.feeds == ("https://h/feed", "https://h/a.ics", "https://h/b.ics?x=1", "https://h/c")
    assert (facts.links, facts.unfollowed) == (("https://h/e",), ("https://h/d.ics",))


def test_the_items_of_a_feed_are_links() -> None:
    atom = b'<feed xmlns="http://www.w3.org/2005/Atom"><link href="/self"/><entry><link href="/x"/>'
    assert item_links(atom, "http://h/feed") == ("http://h/x",)
    assert item_links(b"no feed", "http://h/feed") == ()


def test_a_site_s_feeds_are_counted() -> None:
    watch = FeedWatch("h")
    taken = [watch.why_not(f"http://h/{i}.ics") for i in range(MOST_FEEDS + 1)]
    assert taken == [None] * MOST_FEEDS + ["feeds"]
    assert watch.takes("http://h/0.ics", "text/calendar")
    assert not watch.takes("http://h/further", "text/calendar")
    assert watch.takes("http://h/further", "text/html")
    assert watch.why_not("http://other/x.ics") is None


def test_linked_calendars_and_feeds_are_kept(tmp_path: Path) -> None:
    xml, ics = {"Content-Type": "text/xml"}, {"Content-Type": "text/calendar"}
    pages = {
        "/robots.txt": Page("User-agent: *\nDisallow: /no", headers={"Content-Type": "text/plain"}),
        "/": links("/terms.ics", "/no.ics", "/false.ics", "/huge.ics", "/data.xml", head=HEAD),
        "/terms.ics": Page(calendar(ADD_DROP), headers=ics),
        "/no.ics": Page(calendar(ADD_DROP), headers=ics),
        "/false.ics": Page("<html>log in first</html>", headers=ics),
        "/huge.ics": Page(calendar(*[ADD_DROP] * 3_000), headers=ics),
        "/data.xml": Page("<data><row/></data>", headers=xml),
        "/feed": Page(FEED, headers=xml),
        "/news/1": links(text="only the feed leads here"),
    }
    with serving(pages) as site:
        report = run_crawl(site, tmp_path)
        kept = {page.url.removeprefix(site.url): page for page in read_pages(tmp_path)}
        reasons = {drop.url.removeprefix(site.url): drop.reason for drop in read_drops(tmp_path)}
    assert set(kept) == {"/", "/terms.ics", "/feed", "/news/1"}
    assert not kept["/terms.ics"].is_html
    assert reasons == {"/no.ics": "robots", "/false.ics": "type", "/huge.ics": "size", "/data.xml": "type"}
    assert "/a/feed" not in site.paths
    assert report["by_type"] == {"text/html": 2, "text/calendar": 1, "application/rss+xml": 1}

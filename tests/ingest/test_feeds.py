"""Calendars and feeds among the crawled pages, as pages that go the way of any other."""

from __future__ import annotations

from datetime import date

from server.ingest.academic_calendar import with_calendar
from server.ingest.chunk import ChunkSize, chunk
from server.ingest.deadlines import with_deadlines
from server.ingest.extract.extract import extract
from server.ingest.feeds import FeedClock, with_feeds
from server.models import Drop, SourcePage
from tests.ingest.calendar_text import ADD_DROP, calendar, event

SITE = "https://h.example"
CLOCK = FeedClock(date(2026, 11, 23), "America/New_York", {"west.example": "America/Los_Angeles"})
RSS = "<rss><channel><title>News</title>{}</channel></rss>"
ITEM = """<item><title>{0}</title><link>{1}</link><pubDate>Tue, 3 Nov 2026 09:00:00 GMT</pubDate>
<description>{2}</description></item>"""


def feed(path: str, body: bytes | str, kind: str) -> SourcePage:
    given = body.encode() if isinstance(body, str) else body
    return SourcePage(SITE + path, given, is_html=False, content_type=kind)


def made(
    *pages: SourcePage, leads: dict[str, str] | None = None, left_out: tuple[Drop, ...] = ()
) -> tuple[dict[str, SourcePage], list[Drop]]:
    drops: list[Drop] = []
    found = with_feeds(pages, CLOCK, lambda: leads or {}, lambda: left_out, drops.append)
    return {page.url: page for page in found}, drops


def test_a_calendar_is_a_page_with_lines_and_deadlines() -> None:
    recess = event("SUMMARY:Thanksgiving recess", "DTSTART;VALUE=DATE:20261125", "DTEND;VALUE=DATE:20261128")
    pages, _ = made(feed("/cal.ics", calendar(ADD_DROP, recess), "text/calendar; charset=utf-8"))
    document = with_calendar(extract(pages[f"{SITE}/cal.ics"]), [])
    assert document.title == "Academic Calendar"
    assert document.sections[0].heading_path == ("Academic Calendar", "Events")
    assert [entry.name for entry in document.calendar] == ["Thanksgiving recess"]
    (deadline,) = with_deadlines(document, chunk(document, ChunkSize(min_words=1))).deadlines
    assert (deadline.day, deadline.line) == (
        date(2026, 9, 11),
        "Add/drop ends: Friday, September 11, 2026",
    )


def test_a_calendar_without_a_name_is_called_as_its_file_and_read_by_its_site_s_clock() -> None:
    body = calendar(event("SUMMARY:Fair", "DTSTART:20261014T170000Z"), head=())
    west = SourcePage("https://west.example/job_fairs.ics", body, is_html=False, content_type="text/plain")
    pages, _ = made(west)
    document = extract(pages[west.url])
    assert (document.title, "10 a.m." in document.text) == ("job fairs", True)


def test_an_item_goes_by_its_own_address_unless_its_page_was_crawled_or_may_not_be() -> None:
    told = [
        ITEM.format(name, SITE + path, "What is new in every word.")
        for name, path in (
            *(("Alone", "/news/alone?utm_source=rss"), ("Crawled", "/news/crawled")),
            *(("Moved", "/news/moved"), ("Hidden", "/news/hidden")),
        )
    ]
    told.append(ITEM.format("Elsewhere", "https://other.example/x", "Off the site."))
    pages, _ = made(
        feed("/feed", RSS.format("".join(told)), "text/xml"),
        SourcePage(f"{SITE}/news/crawled", "<p>whole</p>"),
        leads={f"{SITE}/news/moved": f"{SITE}/news/crawled"},
        left_out=(Drop(f"{SITE}/news/hidden", "noindex", ""),),
    )
    assert set(pages) == {f"{SITE}/news/crawled", f"{SITE}/news/alone", f"{SITE}/feed"}
    alone, rest = extract(pages[f"{SITE}/news/alone"]), extract(pages[f"{SITE}/feed"])
    assert (alone.title, alone.published) == ("Alone", "2026-11-03")
    assert "Published: November 3, 2026" in alone.text
    assert "What is new in every word." in alone.text
    assert "Off the site." in rest.text


def test_what_cannot_be_read_is_left_out_with_its_reason() -> None:
    pages, drops = made(
        feed("/cut.ics", b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT", "text/calendar"),
        feed("/feed", RSS.format(""), "application/rss+xml"),
        SourcePage(f"{SITE}/", "<p>a page</p>"),
    )
    assert list(pages) == [f"{SITE}/"]
    assert [(drop.url.removeprefix(SITE), drop.reason) for drop in drops] == [
        ("/cut.ics", "damaged"),
        ("/feed", "empty_feed"),
    ]

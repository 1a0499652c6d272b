"""Calendars and feeds among the crawled pages, as pages: a calendar is one, and so is each item of a feed.

An item goes by its own address where that is on a crawled site, so that a citation of it leads there. One
whose page was crawled is left out: the page says it itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from html import escape
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

from server.ingest.crawl.urls import normalise, site_of
from server.ingest.documents.failures import UnreadableDocumentError
from server.ingest.documents.read import CALENDAR, converted, feed_type
from server.ingest.extract.structured import date_words
from server.models import Drop, SourcePage

_REFUSED = frozenset(("noindex", "robots", "gone", "nofollow"))


@dataclass(frozen=True, slots=True)
class FeedClock:
    """Which day it is and by whose clock: `zones` are IANA names by site, `zone` is everyone else's.

    `today` is None where the real day counts; an empty zone is the calendar's own, or this machine's.
    """

    today: date | None = None
    zone: str = ""
    zones: Mapping[str, str] = field(default_factory=dict)

    def of(self, url: str) -> tuple[str, str]:
        """The day (ISO 8601) and the zone where an address is."""
        zone = self.zones.get(site_of(url), self.zone)
        today = self.today or datetime.now(ZoneInfo(zone) if zone else None).date()
        return today.isoformat(), zone


@dataclass(frozen=True, slots=True)
class _SiteItem:
    """An item of a feed; `address` is normalised, "" where it has none on a crawled site."""

    title: str
    address: str
    day: str
    summary: str


def with_feeds(
    pages: Iterable[SourcePage],
    clock: FeedClock,
    leads: Callable[[], Mapping[str, str]],
    left_out: Callable[[], Iterable[Drop]],
    on_unreadable: Callable[[Drop], None],
) -> Iterator[SourcePage]:
    """The pages, then those that calendars and feeds among them come to.

    `leads` and `left_out` tell which addresses lead to another, and which give no page; both are asked after
    the last page.
    """
    known: set[str] = set()
    feeds: list[tuple[str, SourcePage]] = []
    for page in pages:
        if kind := _feed_type(page):
            feeds.append((kind, page))
        else:
            known.add(page.url)
            yield page
    if not feeds:
        return
    known |= {one.url for one in left_out() if one.reason in _REFUSED}
    known |= {url for url, target in leads().items() if target in known}
    sites = {site_of(url) for url in known} | {site_of(page.url) for _, page in feeds}
    for kind, page in feeds:
        try:
            made = _calendar(page, clock) if kind == CALENDAR else _items(page, kind, known, sites)
        except UnreadableDocumentError as error:
            on_unreadable(Drop(page.url, error.reason, error.message))
            continue
        yield from made


def _feed_type(page: SourcePage) -> str | None:
    is_file = isinstance(page.body, bytes) and not page.is_html
    return feed_type(page.body, page.content_type) if is_file and isinstance(page.body, bytes) else None


def _calendar(page: SourcePage, clock: FeedClock) -> list[SourcePage]:
    html = converted(_bytes(page), CALENDAR, *clock.of(page.url))
    return [_page(page, page.url, html, None if "<h1>" in html else _name_in(page.url))]


def _name_in(url: str) -> str:
    """`/calendars/add-drop_dates.ics` → "add drop dates"."""
    name = unquote(urlsplit(url).path).rstrip("/").rsplit("/", 1)[-1].removesuffix(".ics")
    return " ".join(re.split(r"[\s_+-]+", name)).strip() or site_of(url)


def _items(page: SourcePage, kind: str, known: set[str], sites: set[str]) -> list[SourcePage]:
    """A page for each item of the site that has none yet, and one of the others; `known` grows."""
    told = json.loads(converted(_bytes(page), kind))
    items = [_item(one, page.url, sites) for one in told["items"]]
    made: list[SourcePage] = []
    for item in items:
        if item.address and item.address not in known:
            known.add(item.address)
            made.append(_page(page, item.address, _item_html(item, "h1"), item.title))
    others = "".join(_item_html(item, "h2") for item in items if not item.address)
    title = told["title"] or _name_in(page.url)
    return [*made, _page(page, page.url, f"<h1>{escape(title)}</h1>{others}", title)] if others else made


def _item(one: Mapping[str, str], base: str, sites: set[str]) -> _SiteItem:
    address = normalise(one["link"], base) if one["link"] else None
    own = address if address and site_of(address) in sites else ""
    return _SiteItem(one["title"], own, one["day"], one["summary"])


def _item_html(item: _SiteItem, heading: str) -> str:
    day = date.fromisoformat(item.day) if item.day else None
    written = f'<p>Published: <time datetime="{day}">{date_words(day)}</time></p>' if day else ""
    dated = f'<meta property="article:published_time" content="{day}">' if day and heading == "h1" else ""
    return (
        f"{dated}<{heading}>{escape(item.title)}</{heading}>{written}"
        f"<p>{escape(item.summary or item.title)}</p>"
    )


def _page(page: SourcePage, url: str, html: str, title: str | None) -> SourcePage:
    return SourcePage(
        url, html, title=title, content_type="text/html", last_modified=page.last_modified,
        fetched_at=page.fetched_at,
    )  # fmt: skip


def _bytes(page: SourcePage) -> bytes:
    return page.body if isinstance(page.body, bytes) else page.body.encode()

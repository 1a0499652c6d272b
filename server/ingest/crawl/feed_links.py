"""Calendars and feeds that pages link to: which links are such, how many are taken, where feeds lead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import ClassVar
from urllib.parse import urlsplit

from lxml import etree, html

from server.ingest.crawl.urls import normalise, site_of
from server.ingest.documents.feed_file import MOST_ITEMS, feed_root
from server.ingest.documents.read import FEEDS

# Some systems give every page a feed of its own: those nearest to the start are taken.
MOST_FEEDS = 50
_TAKEN = f"""
SELECT url, 1 FROM urls JOIN copies ON url_id = id
WHERE crawl = :crawl AND live AND content_type IN {FEEDS}
"""  # noqa: S608  (constants only)
_ENDING = re.compile(r"\.ics$", re.IGNORECASE)
_WEBCAL = re.compile(r"webcals?:", re.IGNORECASE)
_COMMENTS = re.compile(r"\bcomments?\b|\bcomentarios?\b", re.IGNORECASE)


def feed_href(tag: html.HtmlElement, base: str) -> str | None:
    """Where a link leads, if that is a calendar or feed; `webcal:` has the page's own scheme for it.

    What visitors comment is not what the site says: its feed is left alone.
    """
    href = (tag.get("href") or "").strip()
    kind = (tag.get("type") or "").partition(";")[0].strip().lower()
    if _WEBCAL.match(href):
        return _WEBCAL.sub(f"{urlsplit(base).scheme}:", href)
    if tag.tag == "link":
        is_feed = kind in FEEDS and "alternate" in (tag.get("rel") or "").lower().split()
        return href if href and is_feed and not _COMMENTS.search(f"{tag.get('title')} {href}") else None
    return href if href and (kind in FEEDS or _ENDING.search(href.partition("?")[0])) else None


def item_links(body: bytes, url: str) -> tuple[str, ...]:
    """The addresses of a feed's items, in its order; a broken feed ends where it breaks."""
    return tuple(dict.fromkeys(islice(_links(body, url), MOST_ITEMS)))


def _links(body: bytes, url: str) -> Iterator[str]:
    root = feed_root(body)
    for link in root.iter("{*}link") if root is not None else ():
        parent = link.getparent()
        if parent is None or etree.QName(parent).localname not in ("item", "entry"):
            continue
        if link.get("rel", "alternate") == "alternate":
            address = normalise((link.get("href") or link.text or "").strip(), url)
            if address:
                yield address


@dataclass(slots=True)
class FeedWatch:
    """The calendars and feeds of one site that a crawl has taken, or is going to take."""

    TAKEN: ClassVar[str] = _TAKEN

    site: str
    known: set[str] = field(default_factory=set)

    def takes(self, url: str, content_type: str) -> bool:
        """Whether what came from an address is taken: a page always is."""
        return content_type not in FEEDS or self.why_not(url) is None

    def why_not(self, url: str) -> str | None:
        """The reason why a feed is not fetched; None where it is, or where it is another site's matter."""
        if site_of(url) != self.site or url in self.known:
            return None
        if len(self.known) >= MOST_FEEDS:
            return "feeds"
        self.known.add(url)
        return None

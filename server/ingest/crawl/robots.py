"""A site's robots.txt (read by Protego) and its sitemaps."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from lxml import etree
from protego import Protego

from server.ingest.crawl.urls import normalise

MAX_CRAWL_DELAY_S = 60.0
MAX_SITEMAP_BYTES, MAX_SITEMAP_ENTRIES = 50_000_000, 50_000  # as sitemaps.org has them
_LOST = (OSError, EOFError, etree.LxmlError)


class RobotsRules:
    """What robots.txt asks of us. Without one, or with a garbled one, everything is allowed (RFC 9309)."""

    def __init__(self, body: bytes, agent: str) -> None:
        self._rules = Protego.parse(body.decode("utf-8-sig", "ignore"))
        self._agent = agent
        asked = float(self._rules.crawl_delay(agent) or 0.0)
        # Crawl-delay in seconds, 0 when none is asked for; one longer than a minute counts as a minute.
        self.delay_s = min(asked, MAX_CRAWL_DELAY_S)

    def allows(self, url: str) -> bool:
        """Whether the URL may be fetched."""
        return bool(self._rules.can_fetch(url, self._agent))

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps it names, as they are written there."""
        return tuple(self._rules.sitemaps)


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page, or another sitemap, that a sitemap lists; `lastmod` is the site's word, ISO 8601."""

    url: str
    lastmod: str | None
    is_sitemap: bool


def read_sitemap(body: bytes, url: str) -> Iterator[SitemapEntry]:
    """The entries of a sitemap or sitemap index, plain or gzipped; a broken one ends where it breaks.

    So does one with more entries than a sitemap may have: a small file can unpack to millions.
    """
    return islice(_entries(body, url), MAX_SITEMAP_ENTRIES)


def _entries(body: bytes, url: str) -> Iterator[SitemapEntry]:
    try:
        xml = _unpacked(body)
        for _, tag in etree.iterparse(io.BytesIO(xml), events=("end",), recover=True, resolve_entities=False):
            entry = _entry(tag, url)
            if entry is not None:
                yield entry
                tag.clear()
    except _LOST:
        return


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body
    with gzip.open(io.BytesIO(body)) as file:
        return file.read(MAX_SITEMAP_BYTES)


def _entry(tag: etree._Element, base: str) -> SitemapEntry | None:
    kind = _local_name(tag)
    if kind not in ("url", "sitemap"):
        return None
    texts = {_local_name(child): (child.text or "").strip() for child in tag}
    url = normalise(texts["loc"], base) if texts.get("loc") else None
    return SitemapEntry(url, texts.get("lastmod") or None, kind == "sitemap") if url else None


def _local_name(tag: etree._Element) -> str:
    return tag.tag.rpartition("}")[2] if isinstance(tag.tag, str) else ""

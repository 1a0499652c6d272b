"""What the crawl stores hold for indexing: the live pages, and the reasons of those left out."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from server.errors import NotReadyError
from server.ingest.crawl.nouns import CUT
from server.ingest.crawl.store import VERSION, storage_errors
from server.ingest.crawl.urls import site_of
from server.ingest.http_dates import http_date
from server.models import Drop, SourcePage

MAX_CLAIMANTS = 10
_PAGE_TYPES = "('text/html', 'application/xhtml+xml', 'text/plain')"
_PAGES = f"""
SELECT url, body, content_type, headers ->> 'content-type', last_modified, lastmod, fetched_at
FROM urls JOIN copies ON url_id = id WHERE live AND NOT noindex AND content_type IN {_PAGE_TYPES}
ORDER BY depth, id
"""  # noqa: S608  (constants only)
_NAMED = (
    "SELECT url, canonical FROM urls JOIN copies ON url_id = id WHERE live AND NOT noindex ORDER BY depth, id"
)
_DROPS = f"""
SELECT url, CASE WHEN live AND noindex THEN 'noindex'
       WHEN live AND content_type NOT IN {_PAGE_TYPES} THEN 'type'
       WHEN outcome IN ('gone', 'redirect', 'failed') THEN outcome ELSE coalesce(reason, outcome) END,
       CASE WHEN live AND noindex THEN '' WHEN live THEN content_type || ' is not read yet.' ELSE detail END
FROM urls LEFT JOIN copies ON url_id = id
WHERE kind = 'page' AND NOT (queued AND live IS NULL)
      AND NOT coalesce(live AND NOT noindex AND content_type IN {_PAGE_TYPES}, 0)
ORDER BY depth, id
"""  # noqa: S608  (constants only)
SENTENCES = {
    "noindex": "The page asks not to be indexed.",
    "scope": "Outside of the path that was crawled.",
    "depth": "More links away from the start than the crawl follows.",
    "trap": "One of many pages of this shape that brought nothing new.",
    "nofollow": "Only reached by links that ask not to be followed.",
    "type": "Not a kind of file that is read.",
    "redirects": "Too many redirects in a row.",
    **CUT,
}


@dataclass(frozen=True, slots=True)
class _Names:
    """The live pages of one store and what each says its canonical URL is."""

    canonical: Mapping[str, str]
    refused: frozenset[str]
    claimants: Mapping[str, int]

    def of(self, url: str) -> str:
        """The URL a page goes by. A canonical URL that very many pages name is a mistake of the site's."""
        named = self.canonical.get(url)
        if named is None or site_of(named) != site_of(url) or self.claimants[named] > MAX_CLAIMANTS:
            return url
        return url if named in self.refused else named


def read_pages(store_dir: Path, on_damaged: Callable[[Drop], None] = lambda _: None) -> Iterator[SourcePage]:
    """The live pages of all sites, each under its canonical URL once. `NotReadyError` before the first crawl.

    Times are ISO 8601: `last_modified` is the page's header, else the sitemap's word. A page whose stored
    copy is damaged is told to `on_damaged`, and passed over.
    """
    for path in _stores(store_dir):
        with storage_errors(path), closing(_open(path)) as db:
            names = _names(db)
            own = {url for url in names.canonical if names.of(url) == url}
            told: set[str] = set()
            for url, body, kind, header, modified, lastmod, fetched_at in db.execute(_PAGES):
                name = names.of(url)
                if name in told or (name != url and name in own):
                    continue
                try:
                    content = zlib.decompress(body)
                except zlib.error as error:
                    on_damaged(Drop(url, "unreadable", f"The stored copy is damaged: {error}."))
                    continue
                told.add(name)
                yield SourcePage(
                    url=name,
                    body=content,
                    is_html=kind != "text/plain",
                    content_type=header or kind,
                    last_modified=_iso(modified) or lastmod,
                    fetched_at=fetched_at,
                )


def read_drops(store_dir: Path) -> Iterator[Drop]:
    """Every URL that was seen and gives no page to index, with the reason; see `Outcome` for the words.

    Beside those: `noindex`, `canonical` (the same page goes by another URL).
    """
    for path in _stores(store_dir):
        with storage_errors(path), closing(_open(path)) as db:
            for url, reason, detail in db.execute(_DROPS):
                yield Drop(url, reason, detail or SENTENCES.get(reason, reason))
            names = _names(db)
            for url in names.canonical:
                if (name := names.of(url)) != url:
                    yield Drop(url, "canonical", f"The page goes by {name}.")


def _stores(store_dir: Path) -> list[Path]:
    paths = sorted(store_dir.glob("*.sqlite"))
    if not paths:
        raise NotReadyError("Nothing has been crawled yet; run `lodge crawl URL` first.")
    return paths


def _open(path: Path) -> sqlite3.Connection:
    # The indexer reads in a thread of its own and may let go of the file in another.
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False)
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version not in (1, VERSION):
        db.close()
        raise NotReadyError(f"{path.name} has version {version} of the crawl store; this is {VERSION}.")
    return db


def _names(db: sqlite3.Connection) -> _Names:
    canonical = {url: named or url for url, named in db.execute(_NAMED)}
    claimants: dict[str, int] = {}
    for named in canonical.values():
        claimants[named] = claimants.get(named, 0) + 1
    refused = db.execute(
        "SELECT url FROM urls LEFT JOIN copies ON url_id = id WHERE NOT queued AND live IS NOT 1"
    )
    return _Names(canonical, frozenset(row[0] for row in refused), claimants)


def _iso(header: str | None) -> str | None:
    """`Sun, 06 Nov 1994 08:49:37 GMT` → `1994-11-06T08:49:37+00:00`; a date that is none → None."""
    moment = http_date(header)
    return moment.isoformat() if moment else None

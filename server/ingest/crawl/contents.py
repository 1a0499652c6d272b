"""What the crawl stores hold: pages for an index, and what became of each address for someone who asks."""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from server.errors import BadInputError, NotFoundError, NotReadyError
from server.ingest.crawl.nouns import AS_SENT, CUT, LEADS_TO, PAGE_TYPES, http_date
from server.ingest.crawl.reading import VERSION, opened, storage_errors, store_path
from server.ingest.crawl.urls import normalise, site_of
from server.ingest.documents.read import DOCUMENTS, FEEDS, PLAIN
from server.models import Drop, SourcePage

MAX_CLAIMANTS = 10
_PAGE_TYPES = str(PAGE_TYPES)  # as SQL writes a list
_LIVE_PAGES = f"""
SELECT url, body, content_type, headers ->> 'content-type', last_modified, lastmod, fetched_at
FROM urls JOIN copies ON url_id = id WHERE live AND NOT noindex AND content_type IN {_PAGE_TYPES}
ORDER BY depth, id
"""  # noqa: S608  (constants only)
_NAMED = (
    "SELECT url, canonical FROM urls JOIN copies ON url_id = id WHERE live AND NOT noindex ORDER BY depth, id"
)
_REFUSED = "SELECT url FROM urls LEFT JOIN copies ON url_id = id WHERE NOT queued AND live IS NOT 1"
_REDIRECTS = f"SELECT url, detail FROM urls WHERE outcome = 'redirect' AND detail LIKE '{LEADS_TO}%'"  # noqa: S608
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
    "robots": "robots.txt asks crawlers to stay away.",
    "feeds": "The site has more calendars and feeds than are taken of one.",
    "size": "Larger than a page may be.",
    "unlinked": "No page or sitemap leads here any more.",
    "timeout": "The server took too long.",
    "headers": "The response has more headers than are taken.",
    "unreadable": "It could not be read.",
    **CUT,
    **AS_SENT,
}


# --- for an index


@dataclass(frozen=True, slots=True)
class _Names:
    """The live pages of one store and what each says its canonical URL is."""

    canonical: Mapping[str, str]
    refused: frozenset[str]
    claimants: Mapping[str, int]

    @classmethod
    def read(cls, db: sqlite3.Connection) -> _Names:
        canonical = {url: named or url for url, named in db.execute(_NAMED)}
        refused = frozenset(url for (url,) in db.execute(_REFUSED))
        return cls(canonical, refused, Counter(canonical.values()))

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
        with storage_errors(path), _indexed(path) as db:
            yield from _live_pages(db, on_damaged)


def _live_pages(db: sqlite3.Connection, on_damaged: Callable[[Drop], None]) -> Iterator[SourcePage]:
    names = _Names.read(db)
    own = {url for url in names.canonical if names.of(url) == url}
    told: set[str] = set()
    for url, packed, kind, header, modified, lastmod, fetched_at in db.execute(_LIVE_PAGES):
        name = names.of(url)
        if name in told or (name != url and name in own):
            continue
        try:
            body = zlib.decompress(packed)
        except zlib.error as error:
            on_damaged(Drop(url, "unreadable", f"The stored copy is damaged: {error}."))
            continue
        told.add(name)
        moment = http_date(modified)
        yield SourcePage(
            url=name,
            body=body,
            is_html=kind not in (*PLAIN, *DOCUMENTS, *FEEDS),
            content_type=header or kind,
            last_modified=moment.isoformat() if moment else lastmod,
            fetched_at=fetched_at,
        )


def read_drops(store_dir: Path) -> Iterator[Drop]:
    """Every URL that was seen and gives no page to index, with the reason; see `CrawlOutcome` for the words.

    Beside those: `noindex`, `canonical` (the same page goes by another URL).
    """
    for path in _stores(store_dir):
        with storage_errors(path), _indexed(path) as db:
            for url, reason, detail in db.execute(_DROPS):
                yield Drop(url, reason, detail or SENTENCES.get(reason, reason))
            names = _Names.read(db)
            for url in names.canonical:
                if (name := names.of(url)) != url:
                    yield Drop(url, "canonical", f"The page goes by {name}.")


def read_leads(store_dir: Path) -> dict[str, str]:
    """Addresses that lead to another: redirects, and pages that name another as their canonical URL."""
    leads: dict[str, str] = {}
    for path in _stores(store_dir):
        with storage_errors(path), _indexed(path) as db:
            leads |= {url: detail.removeprefix(LEADS_TO) for url, detail in db.execute(_REDIRECTS)}
            names = _Names.read(db)
            leads |= {url: name for url in names.canonical if (name := names.of(url)) != url}
    return leads


def _stores(store_dir: Path) -> list[Path]:
    paths = sorted(store_dir.glob("*.sqlite"))
    if not paths:
        raise NotReadyError("Nothing has been crawled yet; run `lodge crawl URL` first.")
    return paths


@contextmanager
def _indexed(path: Path) -> Iterator[sqlite3.Connection]:
    with opened(path, 5.0) as (db, version):
        if version not in (1, VERSION):
            raise NotReadyError(f"{path.name} has version {version} of the crawl store; this is {VERSION}.")
        yield db


# --- for someone who asks why a page is not in the index

_STATUS = """
SELECT outcome, reason, detail, status, queued, coalesce(live, 0), visited_at, fetched_at, canonical
FROM urls LEFT JOIN copies ON url_id = id WHERE url = ?
"""


@dataclass(frozen=True, slots=True)
class UrlStatus:
    """What the crawl store of a page's site has of its address.

    `outcome` and `reason` are those of `CrawlOutcome`; `queued`: it has not been visited yet; `live`: its
    copy is held, fetched at `fetched_at` (ISO 8601); `canonical` is the address the page itself goes by.
    """

    outcome: str | None
    reason: str | None
    detail: str | None
    status: int | None
    queued: bool
    live: bool
    visited_at: str | None
    fetched_at: str | None
    canonical: str | None


def is_crawled(store_dir: Path, url: str) -> bool:
    """Whether the URL's site has a crawl store."""
    name = normalise(url)
    return name is not None and store_path(store_dir, site_of(name)).is_file()


def url_status(store_dir: Path, url: str) -> UrlStatus | None:
    """What became of an address; None where no crawl of its site has come across it.

    `StorageError` when the store cannot be read; one of another version knows nothing.
    """
    name = normalise(url)
    if name is None or not is_crawled(store_dir, name):
        return None
    with _readable(store_path(store_dir, site_of(name))) as db:
        row = db.execute(_STATUS, (name,)).fetchone() if db else None
    if row is None:
        return None
    outcome, reason, detail, status, queued, live, *moments = row
    return UrlStatus(outcome, reason, detail, status, bool(queued), bool(live), *moments)


@contextmanager
def _readable(path: Path) -> Iterator[sqlite3.Connection | None]:
    """A store for reading, or None where it is of another version."""
    with storage_errors(path), opened(path) as (db, version):
        yield db if version in (1, VERSION) else None


# --- the last crawl of a site, as the console shows it

URL_STATUSES = ("fetched", "unchanged", "gone", "redirect", "skipped", "failed", "queued")
_LAST = "SELECT id, began, ended FROM crawls ORDER BY id DESC LIMIT 1"
_FATE = "CASE WHEN queued THEN 'queued' ELSE outcome END"
_REASON = "CASE WHEN queued THEN NULL ELSE reason END"
_OF_CRAWL = "FROM urls WHERE crawl = :crawl AND kind = 'page'"
_COUNTS = f"""
SELECT {_FATE} AS fate, {_REASON} AS reason, count(*), max(visited_at) {_OF_CRAWL}
GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
"""
_PAGES = f"""
SELECT id, url, {_FATE}, {_REASON}, detail, status, visited_at, found_on,
       coalesce((SELECT noindex FROM copies WHERE url_id = id AND live), 0)
{_OF_CRAWL} AND id > :after AND (:fate IS NULL OR {_FATE} = :fate)
       AND (:reason IS NULL OR {_REASON} = :reason) AND (:url IS NULL OR instr(url, :url))
ORDER BY id LIMIT :limit
"""  # noqa: S608  (constants only)


@dataclass(frozen=True, slots=True)
class StatusCounts:
    """So many pages had this fate, one of `URL_STATUSES`, for this reason; `says` is it as a sentence."""

    fate: str
    reason: str | None
    says: str
    pages: int


@dataclass(frozen=True, slots=True)
class LastCrawl:
    """The last crawl of a site: `ended` is None while it runs, or where it was stopped and can go on.

    Times are ISO 8601; `seconds` is from its beginning to its end, or to its last visit. `urls` are the start
    addresses the site was ever given; `held` counts the pages whose copies an index is made of.
    """

    site: str
    began: str
    ended: str | None
    last_visit: str | None
    seconds: float
    held: int
    urls: tuple[str, ...]
    fates: tuple[StatusCounts, ...]


@dataclass(frozen=True, slots=True)
class CrawledPage:
    """What became of one address, and why; `cursor` is the row's place in the list."""

    cursor: int
    url: str
    fate: str
    reason: str | None
    says: str
    status: int | None
    visited_at: str | None
    found_on: str | None


@dataclass(frozen=True, slots=True)
class WantedPages:
    """Which addresses: of one fate or reason, and with these letters in them; None is any."""

    fate: str | None = None
    reason: str | None = None
    url: str | None = None


def last_crawls(store_dir: Path) -> list[LastCrawl]:
    """The last crawl of every site, the latest first; a store of another version is left out."""
    return latest_first(last_crawl_in(path) for path in sorted(store_dir.glob("*.sqlite")))


def latest_first(crawls: Iterable[LastCrawl | None]) -> list[LastCrawl]:
    """Those that there are, in the order that `last_crawls` has."""
    return sorted((one for one in crawls if one), key=lambda one: one.began, reverse=True)


def last_crawl(store_dir: Path, site: str) -> LastCrawl:
    """That of one site; `NotFoundError` where none was ever begun."""
    path = store_path(store_dir, site)
    found = last_crawl_in(path) if path.is_file() else None
    if found is None:
        raise NotFoundError(f"The site {site!r} has never been crawled here.")
    return found


def crawled_pages(
    store_dir: Path, site: str, wanted: WantedPages, *, limit: int, after: int = 0
) -> list[CrawledPage]:
    """Addresses of a site's last crawl, in the order they were come across, after a row's `cursor`."""
    if wanted.fate is not None and wanted.fate not in URL_STATUSES:
        raise BadInputError(f"There is no fate {wanted.fate!r}. There are: {', '.join(URL_STATUSES)}.")
    path = store_path(store_dir, site)
    if not path.is_file():
        raise NotFoundError(f"The site {site!r} has never been crawled here.")
    with _readable(path) as db:
        crawl = db.execute(_LAST).fetchone() if db else None
        if db is None or crawl is None:
            return []
        given = asdict(wanted) | {"url": wanted.url or None, "after": after, "limit": limit}
        rows = db.execute(_PAGES, given | {"crawl": crawl[0]}).fetchall()
    return [_page(row) for row in rows]


def last_crawl_in(path: Path) -> LastCrawl | None:
    """That of one store; None where it has none, or is of another version."""
    with _readable(path) as db:
        crawl = db.execute(_LAST).fetchone() if db else None
        if db is None or crawl is None:
            return None
        number, began, ended = crawl
        roots = tuple(url for (url,) in db.execute("SELECT url FROM roots ORDER BY rowid"))
        counts = db.execute(_COUNTS, {"crawl": number}).fetchall()
        (held,) = db.execute("SELECT count(*) FROM copies WHERE live").fetchone()
    visits = [at for *_, at in counts if at is not None]
    last_visit = max(visits, default=None)
    return LastCrawl(
        site=site_of(roots[0]) if roots else path.stem,
        began=began,
        ended=ended,
        last_visit=last_visit,
        seconds=_seconds(began, ended or last_visit),
        held=held,
        urls=roots,
        fates=tuple(
            StatusCounts(fate, reason, _says(fate, reason, None), n) for fate, reason, n, _ in counts
        ),
    )


def _page(row: tuple[Any, ...]) -> CrawledPage:
    own, url, fate, reason, detail, status, visited_at, found_on, noindex = row
    says = SENTENCES["noindex"] if noindex else _says(fate, reason, None if fate == "queued" else detail)
    return CrawledPage(own, url, fate, reason, says, status, visited_at, found_on)


_SAYS = {
    "fetched": "Read, and new or changed since the crawl before.",
    "unchanged": "As it was in the crawl before.",
    "gone": "The site has taken it away.",
    "redirect": "Leads to another address.",
    "failed": "Could not be fetched.",
    "queued": "Known, and not visited yet.",
}


def _says(fate: str, reason: str | None, detail: str | None) -> str:
    """Why, as a sentence: the crawl's own, else that of the reason, else that of the fate."""
    if detail:
        return detail
    if reason and reason.startswith("http "):
        return f"The server answered {reason.removeprefix('http ')}."
    return SENTENCES.get(reason or "") or _SAYS.get(fate) or reason or fate


def _seconds(began: str, until: str | None) -> float:
    if until is None:
        return 0.0
    return max((datetime.fromisoformat(until) - datetime.fromisoformat(began)).total_seconds(), 0.0)

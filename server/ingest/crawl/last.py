"""What became of one address in a crawl, for someone who asks why its page is not in the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from server.errors import BadInputError, NotFoundError
from server.ingest.crawl.pages import SENTENCES
from server.ingest.crawl.store import VERSION, storage_errors, store_path
from server.ingest.crawl.urls import normalise, site_of

WAIT_S = 1.0
_ROW = """
SELECT outcome, reason, detail, status, queued, coalesce(live, 0), visited_at, fetched_at, canonical
FROM urls LEFT JOIN copies ON url_id = id WHERE url = ?
"""


@dataclass(frozen=True, slots=True)
class UrlStatus:
    """What the crawl store of a page's site has of its address.

    `outcome` and `reason` are those of `Outcome`; `queued`: it has not been visited yet; `live`: its copy is
    held, fetched at `fetched_at` (ISO 8601); `canonical` is the address the page itself goes by.
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
    path = store_path(store_dir, site_of(name))
    with storage_errors(path), closing(_open(path)) as db:
        if db.execute("PRAGMA user_version").fetchone()[0] not in (1, VERSION):
            return None
        row = db.execute(_ROW, (name,)).fetchone()
    if row is None:
        return None
    outcome, reason, detail, status, queued, live, *moments = row
    return UrlStatus(outcome, reason, detail, status, bool(queued), bool(live), *moments)


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=WAIT_S)


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
{_OF_CRAWL} AND id > :after
"""  # noqa: S608  (constants only)


@dataclass(frozen=True, slots=True)
class StatusCounts:
    """So many pages had this fate, one of `FATES`, for this reason; `says` is the reason as a sentence."""

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
    found = [_last_crawl(path) for path in sorted(store_dir.glob("*.sqlite"))]
    return sorted((one for one in found if one), key=lambda one: one.began, reverse=True)


def last_crawl(store_dir: Path, site: str) -> LastCrawl:
    """That of one site; `NotFoundError` where none was ever begun."""
    path = store_path(store_dir, site)
    found = _last_crawl(path) if path.is_file() else None
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
    with _opened(path) as db:
        crawl = db.execute(_LAST).fetchone() if db else None
        if db is None or crawl is None:
            return []
        query, given = _narrowed(wanted)
        rows = db.execute(query, {**given, "crawl": crawl[0], "after": after, "limit": limit}).fetchall()
    return [_page(row) for row in rows]


def _last_crawl(path: Path) -> LastCrawl | None:
    with _opened(path) as db:
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


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection | None]:
    """A store for reading, or None where it is of another version."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    with storage_errors(path), closing(sqlite3.connect(address, uri=True, timeout=WAIT_S)) as db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        yield db if version in (1, VERSION) else None


def _narrowed(wanted: WantedPages) -> tuple[str, dict[str, str]]:
    query, given = _PAGES, {}
    if wanted.fate is not None:
        query += f" AND {_FATE} = :fate"
        given["fate"] = wanted.fate
    if wanted.reason is not None:
        query += f" AND {_REASON} = :reason"
        given["reason"] = wanted.reason
    if wanted.url:
        query += " AND instr(url, :letters)"
        given["letters"] = wanted.url
    return f"{query} ORDER BY id LIMIT :limit", given


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
_WHY = {
    "robots": "robots.txt asks crawlers to stay away.",
    "size": "Larger than a page may be.",
    "unlinked": "No page or sitemap leads here any more.",
    "timeout": "The server took too long.",
    "headers": "The response has more headers than are taken.",
    "unreadable": "It could not be read.",
}


def _says(fate: str, reason: str | None, detail: str | None) -> str:
    """Why, as a sentence: the crawl's own, else that of the reason, else that of the fate."""
    if detail:
        return detail
    if reason and reason.startswith("http "):
        return f"The server answered {reason.removeprefix('http ')}."
    return _WHY.get(reason or "") or SENTENCES.get(reason or "") or _SAYS.get(fate) or reason or fate


def _seconds(began: str, until: str | None) -> float:
    if until is None:
        return 0.0
    return max((datetime.fromisoformat(until) - datetime.fromisoformat(began)).total_seconds(), 0.0)

"""What became of one address in a crawl, for someone who asks why its page is not in the index."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from server.ingest.crawling.store import VERSION, storage_errors, store_path
from server.ingest.crawling.urls import normalise, site_of

WAIT_S = 1.0
_ROW = """
SELECT outcome, reason, detail, status, queued, coalesce(live, 0), visited_at, fetched_at, canonical
FROM urls LEFT JOIN copies ON url_id = id WHERE url = ?
"""


@dataclass(frozen=True, slots=True)
class Fate:
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


def fate_of(store_dir: Path, url: str) -> Fate | None:
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
    return Fate(outcome, reason, detail, status, bool(queued), bool(live), *moments)


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=WAIT_S)

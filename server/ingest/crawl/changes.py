"""Whether a page has become another since it was read, by what the crawl store knows of it."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from server.ingest.crawl.store import VERSION, store_path
from server.ingest.crawl.urls import site_of

KEPT_S, MAX_KEPT, WAIT_S = 60.0, 4096, 0.05
logger = logging.getLogger("lodge.ingest")


_BY_URL = "SELECT live, changed_at FROM urls JOIN copies ON url_id = id WHERE url = ?"


_BY_CANONICAL = (
    "SELECT live, changed_at FROM urls JOIN copies ON url_id = id WHERE canonical = ? ORDER BY depth, id"
)


class CrawledChanges:
    """What the crawl stores of a folder say, each answer kept for `kept_s`. Thread-safe; it never raises."""

    def __init__(
        self, store_dir: Path, kept_s: float = KEPT_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store_dir = store_dir
        self._kept_s = kept_s
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], tuple[float, bool]] = OrderedDict()
        self._lock = threading.Lock()

    def changed(self, url: str, since: str) -> bool:
        """Whether a crawl after `since` (ISO 8601) has found another text at the URL, or no page any more.

        A page also goes by its canonical URL, as in a snapshot.
        """
        key, now = (url, since), self._clock()
        with self._lock:
            until, known = self._kept.get(key, (now, False))
        if now < until:
            return known
        found = self._look_up(url, since)
        with self._lock:
            self._kept[key] = (now + self._kept_s, found)
            self._kept.move_to_end(key)
            if len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return found

    def _look_up(self, url: str, since: str) -> bool:
        try:
            path = store_path(self._store_dir, site_of(url))
            then = _moment(since)
            if not path.is_file():
                return False
            row = _row(path, url)
            return row is not None and (not row[0] or (row[1] is not None and _moment(row[1]) > then))
        except (sqlite3.Error, OSError, ValueError) as error:
            logger.warning("Whether %s has changed could not be looked up: %s", url, error)
            return False


def _row(path: Path, url: str) -> tuple[int, str | None] | None:
    """Whether the page's copy is live, and since when its text is what it is."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=WAIT_S)) as db:
        if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            return None
        found = db.execute(_BY_URL, (url,)).fetchone() or db.execute(_BY_CANONICAL, (url,)).fetchone()
    return (int(found[0]), found[1]) if found else None


def _moment(stamp: str) -> datetime:
    moment = datetime.fromisoformat(stamp)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

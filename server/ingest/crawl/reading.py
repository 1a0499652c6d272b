"""Crawl stores as others read them: where they lie, how they are opened, whether a page has changed since."""

from __future__ import annotations

import logging
import re
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from server.errors import StorageError

VERSION = 2  # of a store that is written; one of version 1 only does not know when a text changed
KEPT_S, MAX_KEPT = 60.0, 4096
WAIT_S = 1.0  # for a crawler that is writing
WAIT_FOR_CHANGES_S = 0.05  # a visitor waits for it
logger = logging.getLogger("lodge.ingest")


def store_path(store_dir: Path, site: str) -> Path:
    """The file of a site (`host` or `host:port`)."""
    return store_dir / (re.sub(r"[^a-z0-9.-]", "_", site.lower()) + ".sqlite")


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """SQLite's troubles as a `StorageError` that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(f"The crawl store {path.name} cannot be used: {error}.") from error


@contextmanager
def opened(path: Path, wait_s: float = WAIT_S) -> Iterator[tuple[sqlite3.Connection, int]]:
    """A store open for reading, by any thread, with its version."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=wait_s, check_same_thread=False)) as db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        yield db, version


_BY = "SELECT live, changed_at FROM urls JOIN copies ON url_id = id WHERE"
_BY_URL = f"{_BY} url = ?"
_BY_CANONICAL = f"{_BY} canonical = ? ORDER BY depth, id"


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
            path = store_path(self._store_dir, urlsplit(url).netloc)
            then = _moment(since)
            if not path.is_file():
                return False
            with opened(path, WAIT_FOR_CHANGES_S) as (db, version):
                if version != VERSION:
                    return False
                row = db.execute(_BY_URL, (url,)).fetchone() or db.execute(_BY_CANONICAL, (url,)).fetchone()
            return row is not None and (not row[0] or (row[1] is not None and _moment(row[1]) > then))
        except (sqlite3.Error, OSError, ValueError) as error:
            logger.warning("Whether %s has changed could not be looked up: %s", url, error)
            return False


def _moment(stamp: str) -> datetime:
    moment = datetime.fromisoformat(stamp)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

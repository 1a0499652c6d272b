"""The crawl store: one SQLite file a site, written by the crawler alone.

It holds every URL ever seen with what became of it, the frontier of an unfinished crawl, and the last good
copy of each page. What a response brings (its copy, its outcome, its links) is written in one transaction, so
that a crawl killed at any moment goes on where it was.
"""

from __future__ import annotations

import fcntl
import sqlite3
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from server.errors import CrawlError, StorageError
from server.ingest.crawl.nouns import CUT, Copy, CrawlOutcome, FoundUrl, Kind, QueuedUrl
from server.ingest.crawl.reading import VERSION, storage_errors, store_path

MAX_SITEMAPS = 500  # of one site in one crawl; one of them may list 50,000 pages
_SCHEMA = """
CREATE TABLE crawls (id INTEGER PRIMARY KEY, began TEXT NOT NULL, ended TEXT);
CREATE TABLE roots (url TEXT PRIMARY KEY);
CREATE TABLE urls (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, shape TEXT NOT NULL,
    crawl INTEGER NOT NULL, queued INTEGER NOT NULL, depth INTEGER NOT NULL, hops INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, not_before REAL NOT NULL DEFAULT 0, found_on TEXT, lastmod TEXT,
    outcome TEXT, reason TEXT, detail TEXT, status INTEGER, visited_at TEXT, text_hash TEXT, changed_at TEXT
);
CREATE INDEX frontier ON urls (tries, depth, id) WHERE queued;
CREATE INDEX queued_shapes ON urls (shape) WHERE queued;
CREATE TABLE copies (
    url_id INTEGER PRIMARY KEY REFERENCES urls, live INTEGER NOT NULL, content_type TEXT NOT NULL,
    headers TEXT NOT NULL, etag TEXT, last_modified TEXT, body BLOB NOT NULL, size INTEGER NOT NULL,
    body_hash TEXT NOT NULL, text_key TEXT NOT NULL, canonical TEXT, noindex INTEGER NOT NULL,
    fetched_at TEXT NOT NULL
);
CREATE TABLE shapes (shape TEXT PRIMARY KEY, crawl INTEGER NOT NULL, misses INTEGER NOT NULL);
CREATE INDEX canonical_copies ON copies (canonical) WHERE canonical NOT NULL;
"""
# Version 2: when a page's text became what it is.
_FROM_1 = """
ALTER TABLE urls ADD COLUMN text_hash TEXT;
ALTER TABLE urls ADD COLUMN changed_at TEXT;
CREATE INDEX canonical_copies ON copies (canonical) WHERE canonical NOT NULL;
"""
# A store of version 1 knew no text's hash: the same body is the same text.
_NOTE_TEXT = """
UPDATE urls SET text_hash = :text_hash, changed_at = CASE
    WHEN text_hash = :text_hash
      OR EXISTS (SELECT 1 FROM copies WHERE url_id = urls.id AND body_hash = :body_hash)
    THEN changed_at ELSE :fetched_at END
WHERE id = :id
"""
_LEFT: dict[Kind, str] = {"sitemap": "sitemaps", "page": "frontier"}
# A URL is new when no crawl has seen it, or only an earlier one, or this one only where it may not follow.
_ADD = """
INSERT INTO urls (url, kind, shape, crawl, queued, depth, hops, found_on, lastmod, outcome, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (url) DO UPDATE SET
    crawl = excluded.crawl, queued = excluded.queued, depth = excluded.depth, hops = excluded.hops,
    tries = 0, not_before = 0, found_on = excluded.found_on, lastmod = excluded.lastmod,
    outcome = coalesce(excluded.outcome, outcome), reason = excluded.reason, detail = NULL
WHERE urls.crawl < excluded.crawl
   OR (urls.outcome = 'skipped' AND urls.reason IN ('nofollow', 'depth') AND excluded.queued)
"""
_CUT = f"""
SELECT reason, count(*) FROM urls WHERE crawl = :crawl AND NOT queued AND reason IN {tuple(CUT)}
    AND outcome IN ('fetched', 'unchanged', 'read') GROUP BY reason
"""  # noqa: S608  (constants only)
_FIRST_FAILURE = """
SELECT url || ': ' || coalesce(detail, reason, outcome) FROM urls
WHERE crawl = ? AND NOT queued AND kind = 'page' AND outcome NOT IN ('fetched', 'unchanged')
ORDER BY depth, hops DESC, id LIMIT 1
"""


def now_iso() -> str:
    """This second, ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class CrawlStore:
    """One site's file, open for one crawl, which takes at most `max_urls` addresses of pages.

    A method is one transaction; a full disk is a `StorageError`.
    """

    def __init__(self, store_dir: Path, site: str, max_urls: int = sys.maxsize) -> None:
        self.site = site
        self.path = store_path(store_dir, site)
        self.is_new = not self.path.exists()
        self._lock = _lock(self.path)
        try:
            self._db = _connect(self.path)
        except BaseException:
            self._lock.close()
            raise
        self.crawl = 0
        self._most: dict[Kind, int] = {"sitemap": MAX_SITEMAPS, "page": max_urls}
        self._taken: Counter[Kind] = Counter()  # addresses of this crawl
        self._left: set[str] = set()  # for what reasons any was left

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with storage_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk may have rolled back already
                    self._db.execute("ROLLBACK")
                raise

    def begin(self) -> bool:
        """Take up the unfinished crawl, or start a new one. True: taken up."""
        with self._transaction() as db:
            row = db.execute("SELECT id FROM crawls WHERE ended IS NULL").fetchone()
            if row is None:
                self.crawl = db.execute("INSERT INTO crawls (began) VALUES (?)", (now_iso(),)).lastrowid or 0
                db.execute("DELETE FROM shapes")
            else:
                self.crawl = row[0]
            counts = "SELECT kind, count(*) FROM urls WHERE crawl = ? GROUP BY kind"
            self._taken = Counter(dict(db.execute(counts, (self.crawl,)).fetchall()))
        self._left.clear()
        return row is not None

    def add_root(self, url: str) -> tuple[str, ...]:
        """Remember a start URL; all start URLs that the site was ever given."""
        with self._transaction() as db:
            db.execute("INSERT OR IGNORE INTO roots VALUES (?)", (url,))
            return tuple(row[0] for row in db.execute("SELECT url FROM roots ORDER BY rowid"))

    def next(self, kind: Kind | None = None) -> QueuedUrl | None:
        """The first of the queue, or of one kind in it: breadth first, second tries after all first ones."""
        with storage_errors(self.path):
            row = self._db.execute(
                "SELECT id, url, kind, shape, depth, hops, tries, not_before, etag, last_modified, body_hash"
                " FROM urls LEFT JOIN copies ON url_id = id AND live"
                " WHERE queued AND (:kind IS NULL OR kind = :kind) ORDER BY tries, depth, id LIMIT 1",
                {"kind": kind},
            ).fetchone()
        return QueuedUrl(*row) if row else None

    def stored(self, item: QueuedUrl) -> tuple[bytes, str] | None:
        """Body and headers (a JSON object) of the live copy of `item`."""
        query = "SELECT body, headers FROM copies WHERE url_id = ? AND live"
        with storage_errors(self.path):
            row = self._db.execute(query, (item.id,)).fetchone()
        return (zlib.decompress(row[0]), row[1]) if row else None

    def add(self, found: Iterable[FoundUrl]) -> None:
        """Queue what this crawl has not seen yet."""
        with self._transaction() as db:
            self._add(db, found)

    def retry(self, item: QueuedUrl, not_before: float, detail: str) -> None:
        """Put a failed URL at the end of the queue."""
        with self._transaction() as db:
            db.execute(
                "UPDATE urls SET tries = tries + 1, not_before = ?, detail = ? WHERE id = ?",
                (not_before, detail, item.id),
            )

    def settle(
        self,
        item: QueuedUrl,
        outcome: CrawlOutcome,
        found: Sequence[FoundUrl] = (),
        copy: Copy | None = None,
        misses: int | None = None,
    ) -> None:
        """All that one response brought: its outcome, copy, links, and the misses of its shape so far.

        Where not all the links were taken, and the outcome has no reason yet, that is its reason.
        """
        with self._transaction() as db:
            for reason in self._add(db, found):
                outcome = outcome.cut(reason)
            self._set_outcome(db, item.id, outcome)
            if copy is not None:
                self._keep(db, item.id, copy)
            elif outcome.name == "unchanged":
                db.execute("UPDATE copies SET fetched_at = ? WHERE url_id = ?", (now_iso(), item.id))
            if misses is not None:
                db.execute("INSERT OR REPLACE INTO shapes VALUES (?, ?, ?)", (item.shape, self.crawl, misses))

    def forget_validators(self, item: QueuedUrl) -> None:
        """Have the next crawl fetch `item` whole, whatever copy of it is held."""
        with self._transaction() as db:
            db.execute("UPDATE copies SET etag = NULL, last_modified = NULL WHERE url_id = ?", (item.id,))

    def close_shape(self, shape: str) -> None:
        """Skip every queued URL of a trap's shape."""
        with self._transaction() as db:
            db.execute(
                "UPDATE urls SET queued = 0, outcome = 'skipped', reason = 'trap', detail = NULL,"
                " visited_at = ? WHERE queued AND shape = ?",
                (now_iso(), shape),
            )

    def finish(self, *, mark_gone: bool, covers: Callable[[str], bool] = lambda _: True) -> None:
        """The crawl reached its end; with `mark_gone`, a page in its scope that nothing led to is gone."""
        with self._transaction() as db:
            if mark_gone:
                self._mark_gone(db, covers)
            db.execute("UPDATE crawls SET ended = ? WHERE id = ?", (now_iso(), self.crawl))

    def _mark_gone(self, db: sqlite3.Connection, covers: Callable[[str], bool]) -> None:
        unseen = "SELECT id, url FROM urls JOIN copies ON url_id = id WHERE live AND crawl < ?"
        gone = CrawlOutcome("gone", "unlinked", "No page or sitemap leads here any more.")
        for url_id, url in db.execute(unseen, (self.crawl,)).fetchall():
            if covers(url):
                self._set_outcome(db, url_id, gone)
                db.execute("UPDATE urls SET crawl = ? WHERE id = ?", (self.crawl, url_id))

    def has_copies(self) -> bool:
        """Whether any page was ever kept."""
        with storage_errors(self.path):
            return self._db.execute("SELECT 1 FROM copies LIMIT 1").fetchone() is not None

    def queued(self) -> int:
        """How many URLs wait."""
        with storage_errors(self.path):
            return int(self._db.execute("SELECT count(*) FROM urls WHERE queued").fetchone()[0])

    def known_texts(self) -> list[str]:
        """The text keys of the pages that this crawl has visited so far."""
        query = (
            "SELECT text_key FROM copies JOIN urls ON id = url_id"
            " WHERE crawl = ? AND outcome IN ('fetched', 'unchanged') AND NOT queued"
        )
        with storage_errors(self.path):
            return [row[0] for row in self._db.execute(query, (self.crawl,))]

    def known_misses(self) -> dict[str, int]:
        """The misses of each shape in this crawl so far."""
        with storage_errors(self.path):
            return dict(
                self._db.execute("SELECT shape, misses FROM shapes WHERE crawl = ?", (self.crawl,)).fetchall()
            )

    def counts(self, query: str) -> dict[str, int]:
        """A report's query over `urls` and `copies`: rows of a word and a number, for `:crawl`."""
        with storage_errors(self.path):
            return dict(self._db.execute(query, {"crawl": self.crawl}).fetchall())

    def cuts(self) -> dict[str, int]:
        """Of how many pages and sitemaps not everything was taken, by reason, one of `CUT`."""
        return dict.fromkeys(self._left, 1) | self.counts(_CUT)

    def first_failure(self) -> str | None:
        """Why the first page of this crawl brought nothing, as a sentence."""
        with storage_errors(self.path):
            row = self._db.execute(_FIRST_FAILURE, (self.crawl,)).fetchone()
        return row[0] if row else None

    def close(self, *, discard: bool = False) -> None:
        """Close the file; `discard` removes it, for a crawl that never got to a first page."""
        self._db.close()
        if discard:
            self.path.unlink(missing_ok=True)
            Path(self._lock.name).unlink(missing_ok=True)
        self._lock.close()

    def _set_outcome(self, db: sqlite3.Connection, url_id: int, outcome: CrawlOutcome) -> None:
        db.execute(
            "UPDATE urls SET queued = 0, outcome = ?, reason = ?, detail = ?, status = ?, visited_at = ?"
            " WHERE id = ?",
            (outcome.name, outcome.reason, outcome.detail, outcome.status, now_iso(), url_id),
        )
        if outcome.ends_copy:
            db.execute("UPDATE copies SET live = 0 WHERE url_id = ?", (url_id,))

    def _keep(self, db: sqlite3.Connection, url_id: int, copy: Copy) -> None:
        text = {"text_hash": copy.text_hash or copy.body_hash, "body_hash": copy.body_hash}
        db.execute(_NOTE_TEXT, {**text, "fetched_at": copy.fetched_at, "id": url_id})
        about = (copy.content_type, copy.headers, copy.etag, copy.last_modified)
        body = (zlib.compress(copy.body), len(copy.body), copy.body_hash, copy.text_key)
        db.execute(
            "INSERT OR REPLACE INTO copies VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (url_id, *about, *body, copy.canonical, copy.noindex, copy.fetched_at),
        )

    def _add(self, db: sqlite3.Connection, found: Iterable[FoundUrl]) -> set[str]:
        """Take in addresses; the reasons for which some were left."""
        left: set[str] = set()
        for one in found:
            if self._taken[one.kind] >= self._most[one.kind] and not self._knows(db, one.url):
                left.add(_LEFT[one.kind])
                continue
            outcome = "skipped" if one.skip else None
            place = (one.depth, one.hops, one.found_on, one.lastmod)
            added = db.execute(
                _ADD, (one.url, one.kind, one.shape, self.crawl, not one.skip, *place, outcome, one.skip)
            )
            self._taken[one.kind] += added.rowcount
        self._left |= left
        return left

    def _knows(self, db: sqlite3.Connection, url: str) -> bool:
        query = "SELECT 1 FROM urls WHERE url = ? AND crawl = ?"
        return db.execute(query, (url, self.crawl)).fetchone() is not None


def _lock(path: Path) -> IO[str]:
    """The lock that keeps a second crawler away; the system drops it when this one dies."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.with_suffix(".lock").open("w")
    except OSError as error:
        raise StorageError(f"The crawl store {path} cannot be opened: {error.strerror}.") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise CrawlError(f"Another crawl is writing {path.name}; let it end first.") from None
    return file


def _connect(path: Path) -> sqlite3.Connection:
    with storage_errors(path):
        db = sqlite3.connect(path, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            _create(db, path)
        except BaseException:
            db.close()
            raise
    return db


def _create(db: sqlite3.Connection, path: Path) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version not in (0, 1, VERSION):
        raise StorageError(f"{path.name} has version {version} of the crawl store; this is {VERSION}.")
    if version != VERSION:
        script = _FROM_1 if version else _SCHEMA
        db.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version = {VERSION}; COMMIT;")

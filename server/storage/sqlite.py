"""SQLite as a records store: what every connection is told, and what its errors mean."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from server.errors import BadInputError, StorageError

# What it says → what a person can do about it.
SENTENCES = {
    "disk is full": "{store} cannot be written: the disk is full.",
    "disk I/O error": "{store} cannot be written or read: the disk reports an error, or has no room left.",
    "database is locked": "{store} is busy: another process has kept it locked for too long.",
    "readonly database": "{store} cannot be written: no permission.",
    "unable to open database file": "{store} cannot be opened: no permission, or not a file.",
    "not a database": "{store} is not a SQLite database, or it is damaged.",
    "malformed": "{store} is damaged; restore it from a backup.",
}


def sentence_of(error: BaseException) -> str | None:
    """What is wrong, with `{store}` for the store; None for what this file does not know."""
    said = str(error)
    return next((sentence for words, sentence in SENTENCES.items() if words in said), None)


def prepare(engine: Engine, store: str, busy_timeout_s: float, foreign_keys: bool) -> None:
    """Makes the folder, and sets every connection up as it is opened."""
    path = engine.url.database
    if not path or path == ":memory:":
        raise BadInputError("The records store needs a file: sqlite:////folder/records.sqlite.")
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"The folder of {store} cannot be made: {error.strerror}.") from error

    @event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _record: Any) -> None:
        _set_pragmas(connection, busy_timeout_s, foreign_keys)

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        # Without IMMEDIATE, a transaction that reads before it writes fails at once when another process
        # wrote in between, whatever the busy timeout.
        immediate = connection.get_execution_options().get("begins_writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _set_pragmas(connection: sqlite3.Connection, busy_timeout_s: float, foreign_keys: bool) -> None:
    """Write-ahead log, so that readers and the one writer do not wait for each other.

    NORMAL syncs the log at checkpoints only: a killed process loses nothing, since what it wrote is with the
    operating system; a power cut may lose the last few answers, never the file's integrity. FULL would add
    an fsync to every answer.
    """
    connection.isolation_level = None  # transactions begin where we say so, not where the driver guesses
    connection.execute(f"PRAGMA busy_timeout = {int(busy_timeout_s * 1000)}")
    connection.execute(f"PRAGMA foreign_keys = {int(foreign_keys)}")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = ON")  # what is erased is overwritten, not just unlinked
    _use_wal(connection, busy_timeout_s)


def _use_wal(connection: sqlite3.Connection, busy_timeout_s: float) -> None:
    """The file remembers its journal mode; only the first to open it has to set it.

    While two processes try at once SQLite answers "locked" without waiting, so the wait is ours.
    """
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    give_up_at = time.monotonic() + busy_timeout_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up_at:
                raise
            time.sleep(0.02)

"""The way to the database: an engine with our pragmas, and its errors as sentences."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as NoFreeConnection

from server.errors import BadInputError, StorageError

BUSY_TIMEOUT_S = 5.0

# What SQLite says → what a person can do about it.
SENTENCES = {
    "disk is full": "{store} cannot be written: the disk is full.",
    "database is locked": "{store} is busy: another process has kept it locked for too long.",
    "readonly database": "{store} cannot be written: no permission.",
    "unable to open database file": "{store} cannot be opened: no permission, or not a file.",
    "not a database": "{store} is not a SQLite database, or it is damaged.",
    "malformed": "{store} is damaged; restore it from a backup.",
}


def engine_for(url: str, *, foreign_keys: bool = True) -> Engine:
    """An engine for a SQLAlchemy URL, not yet connected; a URL that cannot be used is a `BadInputError`."""
    try:
        parsed = make_url(url)
        # An error would quote the parameters otherwise, and with them what a visitor wrote.
        engine = create_engine(parsed, hide_parameters=True)
    except (ArgumentError, NoSuchModuleError):
        raise BadInputError(
            "The records URL is no SQLAlchemy URL; it looks like sqlite:////folder/records.sqlite "
            "or postgresql://user:password@host/database."
        ) from None
    except ModuleNotFoundError as error:
        raise StorageError(
            f"The records URL asks for {parsed.drivername}, whose driver {error.name!r} is not installed."
        ) from None
    if engine.dialect.name == "sqlite":
        _prepare_sqlite(engine, foreign_keys)
    return engine


def writing(engine: Engine) -> Engine:
    """The same engine for transactions that write: SQLite takes the write lock at their beginning."""
    return engine.execution_options(begins_writing=True)


def is_missing(url: str) -> bool:
    """Whether it names a SQLite file that nobody has made yet; of other databases that is not known."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return False
    return parsed.drivername.startswith("sqlite") and not Path(parsed.database or "").is_file()


class Transactions:
    """The two kinds of transaction on one store; a database's error is a `StorageError`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._write_engine = writing(engine)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """What is read in it is of one moment."""
        with translated(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """All of it is kept, or nothing."""
        with translated(), self._write_engine.begin() as connection:
            yield connection


def store_name(url: URL) -> str:
    """How a sentence calls the store: with its path or address, without a password."""
    where = url.database if url.drivername.startswith("sqlite") else url.render_as_string(hide_password=True)
    return f"The records store {where}"


@contextmanager
def translated(store: str = "The records store") -> Iterator[None]:
    """Turns the database's errors into `StorageError`s that begin with `store`."""
    try:
        yield
    except DBAPIError as error:
        said = str(error.orig)
        for words, sentence in SENTENCES.items():
            if words in said:
                raise StorageError(sentence.format(store=store)) from error
        raise StorageError(f"{store} could not be used ({type(error.orig).__name__}).") from error
    except NoFreeConnection as error:
        raise StorageError(f"{store} is busy: too many are waiting for it.") from error
    except UnicodeEncodeError as error:
        raise BadInputError("The text holds characters that cannot be stored as Unicode.") from error


def _prepare_sqlite(engine: Engine, foreign_keys: bool) -> None:
    """Makes the folder, and sets every connection up as it is opened."""
    path = engine.url.database
    if not path or path == ":memory:":
        raise BadInputError("The records store needs a file: sqlite:////folder/records.sqlite.")
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        store = store_name(engine.url)
        raise StorageError(f"The folder of {store} cannot be made: {error.strerror}.") from error

    @event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _record: Any) -> None:
        _set_pragmas(connection, foreign_keys)

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        # Without IMMEDIATE, a transaction that reads before it writes fails at once when another process
        # wrote in between, whatever the busy timeout.
        immediate = connection.get_execution_options().get("begins_writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _set_pragmas(connection: sqlite3.Connection, foreign_keys: bool) -> None:
    """Write-ahead log, so that readers and the one writer do not wait for each other.

    NORMAL syncs the log at checkpoints only: a killed process loses nothing, since what it wrote is with the
    operating system; a power cut may lose the last few answers, never the file's integrity. FULL would add
    an fsync to every answer.
    """
    connection.isolation_level = None  # transactions begin where we say so, not where the driver guesses
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT_S * 1000)}")
    connection.execute(f"PRAGMA foreign_keys = {int(foreign_keys)}")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = ON")  # what is erased is overwritten, not just unlinked
    _use_wal(connection)


def _use_wal(connection: sqlite3.Connection) -> None:
    """The file remembers its journal mode; only the first to open it has to set it.

    While two processes try at once SQLite answers "locked" without waiting, so the wait is ours.
    """
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    give_up_at = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up_at:
                raise
            time.sleep(0.02)

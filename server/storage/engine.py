"""The records' database: its engine, its kinds of transaction and of columns, and what its errors mean."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import URL, DateTime, Engine, LargeBinary, MetaData, create_engine, event, make_url
from sqlalchemy import Connection as Connection  # noqa: PLC0414 - for who works within a transaction
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as NoFreeConnection
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

from server.errors import BadInputError, StorageError
from server.storage import postgresql as on_postgresql

BUSY_TIMEOUT_S = 5.0
# What it says → what a person can do about it.
SQLITE_SENTENCES = {
    "disk is full": "{store} cannot be written: the disk is full.",
    "disk I/O error": "{store} cannot be written or read: the disk reports an error, or has no room left.",
    "database is locked": "{store} is busy: another process has kept it locked for too long.",
    "readonly database": "{store} cannot be written: no permission.",
    "unable to open database file": "{store} cannot be opened: no permission, or not a file.",
    "not a database": "{store} is not a SQLite database, or it is damaged.",
    "malformed": "{store} is damaged; restore it from a backup.",
}


# How keys and constraints are named, so that a migration can speak of them.
NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcTime(TypeDecorator[datetime]):
    """A moment, aware and in UTC on both sides; SQLite itself would forget the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Any aware time as UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """UTC, whether or not the database kept the zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class PackedJson(TypeDecorator[Any]):
    """A JSON object, deflated: a trace repeats itself and is read as a whole or not at all.

    Takes dicts and dataclasses; gives dicts.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes:
        """UTF-8 JSON, at zlib's quickest level."""
        return zlib.compress(json.dumps(value, default=_fields, separators=(",", ":")).encode(), level=1)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        """The object, with its keys as strings."""
        return None if value is None else json.loads(zlib.decompress(value))


def _fields(value: Any) -> dict[str, Any]:
    """A dataclass for the JSON encoder; `asdict` copies everything first, and takes five times as long."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


class Base(DeclarativeBase):
    """The parent of all tables; constraints have names, so that a migration can speak of them."""

    metadata = MetaData(naming_convention=NAMES)


def parse_time(text: str) -> datetime:
    """An ISO 8601 time, in UTC; one without a zone is taken as UTC."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # a moment of the year 1 or 9999 may be of no year in UTC
        raise BadInputError(f"{text!r} is no ISO 8601 time such as 2026-03-01T09:30:00Z.") from None


def end_of(text: str) -> datetime:
    """The first moment after an ISO 8601 day, or that very time."""
    moment = parse_time(text)
    try:
        return moment + timedelta(days=1) if _is_day(text) else moment
    except OverflowError:
        raise BadInputError(f"{text!r} is too late a day.") from None


def _is_day(text: str) -> bool:
    """Whether it is a day without a time, however ISO 8601 writes it: 2026-03-01, 20260301, 2026-W09-7."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def engine_for(url: str, *, foreign_keys: bool = True) -> Engine:
    """An engine for a SQLAlchemy URL, not yet connected; a URL that cannot be used is a `BadInputError`."""
    try:
        address = address_of(url)
        postgresql = address.get_backend_name() == "postgresql"
        options = on_postgresql.OPTIONS | {"pool_timeout": BUSY_TIMEOUT_S} if postgresql else {}
        # An error would quote the parameters otherwise, and with them what a visitor wrote.
        engine = create_engine(address, hide_parameters=True, **options)
    except (ArgumentError, NoSuchModuleError, ValueError):  # a port that is a word
        raise BadInputError(
            "LODGE_RECORDS_URL is no SQLAlchemy URL; it looks like sqlite:////folder/records.sqlite "
            "or postgresql://user:password@host/database."
        ) from None
    except ModuleNotFoundError as error:
        if error.name == "psycopg":
            raise  # an extra of ours: the command line says how to install it
        raise StorageError(
            f"LODGE_RECORDS_URL asks for {address.drivername}, whose driver {error.name!r} is not installed."
        ) from None
    if engine.dialect.name == "sqlite":
        _prepare_sqlite(engine, store_name(address), BUSY_TIMEOUT_S, foreign_keys)
    elif postgresql:
        on_postgresql.prepare(engine, BUSY_TIMEOUT_S)
    return engine


def address_of(url: str) -> URL:
    """The URL with the driver that is installed; what many write, `postgres://`, is understood too."""
    parsed = make_url(url)
    if parsed.drivername in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    return parsed


def writing(engine: Engine) -> Engine:
    """The same engine for transactions that write: SQLite takes the write lock at their beginning."""
    return engine.execution_options(begins_writing=True)


def is_missing(url: str) -> bool:
    """Whether it names a SQLite file that nobody has made yet; of other databases that is not known."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        return False
    return parsed.drivername.startswith("sqlite") and not Path(parsed.database or "").is_file()


class Transactions:
    """The kinds of transaction on one database; its errors are `StorageError`s.

    SQLite has one writer at a time. What reads before it writes relies on that, so PostgreSQL is held to it
    too, in `writing`. Visitors' questions need not wait there for an editor, nor for a purge: `recording`.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._postgresql = engine.dialect.name == "postgresql"
        self._read_engine = on_postgresql.reading(engine) if self._postgresql else engine
        self._write_engine = writing(engine)

    def close(self) -> None:
        """Lets go of the database's connections."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """What is read in it is of one moment."""
        with translated(), self._read_engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """All of it is kept, or nothing; no other such transaction is under way, in any process."""
        with self.recording() as connection:
            if self._postgresql:
                on_postgresql.write_alone(connection)
            yield connection

    @contextmanager
    def recording(self) -> Iterator[Connection]:
        """All of it is kept, or nothing; others may write meanwhile.

        Whoever writes into a conversation locks its row first, so that one conversation has one writer.
        """
        with translated(), self._write_engine.begin() as connection:
            yield connection


class RecordStore:
    """A feature's store. Its methods say what they raise; any of them raises `StorageError` as well."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions


def store_name(url: URL) -> str:
    """How a sentence calls the store: with its path or address, without a password."""
    where = url.database if url.drivername.startswith("sqlite") else url.render_as_string(hide_password=True)
    return f"The records store {where}"


@contextmanager
def translated(store: str = "The records store") -> Iterator[None]:
    """Turns the database's errors into `StorageError`s that begin with `store`.

    What no database takes, such as a number of more than 64 bits, is a `BadInputError`.
    """
    try:
        yield
    except OverflowError as error:
        raise BadInputError("This holds a number that cannot be stored.") from error
    except DBAPIError as error:
        if "NUL (0x00)" in str(error.orig):
            raise BadInputError("The text holds a NUL character, which cannot be stored.") from error
        if isinstance(error, DataError):
            raise BadInputError("This holds a number or a character that cannot be stored.") from error
        sentence = error.orig and (_sqlite_sentence(error.orig) or on_postgresql.sentence_of(error.orig))
        if sentence:
            raise StorageError(sentence.format(store=store)) from error
        raise StorageError(f"{store} could not be used ({type(error.orig).__name__}).") from error
    except NoFreeConnection as error:
        raise StorageError(f"{store} is busy: too many are waiting for it.") from error
    except UnicodeEncodeError as error:
        raise BadInputError("The text holds characters that cannot be stored as Unicode.") from error


def _sqlite_sentence(error: BaseException) -> str | None:
    """What is wrong, with `{store}` for the store; None for what is not known."""
    said = str(error)
    return next((sentence for words, sentence in SQLITE_SENTENCES.items() if words in said), None)


def _prepare_sqlite(engine: Engine, store: str, busy_timeout_s: float, foreign_keys: bool) -> None:
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

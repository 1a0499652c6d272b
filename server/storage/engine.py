"""Moments as they come from outside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as NoFreeConnection

from server.errors import BadInputError, StorageError
from server.storage import postgresql as on_postgresql
from server.storage import sqlite as on_sqlite


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


BUSY_TIMEOUT_S = 5.0


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
        on_sqlite.prepare(engine, store_name(address), BUSY_TIMEOUT_S, foreign_keys)
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
    """The kinds of transaction on one store; a database's error is a `StorageError`.

    SQLite has one writer at a time. What reads before it writes relies on that, so PostgreSQL is held to it
    too, in `writing`. Visitors' questions need not wait there for an editor, nor for a purge: `recording`.
    """

    def __init__(self, engine: Engine) -> None:
        self._postgresql = engine.dialect.name == "postgresql"
        self._read_engine = on_postgresql.reading(engine) if self._postgresql else engine
        self._write_engine = writing(engine)

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
        sentence = error.orig and (on_sqlite.sentence_of(error.orig) or on_postgresql.sentence_of(error.orig))
        if sentence:
            raise StorageError(sentence.format(store=store)) from error
        raise StorageError(f"{store} could not be used ({type(error.orig).__name__}).") from error
    except NoFreeConnection as error:
        raise StorageError(f"{store} is busy: too many are waiting for it.") from error
    except UnicodeEncodeError as error:
        raise BadInputError("The text holds characters that cannot be stored as Unicode.") from error

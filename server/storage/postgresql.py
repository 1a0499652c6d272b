"""PostgreSQL as a records store: what every connection is told, one writer at a time, and its errors."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, event, text

# Any numbers will do, as long as nothing else in the database takes advisory locks of the same ones.
MIGRATION_LOCK, WRITERS_LOCK = 5_633_401, 5_633_402
MIGRATION_WAIT_S = 600  # for whoever migrates already; its tables it wants at once, so that readers go on
# What the driver raises without a code of the server's, by name: SQLite's users need not import it.
NO_STATE = ("psycopg.OperationalError", "psycopg.errors.ConnectionTimeout")
IDLE_IN_TRANSACTION_S = 60  # a server that has gone away with its locks is waited for no longer

# For `create_engine`. A database whose machine has gone is noticed within a minute, not in two hours; what
# was closed while it lay in the pool is opened anew before it is used.
OPTIONS: dict[str, Any] = {
    "pool_pre_ping": True,
    "pool_size": 10,
    "max_overflow": 10,
    "connect_args": {
        "connect_timeout": 5,
        "keepalives": 1,
        "keepalives_idle": 20,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,
        "application_name": "lodge",
    },
}

# The beginning of an SQLSTATE → what a person can do about it.
SENTENCES = {
    "53100": "{store} cannot be written: the disk is full.",
    "533": "{store} is busy: its database takes no more connections.",
    "53": "{store} cannot be used: its database has no memory or room left.",
    "55P03": "{store} is busy: another process has kept it locked for too long.",
    "40": "{store} is busy: two changes were in each other's way; try again.",
    "25006": "{store} cannot be written: its database is read only, as a standby is.",
    "25P03": "{store} gave up on a change that took too long.",
    "57P": "{store} cannot be reached: its database is stopping or starting.",
    "28": "{store} cannot be opened: its database does not accept the user or the password.",
    "3D000": "{store} cannot be opened: there is no database of that name.",
    "42501": "{store} cannot be used: its database's user lacks the permission.",
    "XX001": "{store} is damaged; restore it from a backup.",
    "XX002": "{store} is damaged; restore it from a backup.",
    "08": "{store} cannot be reached: no connection to its database.",
}

# Before there is a connection there is no SQLSTATE either, only words.
WORDS = {
    "password": SENTENCES["28"],
    "pg_hba.conf": SENTENCES["28"],
    "role ": SENTENCES["28"],
    "does not exist": SENTENCES["3D000"],
    "too many clients": SENTENCES["533"],
    "remaining connection slots": SENTENCES["533"],
    "starting up": SENTENCES["57P"],
    "shutting down": SENTENCES["57P"],
    "recovery": SENTENCES["57P"],
    "": SENTENCES["08"],
}


def prepare(engine: Engine, busy_timeout_s: float) -> None:
    """Sets every connection up as it is opened: nothing waits for ever."""
    timeouts = (
        f"SET lock_timeout = {int(busy_timeout_s * 1000)};"
        f"SET idle_in_transaction_session_timeout = {IDLE_IN_TRANSACTION_S * 1000}"
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: Any) -> None:
        connection.execute(timeouts)
        connection.commit()


def reading(engine: Engine) -> Engine:
    """The same engine for transactions that only read: all of what one sees is of one moment."""
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def write_alone(connection: Connection) -> None:
    """Waits until no other is within such a transaction, as SQLite would; and keeps others waiting."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": WRITERS_LOCK})


def migrate_alone(connection: Connection, busy_timeout_s: float) -> None:
    """Waits until no other process migrates, however long that takes; and keeps others waiting."""
    connection.execute(text(f"SET LOCAL lock_timeout = {MIGRATION_WAIT_S * 1000}"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
    connection.execute(text(f"SET LOCAL lock_timeout = {int(busy_timeout_s * 1000)}"))


def sentence_of(error: BaseException) -> str | None:
    """What is wrong, with `{store}` for the store; None for what this file does not know."""
    state = getattr(error, "sqlstate", None)
    if state:
        return next((sentence for begin, sentence in SENTENCES.items() if state.startswith(begin)), None)
    kind = type(error)
    if f"{kind.__module__}.{kind.__name__}" not in NO_STATE:
        return None
    said = str(error)
    return next(sentence for words, sentence in WORDS.items() if words in said)

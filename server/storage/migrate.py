"""Brings a records store to the tables that this code knows, whoever else is starting at the same time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from server.errors import LodgeError, StorageError
from server.storage import postgresql as on_postgresql
from server.storage.engine import BUSY_TIMEOUT_S, Transactions, engine_for, store_name, translated, writing

if TYPE_CHECKING:
    from alembic.config import Config


# The newest revision in migrations/versions; known here so that a start need not import Alembic.
HEAD = "0021"


def open_transactions(url: str) -> Transactions:
    """Those of the database at a SQLAlchemy URL, whose tables are made or brought up to date first.

    Raises `StorageError` when they cannot be: a full disk, a folder that may not be written to, a store
    written by a newer Lodge; `BadInputError` for a URL that is none.
    """
    engine = engine_for(url)
    try:
        with translated(store_name(engine.url)):
            migrate(engine)
    except LodgeError:
        engine.dispose()
        raise
    return Transactions(engine)


def migrate(engine: Engine) -> None:
    """Upgrades to `HEAD` in one transaction; a store newer than this code is a `StorageError`."""
    with engine.connect() as connection:
        if revision_of(connection) == HEAD:
            return
    # Foreign keys rest meanwhile: rebuilding a table in SQLite drops the old one, and with
    # it what refers to it.
    own = engine_for(engine.url.render_as_string(hide_password=False), foreign_keys=False)
    try:
        with writing(own).begin() as connection:
            _upgrade(connection, store_name(engine.url))
    finally:
        own.dispose()


def revision_of(connection: Connection) -> str | None:
    """The revision a store is at; None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def alembic_config(connection: Connection) -> Config:
    """Alembic's configuration without an .ini file, for `alembic.command` functions on this connection."""
    from alembic.config import Config  # noqa: PLC0415 - 0.2 s that a start at head does not need

    config = Config()
    folder = str(Path(__file__).parent / "migrations")
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection, store: str) -> None:
    """Inside a transaction that holds the write lock, so that the second of two starters finds it done."""
    if connection.dialect.name == "postgresql":
        on_postgresql.migrate_alone(connection, BUSY_TIMEOUT_S)
    revision = revision_of(connection)
    if revision == HEAD:
        return
    from alembic import command  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = alembic_config(connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision is not None and revision not in known:
        raise StorageError(
            f"{store} was written by a newer Lodge: it is at revision {revision}, "
            f"and the newest known here is {HEAD}. Update Lodge."
        )
    command.upgrade(config, HEAD)

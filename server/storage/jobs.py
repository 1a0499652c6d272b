"""Jobs that hold visitors' words, which go with the conversations that they may have them from."""

from __future__ import annotations

from sqlalchemy import Connection, delete, update

from server.storage.tables.running import StoredJob


def forget_personal_jobs(connection: Connection) -> None:
    """What such jobs have found is removed; those that are still at it are ended, and keep nothing."""
    is_personal, is_open = StoredJob.personal.is_(True), StoredJob.ended_at.is_(None)
    connection.execute(delete(StoredJob).where(is_personal, ~is_open))
    connection.execute(update(StoredJob).where(is_personal, is_open).values(cancel_asked=True))

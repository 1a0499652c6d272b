"""A disk on which SQLite's files cannot grow any more: SQLite itself says that it is full."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event
from sqlalchemy.pool import Pool

MORE_THAN_ENOUGH = 1_000_000


class FullDisk:
    """What every connection that was made meanwhile may use, in pages of 4 kB."""

    def __init__(self, pages: int) -> None:
        self._pages = pages
        self._connections: list[sqlite3.Connection] = []

    def limit(self, connection: sqlite3.Connection, _record: Any) -> None:
        """For `Pool`'s event of a new connection."""
        connection.execute(f"PRAGMA max_page_count = {self._pages}")
        self._connections.append(connection)

    def make_room(self) -> None:
        """Somebody has tidied up; the connections stay the same."""
        for connection in self._connections:
            connection.execute(f"PRAGMA max_page_count = {MORE_THAN_ENOUGH}")


@contextmanager
def full_disk(pages: int) -> Iterator[FullDisk]:
    """Every connection made meanwhile may grow its file to so many pages; then the disk is full."""
    disk = FullDisk(pages)
    event.listen(Pool, "connect", disk.limit)
    try:
        yield disk
    finally:
        event.remove(Pool, "connect", disk.limit)

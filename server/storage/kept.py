"""What editors write, kept a row each under an id of its own; every change is in the audit log."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from server.errors import NotFoundError
from server.storage.audit import Kind, note_change
from server.storage.conversations import plain
from server.storage.engine import UtcTime, parse_time
from server.storage.tables.editors import CurationVersion

Thing = TypeVar("Thing", bound=Any)  # a frozen dataclass with the table's columns; moments are ISO 8601


def read_version(connection: Connection) -> str:
    """Another value after every change to curated answers, notices, suggested questions or opening hours."""
    return connection.execute(select(CurationVersion.value)).scalar_one()


def renew_version(connection: Connection) -> None:
    """A random value: a counter could come to the same number again after a restored backup."""
    connection.execute(update(CurationVersion).values(value=uuid.uuid4().hex))


@dataclass(frozen=True, slots=True)
class Shelf(Generic[Thing]):
    """How one kind of thing is kept: its kind in the audit log, its table and its class.

    `checked` makes a thing as it is kept, or raises `BadInputError`; `missing` says that there is none.
    """

    kind: Kind
    table: Any
    of: type[Thing]
    checked: Callable[[Thing], Thing]
    missing: str

    def all(self, connection: Connection, *conditions: ColumnElement[bool]) -> tuple[Thing, ...]:
        """Those that fulfil the conditions, by site and id."""
        query = select(self.table.__table__).where(*conditions).order_by(self.table.site, self.table.id)
        return tuple(msgspec.convert(plain(row), self.of) for row in connection.execute(query).mappings())

    def get(self, connection: Connection, own: str) -> Thing:
        """The one with that id; `NotFoundError`."""
        for one in self.all(connection, self.table.id == own):
            return one
        raise NotFoundError(self.missing)

    def put(self, connection: Connection, thing: Thing, by: str) -> Thing | None:
        """Keeps it in place of what had its id, and returns that; `BadInputError`."""
        thing = self.checked(thing)
        before = next(iter(self.all(connection, self.table.id == thing.id)), None)
        connection.execute(delete(self.table).where(self.table.id == thing.id))
        row = asdict(thing)
        for column in self.table.__table__.columns:
            if isinstance(column.type, UtcTime):
                row[column.name] = parse_time(row[column.name])
        connection.execute(insert(self.table), row)
        note_change(connection, by, (self.kind, thing.id), before and asdict(before), asdict(thing))
        return before

    def remove(self, connection: Connection, own: str, by: str) -> Thing:
        """Removes it, and returns it; `NotFoundError`."""
        removed = self.get(connection, own)
        connection.execute(delete(self.table).where(self.table.id == own))
        note_change(connection, by, (self.kind, own), asdict(removed), None)
        return removed

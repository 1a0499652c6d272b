"""What all tables have in common: the names of their keys, moments and packed JSON."""

from __future__ import annotations

import dataclasses
import json
import zlib
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, LargeBinary, MetaData
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

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

"""Curated answers and notices: whole ones are put by their id, and who puts one is told what was there."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from server.curation import CuratedAnswer, Notice
from server.errors import NotFoundError
from server.records_db.curation_check import checked_answer, checked_notice
from server.records_db.tables import CurationVersion, StoredCuratedAnswer, StoredNotice

Kept = type[StoredCuratedAnswer] | type[StoredNotice]

NO_ANSWER = "There is no curated answer with that id."
NO_NOTICE = "There is no notice with that id."


def read_answers(connection: Connection, site: str | None) -> tuple[CuratedAnswer, ...]:
    """Those of a site, or all, by site and id."""
    return tuple(map(_answer, _rows(connection, StoredCuratedAnswer, site)))


def put_answer(connection: Connection, answer: CuratedAnswer) -> CuratedAnswer | None:
    """Keeps it in place of what had its id, and returns that; `BadInputError`."""
    row = asdict(checked_answer(answer))
    before = _taken(connection, StoredCuratedAnswer, answer.id)
    connection.execute(insert(StoredCuratedAnswer), row)
    _note_change(connection)
    return _answer(before) if before else None


def remove_answer(connection: Connection, answer_id: str) -> CuratedAnswer:
    """Removes it, and returns it; `NotFoundError`."""
    row = _taken(connection, StoredCuratedAnswer, answer_id)
    if row is None:
        raise NotFoundError(NO_ANSWER)
    _note_change(connection)
    return _answer(row)


def read_notices(connection: Connection, site: str | None) -> tuple[Notice, ...]:
    """Those of a site, or all, by site and id; those that are over too."""
    return tuple(map(_notice, _rows(connection, StoredNotice, site)))


def put_notice(connection: Connection, notice: Notice) -> Notice | None:
    """Keeps it in place of what had its id, and returns that; `BadInputError`."""
    row = asdict(checked_notice(notice, datetime.now(UTC)))
    before = _taken(connection, StoredNotice, notice.id)
    connection.execute(insert(StoredNotice), row | {"until": datetime.fromisoformat(row["until"])})
    _note_change(connection)
    return _notice(before) if before else None


def remove_notice(connection: Connection, notice_id: str) -> Notice:
    """Removes it, and returns it; `NotFoundError`."""
    row = _taken(connection, StoredNotice, notice_id)
    if row is None:
        raise NotFoundError(NO_NOTICE)
    _note_change(connection)
    return _notice(row)


def read_version(connection: Connection) -> str:
    """Another value after every change."""
    return connection.execute(select(CurationVersion.value)).scalar_one()


def _rows(connection: Connection, table: Kept, site: str | None) -> list[Mapping[str, Any]]:
    query = select(table.__table__).order_by(table.site, table.id)
    if site is not None:
        query = query.where(table.site == site)
    return [dict(row) for row in connection.execute(query).mappings()]


def _taken(connection: Connection, table: Kept, own: str) -> Mapping[str, Any] | None:
    """The row of that id, which is no longer there; None when there was none."""
    row = connection.execute(select(table.__table__).where(table.id == own)).mappings().one_or_none()
    connection.execute(delete(table).where(table.id == own))
    return None if row is None else dict(row)


def _note_change(connection: Connection) -> None:
    """A random value: a counter could come to the same number again after a restored backup."""
    connection.execute(update(CurationVersion).values(value=uuid.uuid4().hex))


def _answer(row: Mapping[str, Any]) -> CuratedAnswer:
    links = tuple((label, url) for label, url in row["links"])
    return CuratedAnswer(**{**row, "phrasings": tuple(row["phrasings"]), "links": links})


def _notice(row: Mapping[str, Any]) -> Notice:
    return Notice(**{**row, "until": row["until"].isoformat()})

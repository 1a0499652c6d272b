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
from server.records_db.audit import Kind, note_change
from server.records_db.curation_check import checked_answer, checked_notice
from server.records_db.tables import CurationVersion, StoredCuratedAnswer, StoredNotice

Kept = type[StoredCuratedAnswer] | type[StoredNotice]

NO_ANSWER = "There is no curated answer with that id."
NO_NOTICE = "There is no notice with that id."


def read_answers(connection: Connection, site: str | None) -> tuple[CuratedAnswer, ...]:
    """Those of a site, or all, by site and id."""
    return tuple(map(_answer, _rows(connection, StoredCuratedAnswer, site)))


def put_answer(connection: Connection, answer: CuratedAnswer, by: str) -> CuratedAnswer | None:
    """Keeps it in place of what had its id, and returns that; `BadInputError`."""
    row = asdict(checked_answer(answer))
    taken = _taken(connection, StoredCuratedAnswer, answer.id)
    connection.execute(insert(StoredCuratedAnswer), row)
    before = _answer(taken) if taken else None
    _note(connection, by, ("curated", answer.id), before, row)
    return before


def remove_answer(connection: Connection, answer_id: str, by: str) -> CuratedAnswer:
    """Removes it, and returns it; `NotFoundError`."""
    row = _taken(connection, StoredCuratedAnswer, answer_id)
    if row is None:
        raise NotFoundError(NO_ANSWER)
    removed = _answer(row)
    _note(connection, by, ("curated", answer_id), removed, None)
    return removed


def read_notices(connection: Connection, site: str | None) -> tuple[Notice, ...]:
    """Those of a site, or all, by site and id; those that are over too."""
    return tuple(map(_notice, _rows(connection, StoredNotice, site)))


def put_notice(connection: Connection, notice: Notice, by: str) -> Notice | None:
    """Keeps it in place of what had its id, and returns that; `BadInputError`."""
    row = asdict(checked_notice(notice, datetime.now(UTC)))
    taken = _taken(connection, StoredNotice, notice.id)
    connection.execute(insert(StoredNotice), row | {"until": datetime.fromisoformat(row["until"])})
    before = _notice(taken) if taken else None
    _note(connection, by, ("notice", notice.id), before, row)
    return before


def remove_notice(connection: Connection, notice_id: str, by: str) -> Notice:
    """Removes it, and returns it; `NotFoundError`."""
    row = _taken(connection, StoredNotice, notice_id)
    if row is None:
        raise NotFoundError(NO_NOTICE)
    removed = _notice(row)
    _note(connection, by, ("notice", notice_id), removed, None)
    return removed


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


def _note(
    connection: Connection,
    by: str,
    thing: tuple[Kind, str],
    before: CuratedAnswer | Notice | None,
    after: Mapping[str, Any] | None,
) -> None:
    """Writes the change down, and renews the version.

    That is a random value: a counter could come to the same number again after a restored backup.
    """
    connection.execute(update(CurationVersion).values(value=uuid.uuid4().hex))
    note_change(connection, by, thing, asdict(before) if before else None, after)


def _answer(row: Mapping[str, Any]) -> CuratedAnswer:
    links = tuple((label, url) for label, url in row["links"])
    return CuratedAnswer(**{**row, "phrasings": tuple(row["phrasings"]), "links": links})


def _notice(row: Mapping[str, Any]) -> Notice:
    return Notice(**{**row, "until": row["until"].isoformat()})

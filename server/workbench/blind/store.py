"""What people preferred of two runs' answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, and_, delete, insert, select

from server.storage.audit import COMMAND_LINE, note_change
from server.storage.engine import RecordStore
from server.storage.tables.editors import StoredPreference


@dataclass(frozen=True, slots=True)
class Sides:
    """Which two are compared: each a run's name and a strategy of it, "20261125-120000 hybrid+rerank"."""

    a: str
    b: str


class PreferenceStore(RecordStore):
    """Preferences by question and person. Every method is one transaction."""

    def prefer(self, sides: Sides, question: str, preferred: str, *, by: str = COMMAND_LINE) -> None:
        """Keeps what somebody prefers, in place of what they preferred before."""
        own = and_(_of(sides), StoredPreference.question == question, StoredPreference.by == by)
        with self._transactions.writing() as connection:
            before = connection.execute(select(StoredPreference.preferred).where(own)).scalar_one_or_none()
            connection.execute(delete(StoredPreference).where(own))
            row = {"a": sides.a, "b": sides.b, "question": question, "by": by, "preferred": preferred}
            connection.execute(insert(StoredPreference), row | {"at": datetime.now(UTC)})
            told = None if before is None else {"preferred": before}
            note_change(connection, by, ("preference", question), told, {"preferred": preferred})

    def preferred(self, sides: Sides) -> dict[str, dict[str, str]]:
        """For each person who judged any, what they preferred by question, in the order of their names."""
        query = select(StoredPreference.by, StoredPreference.question, StoredPreference.preferred)
        found: dict[str, dict[str, str]] = {}
        with self._transactions.reading() as connection:
            for by, question, choice in connection.execute(
                query.where(_of(sides)).order_by(StoredPreference.by)
            ):
                found.setdefault(by, {})[question] = choice
        return found


def _of(sides: Sides) -> ColumnElement[bool]:
    return and_(StoredPreference.a == sides.a, StoredPreference.b == sides.b)

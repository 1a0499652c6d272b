"""The audit log: an entry beside each change, in its transaction: neither is there without the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, insert, select

from server.errors import BadInputError
from server.storage.engine import RecordStore
from server.storage.tables.running import StoredChange

COMMAND_LINE = "command line"  # who changed something with `lodge`; no token may have this name
SCHEDULE = "schedule"  # what a schedule has started; nor this one

Kind = Literal[
    "conversation", "crawl", "curated", "draft", "feedback", "gap", "golden", "hold", "hours", "judgement",
    "label", "notice", "owner", "preference", "rules", "sample", "schedule", "site", "snapshot",
    "subscription", "suggestion", "token"
]  # fmt: skip


def note_change(
    connection: Connection,
    by: str,
    thing: tuple[Kind, str],
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> None:
    """Writes down that `by` made `after` of `before`; `thing` is its kind and id, and None is "not there"."""
    kind, own = thing
    row = {"at": datetime.now(UTC), "who": by, "kind": kind, "thing": own, "before": before, "after": after}
    connection.execute(insert(StoredChange), row)


def is_as_added(connection: Connection, thing: tuple[Kind, str]) -> bool:
    """Whether a thing is as it was added, as far as the log still knows."""
    kind, own = thing
    changes = select(StoredChange.before).where(StoredChange.kind == kind, StoredChange.thing == own)
    latest = connection.execute(changes.order_by(StoredChange.number.desc()).limit(1)).one_or_none()
    return latest is not None and latest.before is None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`who` (a token's name, or "command line") made `after` of `before`, null where there was nothing."""

    at: str
    who: str
    kind: str
    id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    cursor: str


class AuditLog(RecordStore):
    """The audit log. What the database keeps is noted where it is changed, by `note_change`."""

    @contextmanager
    def noting(
        self,
        thing: tuple[Kind, str],
        before: Mapping[str, Any] | None,
        after: Mapping[str, Any] | None,
        *,
        by: str,
    ) -> Iterator[None]:
        """An entry for what happens outside of the records: it is kept if the block succeeds."""
        with self._transactions.writing() as connection:
            note_change(connection, by, thing, before, after)
            yield

    def changes(
        self, *, limit: int, before: str | None = None, kind: str | None = None, who: str | None = None
    ) -> list[AuditEntry]:
        """The latest changes, newest first, from before a row's `cursor`; of one kind, or by one token."""
        page = select(StoredChange.__table__).order_by(StoredChange.number.desc()).limit(limit)
        if before is not None:
            page = page.where(StoredChange.number < _number(before))
        if kind is not None:
            page = page.where(StoredChange.kind == kind)
        if who is not None:
            page = page.where(StoredChange.who == who)
        with self._transactions.reading() as connection:
            return [
                AuditEntry(
                    row.at.isoformat(), row.who, row.kind, row.thing, row.before, row.after, str(row.number)
                )
                for row in connection.execute(page)
            ]


def _number(cursor: str) -> int:
    """Eighteen digits are as many as any database's row number takes."""
    if cursor.isascii() and cursor.isdigit() and len(cursor) <= 18:
        return int(cursor)
    raise BadInputError(f"{cursor!r} is no `cursor` of the audit log.")

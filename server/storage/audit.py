"""The audit log: an entry beside each change, in its transaction: neither is there without the other."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, insert, select

from server.errors import BadInputError
from server.storage.tables import StoredChange

COMMAND_LINE = "command line"  # who changed something with `lodge`; no token may have this name
SCHEDULE = "schedule"  # what a schedule has started; nor this one

Kind = Literal[
    "conversation", "crawl", "curated", "draft", "feedback", "gap", "golden", "hold", "notice", "rules",
    "schedule", "site", "snapshot", "token"
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


def read_changes(
    connection: Connection, limit: int, before: str | None, kind: str | None, who: str | None
) -> list[dict[str, Any]]:
    """The latest entries, newest first, older than the `cursor` of the last one seen."""
    page = select(StoredChange.__table__).order_by(StoredChange.number.desc()).limit(limit)
    if before is not None:
        page = page.where(StoredChange.number < _number(before))
    if kind is not None:
        page = page.where(StoredChange.kind == kind)
    if who is not None:
        page = page.where(StoredChange.who == who)
    return [_row(dict(row)) for row in connection.execute(page).mappings()]


def _number(cursor: str) -> int:
    """Eighteen digits are as many as any database's row number takes."""
    if cursor.isascii() and cursor.isdigit() and len(cursor) <= 18:
        return int(cursor)
    raise BadInputError(f"{cursor!r} is no `cursor` of the audit log.")


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """`thing` goes out as `id`, which it is of its kind."""
    return {
        "at": row["at"].isoformat(),
        "who": row["who"],
        "kind": row["kind"],
        "id": row["thing"],
        "before": row["before"],
        "after": row["after"],
        "cursor": str(row["number"]),
    }

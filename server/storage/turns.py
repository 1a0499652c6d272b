"""Turns: the narrow rows beside messages by which answers are searched, counted and grouped.

A turn is written with its exchange (`conversations.py`). Here is what a query says of them, and how
migrations make those of answers that were recorded before there were any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, case, func, insert, select, update

from server.masking import Masker
from server.models import TurnFilter
from server.models.exchange import current_step
from server.storage.conversations import Steps, counted_columns, searched_text, topic_of, write_cited
from server.storage.engine import parse_time
from server.storage.tables.visitors import Conversation, MessageRow, StoredFeedback, StoredTrace, TurnRow

# An expression, since SQLite would go through the index of a bare column, and read every row for the rest.
SLICES: Mapping[str, ColumnElement[str]] = {
    "days": func.coalesce(TurnRow.day, ""),
    "sites": func.coalesce(TurnRow.site, ""),
    "topics": func.coalesce(TurnRow.topic, ""),
}
BATCH = 500
_COUNTED = ("site", "day", "question", "asked", "reason", "evidence", "threshold", "total_ms", "helpful")


def counted(wanted: TurnFilter) -> Iterator[ColumnElement[bool]]:
    """What a row of `turns` has to fulfil."""
    if wanted.since is not None:
        yield TurnRow.day >= day_of(wanted.since)
    if wanted.until is not None:
        yield TurnRow.day <= day_of(wanted.until)
    if wanted.site is not None:
        yield SLICES["sites"] == wanted.site
    if wanted.topic is not None:
        yield SLICES["topics"] == wanted.topic


def day_of(text: str) -> str:
    """The ISO 8601 day (UTC) of a day or time; `BadInputError`."""
    return parse_time(text).astimezone(UTC).date().isoformat()


def how_many(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """How many rows of a group are like that."""
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def fill_turns(connection: Connection) -> None:
    """Makes the rows of all answers that were recorded before there were any."""
    last = 0
    while batch := list(connection.execute(_recorded(last)).mappings()):
        for row in batch:
            _fill(connection, dict(row))
        last = batch[-1]["number"]


def complete_turns(connection: Connection) -> None:
    """Fills in what is counted, in the rows made before it was."""
    given: dict[str, Any] = {name: bindparam(f"new_{name}") for name in _COUNTED}
    change = update(TurnRow).where(TurnRow.number == bindparam("own")).values(given)
    last = 0
    while batch := list(connection.execute(_uncounted(last)).mappings()):
        connection.execute(change, [_completed(dict(row)) for row in batch])
        last = batch[-1]["number"]


def _uncounted(last: int) -> Any:
    question = MessageRow.__table__.alias("question")
    return (
        select(
            MessageRow.number, Conversation.site, MessageRow.refusal_reason, MessageRow.total_ms,
            MessageRow.at, question.c.text.label("question"), question.c.at.label("asked_at"),
            StoredTrace.document, StoredFeedback.helpful,
        )
        .join(TurnRow, TurnRow.number == MessageRow.number)
        .join(Conversation, Conversation.id == MessageRow.conversation_id)
        .join(question, question.c.id == MessageRow.id + "-question", isouter=True)
        .join(StoredTrace, StoredTrace.message_id == MessageRow.id, isouter=True)
        .join(StoredFeedback, StoredFeedback.message_id == MessageRow.id, isouter=True)
        .where(MessageRow.number > last)
        .order_by(MessageRow.number)
        .limit(BATCH)
    )  # fmt: skip


def _completed(row: Mapping[str, Any]) -> dict[str, Any]:
    new = {
        "site": row["site"],
        "reason": row["refusal_reason"],
        "total_ms": row["total_ms"],
        "helpful": row["helpful"],
        **counted_columns(row["question"] or "", row["asked_at"] or row["at"], _steps(row)),
    }
    return {"own": row["number"]} | {f"new_{name}": value for name, value in new.items()}


def _recorded(last: int) -> Any:
    question = MessageRow.__table__.alias("question")
    return (
        select(
            MessageRow.number, MessageRow.conversation_id, MessageRow.refused, MessageRow.answerer,
            MessageRow.text, MessageRow.answer, StoredTrace.document, question.c.text.label("question"),
        )
        .join(question, question.c.id == MessageRow.id + "-question", isouter=True)
        .join(StoredTrace, StoredTrace.message_id == MessageRow.id, isouter=True)
        .where(MessageRow.role == "assistant", MessageRow.number > last)
        .order_by(MessageRow.number)
        .limit(BATCH)
    )  # fmt: skip


def _fill(connection: Connection, row: Mapping[str, Any]) -> None:
    """Without the turns before it at hand, whatever looks personal in the answer is left out too."""
    answer = row["answer"] or {}
    connection.execute(
        insert(TurnRow),
        {
            "number": row["number"],
            "conversation_id": row["conversation_id"],
            "topic": topic_of(_steps(row)),
            "refused": row["refused"],
            "degraded": answer.get("degraded"),
            "answerer": row["answerer"] or "",
            "text": searched_text(row["question"] or "", Masker().masked(row["text"])),
        },
    )
    write_cited(connection, row["number"], [one["url"] for one in answer.get("citations", ())])


def _steps(row: Mapping[str, Any]) -> Steps:
    """The steps of a recorded trace, if there is one, under their present names."""
    document = row["document"] or {"steps": ()}
    return [(current_step(step["step"]), step["notes"]) for step in document["steps"]]

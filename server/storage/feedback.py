"""Feedback on answers: written over what was given before, and gone with its conversation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, tuple_, update

from server.errors import BadInputError, NotFoundError
from server.models import Feedback, FeedbackFilter, FeedbackState, FeedbackStates
from server.storage.audit import note_change
from server.storage.engine import end_of, parse_time
from server.storage.tables import Conversation, Message, StoredFeedback, Turn

NO_ANSWER = "There is no answer with that id in that conversation."


def write_feedback(connection: Connection, feedback: Feedback) -> None:
    """Keeps it, in place of what was given before; `NotFoundError` when there is no such answer."""
    own = select(Conversation.id).where(Conversation.id == feedback.conversation_id)
    connection.execute(own.with_for_update())  # in PostgreSQL two may write at once
    answer = select(Message.number).where(
        Message.id == feedback.message_id,
        Message.conversation_id == feedback.conversation_id,
        Message.role == "assistant",
    )
    number = connection.execute(answer).scalar_one_or_none()
    if number is None:
        raise NotFoundError(NO_ANSWER)
    connection.execute(delete(StoredFeedback).where(StoredFeedback.message_id == feedback.message_id))
    row = {
        "message_id": feedback.message_id,
        "helpful": feedback.helpful,
        "reason": feedback.reason,
        "comment": feedback.comment,
        "given_at": parse_time(feedback.given_at),
    }
    connection.execute(insert(StoredFeedback), row)
    connection.execute(update(Turn).where(Turn.number == number).values(helpful=feedback.helpful))


def read_feedback(connection: Connection, conversation_id: str) -> dict[str, dict[str, object]]:
    """The feedback on a conversation's answers, by message id; times are ISO 8601, UTC."""
    rows = connection.execute(
        select(StoredFeedback.__table__)
        .join(Message, StoredFeedback.message_id == Message.id)
        .where(Message.conversation_id == conversation_id)
    )
    return {
        row.message_id: {
            "helpful": row.helpful,
            "reason": row.reason,
            "comment": row.comment,
            "given_at": row.given_at.isoformat(),
        }
        for row in rows
    }


NO_FEEDBACK = "There is no feedback on an answer with that id."
NOTE_CHARS = 2000


def read_queue(
    connection: Connection, limit: int, before: str | None, wanted: FeedbackFilter
) -> list[dict[str, Any]]:
    """The latest, newest first, each with its question and answer; before a row's `cursor`."""
    own = StoredFeedback
    page = (
        select(
            *own.__table__.columns,
            Turn.question, Turn.site, Turn.topic, Message.text.label("answer"), Message.conversation_id,
            Message.trace_id, Message.refused,
        )
        .join(Message, Message.id == own.message_id)
        .join(Turn, Turn.number == Message.number)
        .where(_said(), *_wanted(wanted))
        .order_by(own.given_at.desc(), own.message_id.desc())
        .limit(limit)
    )  # fmt: skip
    if before is not None:
        moment, _, last = before.partition("~")
        page = page.where(tuple_(own.given_at, own.message_id) < (parse_time(moment), last))
    return [_row(dict(row)) for row in connection.execute(page).mappings()]


def count_states(connection: Connection) -> dict[str, int]:
    """How much feedback with a reason or a comment is in each state."""
    found = connection.execute(
        select(StoredFeedback.state, func.count().label("n")).where(_said()).group_by(StoredFeedback.state)
    )
    return dict.fromkeys(FeedbackStates, 0) | {row.state: row.n for row in found}


def change_state(connection: Connection, message_id: str, state: FeedbackState, note: str, by: str) -> None:
    """Notes what became of the feedback on an answer; `NotFoundError`, `BadInputError`."""
    if state not in FeedbackStates:
        raise BadInputError(f"state is {state!r}; it takes one of: {', '.join(FeedbackStates)}.")
    if len(note) > NOTE_CHARS:
        raise BadInputError(f"The note is longer than {NOTE_CHARS} characters.")
    own = StoredFeedback.message_id == message_id
    kept = connection.execute(select(StoredFeedback.state, StoredFeedback.note).where(own)).one_or_none()
    if kept is None:
        raise NotFoundError(NO_FEEDBACK)
    after = {"state": state, "note": note.strip()}
    connection.execute(
        update(StoredFeedback).where(own).values(**after, handled_by=by, handled_at=datetime.now(UTC))
    )
    note_change(connection, by, ("feedback", message_id), {"state": kept.state, "note": kept.note}, after)


def _said() -> ColumnElement[bool]:
    return or_(StoredFeedback.reason != "", StoredFeedback.comment != "")


def _wanted(wanted: FeedbackFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.state is not None:
        yield StoredFeedback.state == wanted.state
    if wanted.helpful is not None:
        yield StoredFeedback.helpful.is_(wanted.helpful)
    if wanted.since is not None:
        yield StoredFeedback.given_at >= parse_time(wanted.since)
    if wanted.until is not None:
        yield StoredFeedback.given_at < end_of(wanted.until)
    if wanted.site is not None:
        yield Turn.site == wanted.site


def _row(row: dict[str, Any]) -> dict[str, Any]:
    plain = {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()}
    return plain | {"cursor": f"{plain['given_at']}~{plain['message_id']}"}

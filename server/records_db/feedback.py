"""Feedback on answers: written over what was given before, and gone with its conversation."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select, update

from server.errors import NotFoundError
from server.records import Feedback
from server.records_db.tables import Conversation, Message, StoredFeedback, Turn
from server.records_db.times import parse_time

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

"""Finds conversations: a `ConversationFilter` as conditions, and what is there to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, exists, func, select

from server.models import ConversationFilter
from server.storage.engine import end_of, parse_time
from server.storage.tables import CitedPage, Conversation, Message, StoredFeedback, Turn
from server.storage.turns import comparable

Condition = ColumnElement[bool]


def conditions(wanted: ConversationFilter) -> Iterator[Condition]:
    """What a row of `conversations` has to fulfil."""
    if wanted.since is not None:
        yield Conversation.started_at >= parse_time(wanted.since)
    if wanted.until is not None:
        yield Conversation.started_at < end_of(wanted.until)
    if wanted.site is not None:
        yield Conversation.site == wanted.site
    of_turn = list(_of_turn(wanted))
    if few := list(_of_few_turns(wanted)):
        # To be begun with: asked of each conversation, SQLite would go through all of the few each time.
        yield Conversation.id.in_(select(Turn.conversation_id).where(*few, *of_turn))
    elif of_turn:
        # The newest come first, and most searches have enough before they have seen all.
        yield exists().where(Turn.conversation_id == Conversation.id, *of_turn)


def read_choices(connection: Connection) -> dict[str, list[str]]:
    """The sites, topics and answerers that conversations have, each in the order of the alphabet."""
    columns = {"sites": Conversation.site, "topics": Turn.topic, "answerers": Turn.answerer}
    return {
        name: [value for value in connection.scalars(select(column).distinct().order_by(column)) if value]
        for name, column in columns.items()
    }


def read_exchanges(connection: Connection, conversation_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Every question and answer of these conversations, in their order."""
    question = Message.__table__.alias("question")
    rows = connection.execute(
        select(
            Turn.conversation_id, Conversation.site, question.c.at, question.c.text.label("question"),
            Message.answer, Turn.topic,
            StoredFeedback.helpful, StoredFeedback.reason, StoredFeedback.comment, StoredFeedback.given_at,
        )
        .join(Message, Message.number == Turn.number)
        .join(Conversation, Conversation.id == Turn.conversation_id)
        .join(question, question.c.id == Message.id + "-question")
        .join(StoredFeedback, StoredFeedback.message_id == Message.id, isouter=True)
        .where(Turn.conversation_id.in_(conversation_ids))
        .order_by(Turn.number)
    ).mappings()  # fmt: skip
    place = {own: number for number, own in enumerate(conversation_ids)}
    return [_exchange(dict(row)) for row in sorted(rows, key=lambda row: place[row["conversation_id"]])]


def _of_turn(wanted: ConversationFilter) -> Iterator[Condition]:
    if wanted.topic is not None:
        yield Turn.topic == wanted.topic
    if wanted.refused is not None:
        yield Turn.refused.is_(wanted.refused)
    if wanted.degraded is not None:
        yield Turn.degraded.is_not(None) if wanted.degraded else Turn.degraded.is_(None)
    if wanted.answerer is not None:
        yield Turn.answerer == wanted.answerer
    if wanted.rating == "none":
        yield Turn.number.not_in(_rated())
    if wanted.text and wanted.text.strip():
        yield Turn.text.contains(comparable(wanted.text), autoescape=True)


def _of_few_turns(wanted: ConversationFilter) -> Iterator[Condition]:
    if wanted.rating == "any":
        yield Turn.number.in_(_rated())
    elif wanted.rating in ("helpful", "unhelpful"):
        yield Turn.number.in_(_rated().where(StoredFeedback.helpful.is_(wanted.rating == "helpful")))
    if wanted.url:
        begins = func.substr(CitedPage.url, 1, len(wanted.url)) == wanted.url
        yield Turn.number.in_(select(CitedPage.number).where(begins))


def _rated() -> Select[Any]:
    return select(Message.number).join(StoredFeedback, StoredFeedback.message_id == Message.id)


def _exchange(row: Mapping[str, Any]) -> dict[str, Any]:
    given = None
    if row["helpful"] is not None:
        given = {key: row[key] for key in ("helpful", "reason", "comment")}
        given["given_at"] = row["given_at"].isoformat()
    plain = {key: row[key] for key in ("conversation_id", "site", "question", "answer", "topic")}
    return plain | {"at": row["at"].isoformat(), "feedback": given}

"""Answers judged by hand: a sample of what was said, drawn at random, and whether it was right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, and_, case, delete, func, insert, null, select

from server.errors import NotFoundError
from server.models import TurnFilter
from server.models.answers import OF_NO_QUESTION
from server.storage.audit import COMMAND_LINE, note_change
from server.storage.engine import RecordStore
from server.storage.tables.visitors import SEEMS, MessageRow, StoredJudgement, TurnRow
from server.storage.turns import counted, how_many

Outcome = Literal["confident", "seems", "refused"]
Outcomes: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class SampledAnswer:
    """A question as it was asked and as it stands alone, and the contract's JSON of what was answered."""

    message_id: str
    asked: str
    question: str
    answer: dict[str, Any]
    site: str
    topic: str | None
    day: str
    conversation_id: str
    trace_id: str | None


@dataclass(frozen=True, slots=True)
class JudgedShare:
    """How many answers of one outcome were judged, and how many of them were right."""

    outcome: Outcome
    judged: int
    right: int


class JudgementStore(RecordStore):
    """Judgements of answers; they go with their answer. Every method is one transaction."""

    def sample(self, wanted: TurnFilter, outcome: Outcome, limit: int) -> list[SampledAnswer]:
        """Some answers of that outcome that nobody has judged yet, drawn at random, each as likely."""
        if not limit:
            return []
        question = MessageRow.__table__.alias("question")
        drawn = (
            select(TurnRow.number)
            .join(MessageRow, MessageRow.number == TurnRow.number)
            .where(_outcome() == outcome, *counted(wanted))
            .where(MessageRow.id.not_in(select(StoredJudgement.message_id)))
            .order_by(func.random())
            .limit(limit)
        )
        with self._transactions.reading() as connection:
            numbers = list(connection.scalars(drawn))
            found = connection.execute(
                select(
                    MessageRow.id.label("message_id"), question.c.text.label("asked"), TurnRow.question,
                    MessageRow.answer, TurnRow.site, TurnRow.topic, TurnRow.day, TurnRow.conversation_id,
                    MessageRow.trace_id,
                )
                .join(MessageRow, MessageRow.number == TurnRow.number)
                .join(question, question.c.id == MessageRow.id + "-question")
                .where(TurnRow.number.in_(numbers))
            )  # fmt: skip
            return [SampledAnswer(**row) for row in found.mappings()]

    def judge(self, message_id: str, *, right: bool, by: str = COMMAND_LINE) -> None:
        """Keeps what somebody found, in place of what was found before; `NotFoundError`: no such answer."""
        own = StoredJudgement.message_id == message_id
        is_answer = and_(MessageRow.id == message_id, MessageRow.role == "assistant")
        with self._transactions.writing() as connection:
            if connection.execute(select(MessageRow.id).where(is_answer)).first() is None:
                raise NotFoundError("There is no answer with that id.")
            before = connection.execute(select(StoredJudgement.right).where(own)).scalar_one_or_none()
            connection.execute(delete(StoredJudgement).where(own))
            row = {"message_id": message_id, "right": right, "by": by, "at": datetime.now(UTC)}
            connection.execute(insert(StoredJudgement), row)
            told = None if before is None else {"right": before}
            note_change(connection, by, ("judgement", message_id), told, {"right": right})

    def shares(self, wanted: TurnFilter) -> list[JudgedShare]:
        """What was judged of each outcome, of the answers that are wanted."""
        outcome = _outcome().label("outcome")
        query = (
            select(outcome, func.count().label("judged"), how_many(StoredJudgement.right.is_(True)))
            .join(MessageRow, MessageRow.id == StoredJudgement.message_id)
            .join(TurnRow, TurnRow.number == MessageRow.number)
            .where(*counted(wanted))
            .group_by("outcome")
        )
        with self._transactions.reading() as connection:
            found = {name: (judged, right) for name, judged, right in connection.execute(query)}
        return list(_shares(found))


def _shares(found: dict[str | None, tuple[int, int]]) -> Iterator[JudgedShare]:
    for outcome in Outcomes:
        yield JudgedShare(outcome, *found.get(outcome, (0, 0)))


def _outcome() -> ColumnElement[str | None]:
    """What became of a question; null for what is not judged."""
    return case(
        (TurnRow.answerer.in_(OF_NO_QUESTION), null()),
        (TurnRow.refused.is_(True), "refused"),
        (TurnRow.reason == SEEMS, "seems"),
        else_="confident",
    )

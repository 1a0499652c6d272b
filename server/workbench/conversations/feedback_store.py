"""What visitors said of answers, as a queue that editors work off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, func, or_, select, tuple_, update

from server.errors import BadInputError, NotFoundError
from server.models import FeedbackFilter, FeedbackState, FeedbackStates
from server.storage.audit import COMMAND_LINE, note_change
from server.storage.conversations import plain
from server.storage.engine import RecordStore, end_of, parse_time
from server.storage.tables.visitors import MessageRow, StoredFeedback, TurnRow

NOTE_CHARS = 2000
EVERY_STATE = FeedbackFilter()


@dataclass(frozen=True, slots=True)
class QueuedFeedback:
    """What a visitor said of an answer; from `state` on, what became of it.

    `asked` is the question as the visitor typed it, `question` as it stands alone.
    """

    message_id: str
    helpful: bool
    reason: str
    comment: str
    given_at: str
    state: str
    note: str
    handled_by: str
    handled_at: str | None
    asked: str | None
    question: str
    answer: str
    refused: bool
    site: str
    topic: str | None
    conversation_id: str
    trace_id: str | None
    cursor: str


class FeedbackStore(RecordStore):
    """The feedback with a reason or a comment, and every thumb down. Every method is one transaction."""

    def queue(
        self, *, limit: int, before: str | None = None, wanted: FeedbackFilter = EVERY_STATE
    ) -> list[QueuedFeedback]:
        """The latest, newest first, each with its question and answer; before a row's `cursor`."""
        own = StoredFeedback
        question = MessageRow.__table__.alias("question")
        page = (
            select(
                *own.__table__.columns, question.c.text.label("asked"),
                TurnRow.question, TurnRow.site, TurnRow.topic, MessageRow.text.label("answer"),
                MessageRow.conversation_id, MessageRow.trace_id, MessageRow.refused,
            )
            .join(MessageRow, MessageRow.id == own.message_id)
            .join(TurnRow, TurnRow.number == MessageRow.number)
            .join(question, question.c.id == MessageRow.id + "-question", isouter=True)
            .where(_said(), *_wanted(wanted))
            .order_by(own.given_at.desc(), own.message_id.desc())
            .limit(limit)
        )  # fmt: skip
        if before is not None:
            moment, _, last = before.partition("~")
            page = page.where(tuple_(own.given_at, own.message_id) < (parse_time(moment), last))
        with self._transactions.reading() as connection:
            rows = [plain(row) for row in connection.execute(page).mappings()]
        return [QueuedFeedback(**row, cursor=f"{row['given_at']}~{row['message_id']}") for row in rows]

    def states(self) -> dict[str, int]:
        """How much of it is in each state."""
        state = StoredFeedback.state
        counts = select(state, func.count().label("n")).where(_said()).group_by(state)
        with self._transactions.reading() as connection:
            found = {row.state: row.n for row in connection.execute(counts)}
        return dict.fromkeys(FeedbackStates, 0) | found

    def handle(self, message_id: str, state: FeedbackState, note: str, *, by: str = COMMAND_LINE) -> None:
        """Notes what became of the feedback on an answer; `NotFoundError`, `BadInputError`."""
        if state not in FeedbackStates:
            raise BadInputError(f"state is {state!r}; it takes one of: {', '.join(FeedbackStates)}.")
        if len(note) > NOTE_CHARS:
            raise BadInputError(f"The note is longer than {NOTE_CHARS} characters.")
        own = StoredFeedback.message_id == message_id
        after = {"state": state, "note": note.strip()}
        handled = {**after, "handled_by": by, "handled_at": datetime.now(UTC)}
        with self._transactions.writing() as connection:
            before = connection.execute(
                select(StoredFeedback.state, StoredFeedback.note).where(own)
            ).mappings()
            kept = before.one_or_none()
            if kept is None:
                raise NotFoundError("There is no feedback on an answer with that id.")
            connection.execute(update(StoredFeedback).where(own).values(handled))
            note_change(connection, by, ("feedback", message_id), dict(kept), after)


def _said() -> ColumnElement[bool]:
    said = (StoredFeedback.reason != "", StoredFeedback.comment != "")
    return or_(StoredFeedback.helpful.is_(False), *said)


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
        yield TurnRow.site == wanted.site

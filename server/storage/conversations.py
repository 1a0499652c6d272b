"""Conversations, their messages and traces: written in one transaction, read as JSON-ready rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, ScalarSelect, Select, delete, exists, func, insert, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from server.errors import ConflictError, NotFoundError
from server.models import EVERYTHING, Answer, ConversationFilter, Exchange, Question
from server.models.answers import current_step
from server.storage.engine import parse_time
from server.storage.finding import conditions
from server.storage.gaps import drop_empty
from server.storage.jobs import forget_personal_jobs
from server.storage.tables import Conversation, Erasure, LegalHold, Message, StoredFeedback, StoredTrace, Turn
from server.storage.turns import write_turn

NO_CONVERSATION = "There is no conversation with that id."
NO_TRACE = "There is no trace with that id."
OTHER_SITE = "A conversation of that id belongs to another site; begin one with another id."


def write_exchange(connection: Connection, exchange: Exchange) -> None:
    """The conversation if it is new, the question, the answer and its trace."""
    question, answer = exchange.question, exchange.answer
    asked_at = parse_time(exchange.asked_at)
    _touch(connection, question.conversation_id, question.site, asked_at)
    connection.execute(insert(Message), _question_columns(question, answer.message_id, asked_at))
    written = connection.execute(insert(Message).returning(Message.number), _answer_columns(answer, asked_at))
    write_turn(connection, written.scalar_one(), exchange)
    # `PackedJson` writes the trace as its `as_json` would, quicker.
    traced = {"id": exchange.trace.trace_id, "message_id": answer.message_id, "document": exchange.trace}
    connection.execute(insert(StoredTrace), traced)


def read_history(connection: Connection, conversation_id: str, limit: int) -> tuple[tuple[str, str], ...]:
    """The last `limit` messages as (role, text), oldest first; empty for an unknown conversation."""
    latest = (
        select(Message.role, Message.text)
        .where(Message.conversation_id == conversation_id)
        .order_by(Message.number.desc())
        .limit(limit)
    )
    return tuple((role, text) for role, text in reversed(connection.execute(latest).all()))


def read_site(connection: Connection, conversation_id: str) -> str | None:
    """The site that the conversation belongs to; None where there is none."""
    return connection.scalar(select(Conversation.site).where(Conversation.id == conversation_id))


def read_last_answer(connection: Connection, conversation_id: str) -> str | None:
    """The id of the last answer's message."""
    of_it = (Message.conversation_id == conversation_id, Message.role == "assistant")
    return connection.scalar(select(Message.id).where(*of_it).order_by(Message.number.desc()).limit(1))


def read_conversations(
    connection: Connection, limit: int, before: str | None, wanted: ConversationFilter = EVERYTHING
) -> list[dict[str, Any]]:
    """The latest conversations that are wanted, with their counts, newest first.

    `before` is an ISO time, or the `cursor` of the last row seen, which also tells apart conversations
    that started at the same moment.
    """
    page = _overview().order_by(Conversation.started_at.desc(), Conversation.id.desc()).limit(limit)
    page = page.where(*conditions(wanted))
    if before is not None:
        moment, _, last_id = before.partition("~")
        page = page.where(tuple_(Conversation.started_at, Conversation.id) < (parse_time(moment), last_id))
    rows = [_plain(dict(row)) for row in connection.execute(page).mappings()]
    return [row | {"cursor": f"{row['started_at']}~{row['id']}"} for row in rows]


def read_conversation(connection: Connection, conversation_id: str) -> dict[str, Any]:
    """One conversation with its messages, oldest first."""
    found = connection.execute(
        select(Conversation.__table__).where(Conversation.id == conversation_id)
    ).mappings()
    conversation = found.one_or_none()
    if conversation is None:
        raise NotFoundError(NO_CONVERSATION)
    left_out = ("number", "conversation_id")
    columns = [column for column in Message.__table__.columns if column.name not in left_out]
    messages = connection.execute(
        select(*columns).where(Message.conversation_id == conversation_id).order_by(Message.number)
    ).mappings()
    return _plain(dict(conversation)) | {"messages": [_plain(dict(message)) for message in messages]}


def read_trace(connection: Connection, trace_id: str) -> dict[str, Any]:
    """A trace as `Trace.as_json` gave it, with its `conversation_id`, `asked_at` and `answer` beside it."""
    found = connection.execute(
        select(StoredTrace.document, Message.conversation_id, Message.at, Message.answer)
        .join(Message, StoredTrace.message_id == Message.id)
        .where(StoredTrace.id == trace_id)
    ).one_or_none()
    if found is None:
        raise NotFoundError(NO_TRACE)
    document: dict[str, Any] = found.document
    document["steps"] = [one | {"step": current_step(one["step"])} for one in document["steps"]]
    beside = {"conversation_id": found.conversation_id, "at": found.at.isoformat(), "answer": found.answer}
    return document | beside


def _touch(connection: Connection, conversation_id: str, site: str, at: datetime) -> None:
    """Renews the conversation's last time, or begins it; `ConflictError` where it is another site's."""
    of_site = (Conversation.id == conversation_id, Conversation.site == site)
    renewal = update(Conversation).where(*of_site).values(last_at=at)
    if connection.execute(renewal).rowcount:
        return
    try:
        with connection.begin_nested():
            new = {"id": conversation_id, "site": site, "started_at": at, "last_at": at}
            connection.execute(insert(Conversation), new)
    except IntegrityError:
        # Another process began it in between, which only PostgreSQL lets happen; or another site has it.
        if not connection.execute(renewal).rowcount:
            raise ConflictError(OTHER_SITE) from None


def _question_columns(question: Question, message_id: str, asked_at: datetime) -> dict[str, Any]:
    """The contract's message id is the answer's; the question's is made from it."""
    return {
        "id": f"{message_id}-question",
        "conversation_id": question.conversation_id,
        "role": "user",
        "text": question.text,
        "at": asked_at,
        "refused": False,
    }


def _answer_columns(answer: Answer, asked_at: datetime) -> dict[str, Any]:
    total_ms = answer.timings_ms.get("total", sum(answer.timings_ms.values()))
    return {
        "id": answer.message_id,
        "conversation_id": answer.conversation_id,
        "role": "assistant",
        "text": answer.answer,
        "at": asked_at + timedelta(milliseconds=total_ms),
        "answer": answer.as_json(),
        "refused": answer.refused,
        "refusal_reason": answer.refusal_reason,
        "answerer": answer.answerer,
        "strategy": answer.strategy,
        "snapshot": answer.snapshot,
        "trace_id": answer.trace_id,
        "total_ms": total_ms,
    }


def _overview() -> Select[Any]:
    """A row a conversation, with what a list shows of its messages."""
    questions = select(Message.text).where(Message.role == "user").order_by(Message.number)
    answerers = select(Message.answerer).where(Message.role == "assistant").order_by(Message.number.desc())
    counted = select(func.count())
    return select(
        *Conversation.__table__.columns,
        _one_of(questions).label("first_question"),
        _one_of(answerers).label("answerer"),
        _one_of(counted).label("messages"),
        _one_of(counted.where(Message.refused)).label("refused"),
        _one_of(_rated(True)).label("helpful"),
        _one_of(_rated(False)).label("unhelpful"),
    )


def _rated(helpful: bool) -> Select[Any]:
    feedback = StoredFeedback.message_id == Message.id
    return select(func.count()).where(exists().where(feedback, StoredFeedback.helpful.is_(helpful)))


def _one_of(of_messages: Select[Any]) -> ScalarSelect[Any]:
    """One value out of the messages of the conversation of the outer row."""
    own = of_messages.select_from(Message).where(Message.conversation_id == Conversation.id)
    return own.limit(1).correlate(Conversation).scalar_subquery()


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Times as ISO 8601, UTC."""
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()}


ON_HOLD = "This conversation is on legal hold: it has to be kept for now, and cannot be erased."
MARKED_FOR = timedelta(minutes=10)  # longer than any answer is on its way


def mark_erased(connection: Connection, conversation_id: str, site: str) -> None:
    """Notes that a site's conversation is erased, whether it is there or not; `ConflictError`: on hold."""
    _refuse_held(connection, conversation_id)
    now = datetime.now(UTC)
    fingerprint = _fingerprint(conversation_id, site)
    is_outdated = (Erasure.at < now - MARKED_FOR) | (Erasure.fingerprint == fingerprint)
    connection.execute(delete(Erasure).where(is_outdated))
    connection.execute(insert(Erasure), {"fingerprint": fingerprint, "at": now})


def is_marked_erased(connection: Connection, conversation_id: str, site: str) -> bool:
    """Whether it was erased a moment ago, at any server."""
    marked = select(Erasure.at).where(Erasure.fingerprint == _fingerprint(conversation_id, site))
    return connection.execute(marked).first() is not None


def erase_conversation(connection: Connection, conversation_id: str, site: str) -> None:
    """Messages and traces go with it, and gaps that had no other question; `ConflictError`: on hold.

    `NotFoundError` where there is none, or another site's.
    """
    _refuse_held(connection, conversation_id)
    of_gap = select(Turn.gap_id).where(Turn.conversation_id == conversation_id, Turn.gap_id.is_not(None))
    gap_ids = [own for own in connection.scalars(of_gap.distinct()) if own is not None]
    of_site = (Conversation.id == conversation_id, Conversation.site == site)
    gone = connection.execute(delete(Conversation).where(*of_site))
    if gone.rowcount == 0:
        raise NotFoundError(NO_CONVERSATION)
    drop_empty(connection, gap_ids)
    forget_personal_jobs(connection)


def _refuse_held(connection: Connection, conversation_id: str) -> None:
    held = select(LegalHold.at).where(LegalHold.conversation_id == conversation_id)
    if connection.execute(held).first():
        raise ConflictError(ON_HOLD, code="on_hold")


def _fingerprint(conversation_id: str, site: str) -> str:
    return sha256(f"{site}\0{conversation_id}".encode()).hexdigest()

"""Conversations, which visitors and the workbench share: recorded, read, rated and erased.

An exchange is two messages, a trace, and a narrow row of what is searched and counted of them (`turns.py`),
all written in one transaction. Rows go out as JSON-ready dicts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, exists, insert, select, update
from sqlalchemy.exc import IntegrityError

from server.errors import ConflictError, NotFoundError
from server.masking import Masker, in_every_text, without_masks
from server.models import Answer, Exchange, Feedback, Trace
from server.models.exchange import current_step, evidence_of
from server.storage.engine import RecordStore, Transactions, parse_time
from server.storage.jobs import forget_personal_jobs
from server.storage.tables.visitors import (
    SEEMS,
    CitedPage,
    Conversation,
    Erasure,
    Gap,
    LegalHold,
    MessageRow,
    StoredFeedback,
    StoredTrace,
    TurnRow,
)

NO_CONVERSATION = "There is no conversation with that id."
ON_HOLD = "This conversation is on legal hold: it has to be kept for now, and cannot be erased."
MARKED_FOR = timedelta(minutes=10)  # longer than any answer is on its way

Steps = Sequence[tuple[str, Mapping[str, Any]]]  # of a trace: each step's name with its notes
_NOT_A_WORD = re.compile(r"[^\w]+")
# The steps that note a question in their own words; the others note what the site's pages say.
_OWN_WORDS = ("triage", "contextualize", "rewrite")


class ConversationStore(RecordStore):
    """The conversations of all sites. Synchronous, and safe to share between threads.

    Every method but `erase` is one transaction; any of them raises `StorageError` when the database does not
    do its part.
    """

    def __init__(self, transactions: Transactions) -> None:
        super().__init__(transactions)
        self._masker: Callable[[], Masker] | None = None

    def mask_by(self, masker: Callable[[], Masker] | None) -> None:
        """Masks what visitors wrote as it is written, from now on, each time by a new masker; None: no more.

        Questions come masked already; what a fault or a new way in lets through ends here.
        """
        self._masker = masker

    def record(self, exchange: Exchange) -> None:
        """Writes a question, its answer and its trace, all or nothing, before it returns.

        `ConflictError` where the conversation is another site's.
        """
        if self._masker:
            exchange = _masked(exchange, self._masker())
        with self._transactions.recording() as connection:
            write_exchange(connection, exchange)

    def rate(self, given: Feedback) -> None:
        """Keeps what a visitor thinks of an answer, in place of anything earlier; `NotFoundError`."""
        if self._masker:
            given = replace(given, comment=self._masker().masked(given.comment))
        with self._transactions.recording() as connection:
            write_feedback(connection, given)

    def history(self, conversation_id: str, limit: int) -> tuple[tuple[str, str], ...]:
        """The last `limit` messages as (role, text), oldest first; empty for an unknown conversation."""
        latest = (
            select(MessageRow.role, MessageRow.text)
            .where(MessageRow.conversation_id == conversation_id)
            .order_by(MessageRow.number.desc())
            .limit(limit)
        )
        with self._transactions.reading() as connection:
            return tuple((role, text) for role, text in reversed(connection.execute(latest).all()))

    def site_of(self, conversation_id: str) -> str | None:
        """The site whose visitors' conversation it is; None for an unknown one."""
        with self._transactions.reading() as connection:
            return connection.scalar(select(Conversation.site).where(Conversation.id == conversation_id))

    def last_answer(self, conversation_id: str) -> str | None:
        """The message id of the conversation's last answer; None where there is none."""
        of_it = (MessageRow.conversation_id == conversation_id, MessageRow.role == "assistant")
        last = select(MessageRow.id).where(*of_it).order_by(MessageRow.number.desc()).limit(1)
        with self._transactions.reading() as connection:
            return connection.scalar(last)

    def conversation(self, conversation_id: str) -> dict[str, Any]:
        """One conversation: id, site, started_at, last_at, its `messages`, oldest first, and `hold`.

        Keys of a message: id, role, text, at, answer (the contract's JSON), refused, refusal_reason,
        answerer, strategy, snapshot, trace_id, total_ms, feedback (helpful, reason, comment, given_at; or
        None). `hold` has at, by and reason where it must be kept, else it is None. Raises `NotFoundError`.
        """
        of_it = MessageRow.conversation_id == conversation_id
        left_out = ("number", "conversation_id")
        columns = [column for column in MessageRow.__table__.columns if column.name not in left_out]
        feedback = (StoredFeedback.helpful, StoredFeedback.reason, StoredFeedback.comment)
        rated = select(StoredFeedback.message_id, *feedback, StoredFeedback.given_at).join(MessageRow)
        with self._transactions.reading() as connection:
            found = select(Conversation.__table__).where(Conversation.id == conversation_id)
            conversation = connection.execute(found).mappings().one_or_none()
            if conversation is None:
                raise NotFoundError(NO_CONVERSATION)
            messages = connection.execute(
                select(*columns).where(of_it).order_by(MessageRow.number)
            ).mappings()
            rows = map(plain, connection.execute(rated.where(of_it)).mappings())
            given = {row.pop("message_id"): row for row in rows}
            shown = [plain(message) | {"feedback": given.get(message["id"])} for message in messages]
            hold = read_hold(connection, conversation_id)
        return plain(conversation) | {"messages": shown, "hold": hold}

    def trace(self, trace_id: str) -> dict[str, Any]:
        """`Trace.as_json`, with `conversation_id`, `at` and `answer` beside it. Raises `NotFoundError`."""
        query = (
            select(StoredTrace.document, MessageRow.conversation_id, MessageRow.at, MessageRow.answer)
            .join(MessageRow, StoredTrace.message_id == MessageRow.id)
            .where(StoredTrace.id == trace_id)
        )
        with self._transactions.reading() as connection:
            found = connection.execute(query).one_or_none()
        if found is None:
            raise NotFoundError("There is no trace with that id.")
        document: dict[str, Any] = found.document
        document["steps"] = [one | {"step": current_step(one["step"])} for one in document["steps"]]
        beside = {"conversation_id": found.conversation_id, "at": found.at.isoformat()}
        return document | beside | {"answer": found.answer}

    def erase(self, conversation_id: str, site: str) -> None:
        """Removes a site's conversation with its traces; `NotFoundError`, `ConflictError` (on hold)."""
        with self._transactions.writing() as connection:
            mark_erased(connection, conversation_id, site)
        with self._transactions.writing() as connection:
            erase_conversation(connection, conversation_id, site)

    def is_erased(self, conversation_id: str, site: str) -> bool:
        """Whether it was erased within the last minutes, at this server or another."""
        marked = select(Erasure.at).where(Erasure.fingerprint == _fingerprint(conversation_id, site))
        with self._transactions.reading() as connection:
            return connection.execute(marked).first() is not None


def write_exchange(connection: Connection, exchange: Exchange) -> None:
    """The conversation if it is new, the question, the answer and its trace."""
    question, answer = exchange.question, exchange.answer
    asked_at = parse_time(exchange.asked_at)
    _touch(connection, question.conversation_id, question.site, asked_at)
    asked = {
        "id": f"{answer.message_id}-question",  # the contract's message id is the answer's
        "conversation_id": question.conversation_id,
        "role": "user",
        "text": question.text,
        "at": asked_at,
        "refused": False,
    }
    connection.execute(insert(MessageRow), asked)
    written = connection.execute(
        insert(MessageRow).returning(MessageRow.number), _answer_columns(answer, asked_at)
    )
    _write_turn(connection, written.scalar_one(), exchange)
    # `PackedJson` writes the trace as its `as_json` would, quicker.
    traced = {"id": exchange.trace.trace_id, "message_id": answer.message_id, "document": exchange.trace}
    connection.execute(insert(StoredTrace), traced)


def write_feedback(connection: Connection, feedback: Feedback) -> None:
    """Keeps it, in place of what was given before; `NotFoundError` when there is no such answer."""
    own = select(Conversation.id).where(Conversation.id == feedback.conversation_id)
    connection.execute(own.with_for_update())  # in PostgreSQL two may write at once
    answer = select(MessageRow.number).where(
        MessageRow.id == feedback.message_id,
        MessageRow.conversation_id == feedback.conversation_id,
        MessageRow.role == "assistant",
    )
    number = connection.execute(answer).scalar_one_or_none()
    if number is None:
        raise NotFoundError("There is no answer with that id in that conversation.")
    connection.execute(delete(StoredFeedback).where(StoredFeedback.message_id == feedback.message_id))
    row = {name: getattr(feedback, name) for name in ("message_id", "helpful", "reason", "comment")}
    connection.execute(insert(StoredFeedback), row | {"given_at": parse_time(feedback.given_at)})
    connection.execute(update(TurnRow).where(TurnRow.number == number).values(helpful=feedback.helpful))


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
            raise ConflictError(
                "A conversation of that id belongs to another site; begin one with another id."
            ) from None


def _answer_columns(answer: Answer, asked_at: datetime) -> dict[str, Any]:
    total_ms = _total_ms(answer)
    copied = ("conversation_id", "refused", "refusal_reason", "answerer", "strategy", "snapshot", "trace_id")
    return {
        **{name: getattr(answer, name) for name in copied},
        "id": answer.message_id,
        "role": "assistant",
        "text": answer.answer,
        "at": asked_at + timedelta(milliseconds=total_ms),
        "answer": answer.as_json(),
        "total_ms": total_ms,
    }


def _write_turn(connection: Connection, number: int, exchange: Exchange) -> None:
    """The row of an exchange whose answer is the message of that number, and the pages it cites."""
    question, answer = exchange.question, exchange.answer
    steps = [(step.step, step.notes) for step in exchange.trace.steps]
    row = {
        "number": number,
        "conversation_id": answer.conversation_id,
        "topic": topic_of(steps),
        "refused": answer.refused,
        "degraded": answer.degraded,
        "answerer": answer.answerer,
        "text": searched_text(
            question.text, answer.answer, (text for role, text in question.history if role == "user")
        ),
        "site": question.site,
        "reason": SEEMS if answer.tier == SEEMS else answer.refusal_reason,
        "total_ms": _total_ms(answer),
        "help": "shown" if answer.answerer == "help" else _help(steps),
        **counted_columns(question.text, parse_time(exchange.asked_at), steps),
    }
    connection.execute(insert(TurnRow), row)
    write_cited(connection, number, [citation.url for citation in answer.citations])


def _total_ms(answer: Answer) -> float:
    return answer.timings_ms.get("total", sum(answer.timings_ms.values()))


def comparable(text: str) -> str:
    """A text as a search compares it: in small letters, on one line."""
    return " ".join(text.casefold().split())


def searched_text(question: str, answer: str, before: Iterable[str] = ()) -> str:
    """What a search looks through, without what is personal in the question or in what was said `before`.

    So nobody finds out by searching what the console does not show them; and what the site says of itself,
    telephone numbers too, is found.
    """
    masker = Masker()
    for text in before:
        masker.masked(text)
    said = (masker.masked(question), masker.echoed(answer))
    return "\n".join(comparable(without_masks(text)) for text in said)


def counted_columns(typed: str, at: datetime, steps: Steps) -> dict[str, Any]:
    """What a count needs of a question as it was typed, when it was asked, and its trace's steps."""
    question = question_alone(typed, steps)
    evidence, threshold = min(evidence_of(steps), key=lambda one: one.value, default=(None, None))
    return {
        "day": at.astimezone(UTC).date().isoformat(),
        "question": question,
        "asked": asked_key(question),
        "evidence": evidence,
        "threshold": threshold,
    }


def _help(steps: Steps) -> str | None:
    """Whether help lines were shown, or may have been missed."""
    heard = {name for step, notes in steps if step == "triage" for name in notes}
    return "shown" if "distress" in heard else "missed" if "may_be_distress" in heard else None


def topic_of(steps: Steps) -> str | None:
    """The likeliest topic of those that the flow allowed, from a trace's steps and their notes."""
    allowed = next((notes.get("allowed") for step, notes in steps if step == "classify"), None)
    return next(iter(allowed), None) if allowed else None


def question_alone(typed: str, steps: Steps) -> str:
    """The question as it stands alone, where the flow made it so; else as it was typed."""
    rewritten = [notes["question"] for step, notes in steps if step == "rewrite" and notes.get("question")]
    return " ".join(rewritten) or typed


def asked_key(question: str) -> str:
    """The same for questions of the same words, whatever their case and punctuation, without what is
    personal in them: sixteen hexadecimal digits."""
    words = _NOT_A_WORD.sub(" ", without_masks(Masker().masked(question)).casefold()).strip()
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def write_cited(connection: Connection, number: int, urls: Iterable[str]) -> None:
    """The pages that the answer of that number cites, each once."""
    if rows := [{"number": number, "url": url} for url in dict.fromkeys(urls)]:
        connection.execute(insert(CitedPage), rows)


def plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row with its times as ISO 8601, UTC."""
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()}


def read_hold(connection: Connection, conversation_id: str) -> dict[str, Any] | None:
    """`at`, `by` and `reason` of a conversation's legal hold, if it is on hold."""
    columns = select(LegalHold.at, LegalHold.by, LegalHold.reason)
    found = connection.execute(columns.where(LegalHold.conversation_id == conversation_id)).mappings()
    row = found.one_or_none()
    return None if row is None else plain(row)


def mark_erased(connection: Connection, conversation_id: str, site: str) -> None:
    """Notes that a site's conversation is erased, whether it is there or not; `ConflictError`: on hold."""
    _refuse_held(connection, conversation_id)
    now = datetime.now(UTC)
    fingerprint = _fingerprint(conversation_id, site)
    is_outdated = (Erasure.at < now - MARKED_FOR) | (Erasure.fingerprint == fingerprint)
    connection.execute(delete(Erasure).where(is_outdated))
    connection.execute(insert(Erasure), {"fingerprint": fingerprint, "at": now})


def erase_conversation(connection: Connection, conversation_id: str, site: str) -> None:
    """Messages and traces go with it, and gaps that had no other question; `ConflictError`: on hold.

    `NotFoundError` where there is none, or another site's.
    """
    _refuse_held(connection, conversation_id)
    of_site = (Conversation.id == conversation_id, Conversation.site == site)
    if delete_conversations(connection, [conversation_id], *of_site) == 0:
        raise NotFoundError(NO_CONVERSATION)


def delete_conversations(connection: Connection, ids: Sequence[str], *conditions: Any) -> int:
    """How many of these were removed where the conditions hold.

    With them go gaps that no question is left of, and the results of jobs with visitors' words.
    """
    of_gaps = select(TurnRow.gap_id).where(TurnRow.conversation_id.in_(ids), TurnRow.gap_id.is_not(None))
    gap_ids = list(connection.scalars(of_gaps.distinct()))
    gone = connection.execute(delete(Conversation).where(Conversation.id.in_(ids), *conditions))
    left = exists().where(TurnRow.gap_id == Gap.id)
    connection.execute(delete(Gap).where(Gap.id.in_(gap_ids), ~left))
    forget_personal_jobs(connection)
    return gone.rowcount


def _refuse_held(connection: Connection, conversation_id: str) -> None:
    if read_hold(connection, conversation_id):
        raise ConflictError(ON_HOLD, code="on_hold")


def _fingerprint(conversation_id: str, site: str) -> str:
    return hashlib.sha256(f"{site}\0{conversation_id}".encode()).hexdigest()


def _masked(exchange: Exchange, masker: Masker) -> Exchange:
    """The same exchange; where the answer and the site's pages repeat what is masked, that is masked too."""
    history = masker.masked_turns(exchange.question.history)
    question = replace(exchange.question, text=masker.masked(exchange.question.text), history=history)
    trace = _masked_trace(exchange.trace, masker)
    answer = replace(exchange.answer, answer=masker.echoed(exchange.answer.answer))
    return replace(exchange, question=question, answer=answer, trace=trace)


def _masked_trace(trace: Trace, masker: Masker) -> Trace:
    asked = dict(trace.asked)
    if "history" in asked:
        asked["history"] = [list(turn) for turn in masker.masked_turns(map(tuple, asked["history"]))]
    question, noted = masker.masked(trace.question), []
    for step in trace.steps:
        change = masker.masked if step.step in _OWN_WORDS else masker.echoed
        noted.append(replace(step, notes=in_every_text(change, step.notes)) if step.notes else step)
    return replace(trace, question=question, asked=asked, steps=tuple(noted))

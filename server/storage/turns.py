"""What is searched and counted of an exchange: a narrow row beside its messages, and the pages it cites."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from server.masking import Masker, without_masks
from server.models import Exchange
from server.models.answers import current_step
from server.storage.engine import parse_time
from server.storage.tables import CitedPage, Conversation, Message, StoredFeedback, StoredTrace, Turn

BATCH = 500
Steps = Iterable[tuple[str, Mapping[str, Any]]]  # of a trace: each step's name with its notes
_NOT_A_WORD = re.compile(r"[^\w]+")


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


def write_turn(connection: Connection, number: int, exchange: Exchange) -> None:
    """The row of an exchange whose answer is the message of that number."""
    question, answer = exchange.question, exchange.answer
    before = [text for role, text in question.history if role == "user"]
    steps = [(step.step, step.notes) for step in exchange.trace.steps]
    row = {
        "number": number,
        "conversation_id": answer.conversation_id,
        "topic": topic_of(steps),
        "refused": answer.refused,
        "degraded": answer.degraded,
        "answerer": answer.answerer,
        "text": searched_text(question.text, answer.answer, before),
        "site": question.site,
        "reason": answer.refusal_reason,
        "total_ms": answer.timings_ms.get("total", sum(answer.timings_ms.values())),
        **_counted(question.text, parse_time(exchange.asked_at), steps),
    }
    connection.execute(insert(Turn), row)
    _write_cited(connection, number, [citation.url for citation in answer.citations])


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
    change = update(Turn).where(Turn.number == bindparam("own")).values(given)
    last = 0
    while batch := list(connection.execute(_uncounted(last)).mappings()):
        connection.execute(change, [_completed(dict(row)) for row in batch])
        last = batch[-1]["number"]


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


def evidence_of(steps: Steps) -> tuple[float | None, float | None]:
    """The weakest evidence of an answer's parts, and the threshold it was held against."""
    found = [
        (notes["evidence"], notes.get("threshold"))
        for step, notes in steps
        if step == "extract" and "evidence" in notes
    ]
    return min(found, key=lambda one: one[0], default=(None, None))


_COUNTED = ("site", "day", "question", "asked", "reason", "evidence", "threshold", "total_ms", "helpful")


def _counted(typed: str, at: datetime, steps: Steps) -> dict[str, Any]:
    steps = list(steps)
    question = question_alone(typed, steps)
    evidence, threshold = evidence_of(steps)
    return {
        "day": at.astimezone(UTC).date().isoformat(),
        "question": question,
        "asked": asked_key(question),
        "evidence": evidence,
        "threshold": threshold,
    }


def _uncounted(last: int) -> Any:
    question = Message.__table__.alias("question")
    return (
        select(
            Message.number, Conversation.site, Message.refusal_reason, Message.total_ms, Message.at,
            question.c.text.label("question"), question.c.at.label("asked_at"), StoredTrace.document,
            StoredFeedback.helpful,
        )
        .join(Turn, Turn.number == Message.number)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .join(question, question.c.id == Message.id + "-question", isouter=True)
        .join(StoredTrace, StoredTrace.message_id == Message.id, isouter=True)
        .join(StoredFeedback, StoredFeedback.message_id == Message.id, isouter=True)
        .where(Message.number > last)
        .order_by(Message.number)
        .limit(BATCH)
    )  # fmt: skip


def _completed(row: Mapping[str, Any]) -> dict[str, Any]:
    steps = [
        (current_step(step["step"]), step["notes"]) for step in (row["document"] or {"steps": ()})["steps"]
    ]
    new = {
        "site": row["site"],
        "reason": row["refusal_reason"],
        "total_ms": row["total_ms"],
        "helpful": row["helpful"],
        **_counted(row["question"] or "", row["asked_at"] or row["at"], steps),
    }
    return {"own": row["number"]} | {f"new_{name}": value for name, value in new.items()}


def _recorded(last: int) -> Any:
    question = Message.__table__.alias("question")
    return (
        select(
            Message.number, Message.conversation_id, Message.refused, Message.answerer, Message.text,
            Message.answer, StoredTrace.document, question.c.text.label("question"),
        )
        .join(question, question.c.id == Message.id + "-question", isouter=True)
        .join(StoredTrace, StoredTrace.message_id == Message.id, isouter=True)
        .where(Message.role == "assistant", Message.number > last)
        .order_by(Message.number)
        .limit(BATCH)
    )  # fmt: skip


def _fill(connection: Connection, row: Mapping[str, Any]) -> None:
    """Without the turns before it at hand, whatever looks personal in the answer is left out too."""
    answer, trace = row["answer"] or {}, row["document"] or {"steps": ()}
    connection.execute(
        insert(Turn),
        {
            "number": row["number"],
            "conversation_id": row["conversation_id"],
            "topic": topic_of((current_step(step["step"]), step["notes"]) for step in trace["steps"]),
            "refused": row["refused"],
            "degraded": answer.get("degraded"),
            "answerer": row["answerer"] or "",
            "text": searched_text(row["question"] or "", Masker().masked(row["text"])),
        },
    )
    _write_cited(connection, row["number"], [one["url"] for one in answer.get("citations", ())])


def _write_cited(connection: Connection, number: int, urls: Iterable[str]) -> None:
    rows = list(_cited(number, urls))
    if rows:
        connection.execute(insert(CitedPage), rows)


def _cited(number: int, urls: Iterable[str]) -> Iterator[dict[str, Any]]:
    return ({"number": number, "url": url} for url in dict.fromkeys(urls))

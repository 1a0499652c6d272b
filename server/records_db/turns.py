"""What is searched of an exchange: a narrow row beside its messages, and the pages it cites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, insert, select

from server.masking import Masker, without_masks
from server.records import Exchange
from server.records_db.tables import CitedPage, Message, StoredTrace, Turn

BATCH = 500


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
    row = {
        "number": number,
        "conversation_id": answer.conversation_id,
        "topic": topic_of((step.step, step.notes) for step in exchange.trace.steps),
        "refused": answer.refused,
        "degraded": answer.degraded,
        "answerer": answer.answerer,
        "text": searched_text(question.text, answer.answer, before),
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


def topic_of(steps: Iterable[tuple[str, Mapping[str, Any]]]) -> str | None:
    """The likeliest topic of those that the flow allowed, from a trace's steps and their notes."""
    allowed = next((notes.get("allowed") for step, notes in steps if step == "classify"), None)
    return next(iter(allowed), None) if allowed else None


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
            "topic": topic_of((step["step"], step["notes"]) for step in trace["steps"]),
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

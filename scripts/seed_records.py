"""Fill a records store with made-up conversations, the same ones every time.

    .venv/bin/python -m scripts.seed_records --records sqlite:///var/seeded/records.sqlite --messages 100000

The questions are the golden ones and variants of them, the answers the golden ones' own words over the demo
university's addresses; traces are small. Two messages are one question and its answer. One question in two
hundred holds an e-mail address or a telephone number, of nobody (.example, 555-01xx).
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.progress import track
from sqlalchemy import Connection

from server.models import (
    Answer,
    Citation,
    ClosestPage,
    Exchange,
    Feedback,
    Hit,
    Passage,
    Question,
    RefusalReason,
    Trace,
    TraceStep,
)
from server.settings import PROJECT
from server.storage.conversations import write_exchange, write_feedback
from server.storage.engine import engine_for, writing
from server.workbench.records import open_records

SEED = 20_261_122
GOLDEN = PROJECT / "corpus" / "golden_questions.jsonl"
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = 320
BATCH = 2000
SITES = ("main", "main", "main", "library")
OPENINGS = ("", "", "", "hi, ", "please tell me ", "quick question: ", "I wanted to ask: ", "sorry, ")
ENDINGS = (
    "",
    "",
    "",
    "?",
    " please",
    " thanks",
    " for transfer students",
    " this year",
    " if I am part-time",
)
COMMENTS = (
    "",
    "",
    "That is last year's date.",
    "Not what I asked.",
    "Perfect, thank you.",
    "Call me: 802-555-0148",
)
REFUSAL = "I could not find this on the university's pages."


@dataclass(frozen=True, slots=True)
class Golden:
    """A golden question with what the demo site says to it; `urls` are empty where it says nothing."""

    question: str
    said: str
    urls: tuple[str, ...]
    topic: str | None


def golden_questions() -> list[Golden]:
    """Those of the demo university."""
    rows = map(json.loads, GOLDEN.read_text(encoding="utf-8").splitlines())
    return [
        Golden(row["question"], " ".join(row["answers"]), tuple(row["gold_urls"] or ()), row.get("topic"))
        for row in rows
    ]


def exchanges(count: int, golden: Sequence[Golden]) -> Iterator[tuple[Exchange, Feedback | None]]:
    """So many questions with their answers, oldest first; one in eight is rated."""
    chance = random.Random(SEED)
    step = timedelta(days=DAYS) / max(count, 1)
    conversation, site, left = "", "main", 0
    for number in range(count):
        if not left:
            conversation, site = f"{chance.getrandbits(128):032x}", chance.choice(SITES)
            left = chance.choice((1, 1, 2, 2, 3, 5))
        left -= 1
        at = FIRST_DAY + step * number
        question = Question(
            _wording(chance, chance.choice(golden).question),
            conversation,
            f"m{number:08d}",
            f"t{number:08d}",
            site,
        )
        made = _exchange(chance, question, chance.choice(golden), at)
        yield made, _feedback(chance, made) if chance.random() < 0.125 else None


def fill(url: str, messages: int) -> None:
    """Writes them into the store at a URL, which is made where there is none."""
    open_records(url).close()
    engine = engine_for(url)
    made = list(exchanges(messages // 2, golden_questions()))
    for start in track(range(0, len(made), BATCH), description="Writing"):
        with writing(engine).begin() as connection:
            _write(connection, made[start : start + BATCH])
    engine.dispose()


def _write(connection: Connection, made: Sequence[tuple[Exchange, Feedback | None]]) -> None:
    for exchange, feedback in made:
        write_exchange(connection, exchange)
        if feedback:
            write_feedback(connection, feedback)


def _wording(chance: random.Random, question: str) -> str:
    words = question.split()
    if len(words) > 4 and chance.random() < 0.3:
        words.pop(chance.randrange(len(words)))
    personal = ""
    if chance.random() < 0.005:
        place = chance.randrange(100)
        personal = chance.choice(
            (f", I am student{place}@larkmoor.example", f", my number is 802-555-01{place:02d}")
        )
    return f"{chance.choice(OPENINGS)}{' '.join(words)}{chance.choice(ENDINGS)}{personal}"


def _exchange(chance: random.Random, question: Question, golden: Golden, at: datetime) -> Exchange:
    refused = not golden.urls or chance.random() < 0.05
    reason: RefusalReason = "off_topic" if chance.random() < 0.1 else "no_evidence"
    degraded = "down" if chance.random() < 0.02 else None
    citations = (
        () if refused else tuple(_citation(n, url, golden.said) for n, url in enumerate(golden.urls[:3], 1))
    )
    marks = " ".join(f"[{citation.n}]" for citation in citations)
    timings = {"retrieve": chance.uniform(10, 40), "extract": chance.uniform(1, 5)}
    answer = Answer(
        answer=REFUSAL if refused else f"{golden.said} {marks}",
        refused=refused,
        refusal_reason=reason if refused else None,
        answerer=chance.choice(("extractive", "extractive", "extractive", "llm", "curated")),
        degraded=degraded,
        citations=citations,
        closest_pages=_closest(golden) if refused else (),
        strategy="hybrid+rerank",
        snapshot="seeded",
        conversation_id=question.conversation_id,
        message_id=question.message_id,
        trace_id=question.trace_id,
        timings_ms=timings | {"total": sum(timings.values())},
    )
    # One answer in ten is hardly sure.
    evidence = chance.uniform(0.1, 0.5) if refused else chance.choice((0.55, *[0.9] * 9))
    return Exchange(question, answer, _trace(question, golden, evidence), at.isoformat())


def _closest(golden: Golden) -> tuple[ClosestPage, ...]:
    return tuple(ClosestPage(url, url.rstrip("/").rpartition("/")[2]) for url in golden.urls[:3])


def _citation(number: int, url: str, said: str) -> Citation:
    title = url.rstrip("/").rpartition("/")[2].replace("-", " ").capitalize()
    return Citation(number, url, title, "", said[:300])


def _trace(question: Question, golden: Golden, evidence: float) -> Trace:
    notes: Mapping[str, Any] = {"allowed": {golden.topic: []} if golden.topic else {}}
    passages = {
        number: Passage(number, url, url.rpartition("/")[0], "", golden.said)
        for number, url in enumerate(golden.urls)
    }
    ranking = tuple(Hit(number, 1 / (number + 1)) for number in passages)
    steps = (
        TraceStep("classify", 0.4, notes=notes),
        TraceStep("retrieve", 1.0, ranking),
        TraceStep("extract", 1.0, notes={"evidence": round(evidence, 4), "threshold": 0.5}),
    )
    return Trace(question.trace_id, question.text, "hybrid+rerank", "seeded", {}, steps, passages)


def _feedback(chance: random.Random, exchange: Exchange) -> Feedback:
    helpful = chance.random() < 0.7
    reason = chance.choice(("clear", "complete") if helpful else ("wrong", "outdated", "incomplete"))
    answer = exchange.answer
    given = Feedback(answer.conversation_id, answer.message_id, helpful, reason, "", exchange.asked_at)
    return replace(given, comment=chance.choice(COMMENTS))


def main() -> None:
    """Reads the options, and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--records", required=True, metavar="URL", help="a SQLAlchemy URL, of a store that is empty"
    )
    parser.add_argument("--messages", type=int, default=100_000, help="questions and answers together")
    options = parser.parse_args()
    fill(options.records, options.messages)


if __name__ == "__main__":
    main()

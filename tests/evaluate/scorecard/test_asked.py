"""What the scorecard makes of an answer, and of a flow's many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from server.errors import LodgeError
from server.evaluate.evaluate import AnswerFlow
from server.evaluate.questions import EvalQuestion
from server.evaluate.scorecard.asked import AskedSet, ScoredAnswer, ask_sets, scored
from server.models import Answer, Citation, Event, Final, Passage, Question, Tier, Trace

URL = "https://u.example/fees"
PASSAGE = Passage(1, URL, "Fees", "What you pay", "The health fee is $145. It is due on August 1.")


def final(
    text: str,
    tier: Tier = "answer",
    answerer: str = "extractive",
    *,
    quote: str = "The health fee is $145.",
    snapshot: str = "one",
    cites: bool = True,
) -> Final:
    citations = (Citation(1, URL, "Fees", "What you pay", quote),) if cites else ()
    answer = Answer(
        answer=text,
        refused=tier == "refusal",
        refusal_reason=None,
        answerer=answerer,
        degraded=None,
        citations=citations,
        closest_pages=(),
        strategy="hybrid",
        snapshot=snapshot,
        conversation_id="c",
        message_id="m",
        trace_id="t",
        timings_ms={"total": 7.0},
        tier=tier,
    )
    return Final(answer, Trace("t", "?", "hybrid", snapshot, {}, (), {1: PASSAGE}))


def of(told: Final, question: EvalQuestion) -> ScoredAnswer:
    return scored(question, "set", told, "en", lambda url: [])


FEE = EvalQuestion("fee", "how much is the health fee", answers=("$145",), answerable=True)


@pytest.mark.parametrize(
    ("text", "unsupported"),
    [
        ("The health fee is $145. [1]", False),
        ("the HEALTH fee is $145! [1]", False),
        ("The health fee is $146. [1]", True),
        ("The health fee is $145. [1]\nIt is free for all. [1]", True),
    ],
)
def test_a_line_must_stand_in_its_source(text: str, unsupported: bool) -> None:
    assert of(final(text), FEE).unsupported is unsupported


def test_a_part_that_seems_to_answer_beside_one_that_answers_has_lines_of_our_own() -> None:
    """Found in the demo: our words and the page's name led in to a list, and were taken for a claim."""
    text = (
        "It is due on August 1. [1]\nThese pages seem to answer it:\n\n"
        "Fees › What you pay:\nThe health fee is $145. [1]"
    )
    assert of(final(text), FEE).unsupported is False
    invented = text.replace("$145", "$9")
    assert of(final(invented), FEE).unsupported is True
    assert of(final("Everyone pays nothing:\nThe health fee is $145. [1]"), FEE).unsupported is True


def test_a_line_of_a_chunk_that_nobody_read_is_looked_for_on_its_page() -> None:
    """Found on a school's site: of a table shown whole, some rows were in the next chunk."""
    told = final("The health fee is $145. [1]\nDental is $30. [1]")
    next_chunk = Passage(2, URL, "Fees", "What you pay", "Dental is $30.")
    asked: list[str] = []

    def page(url: str) -> list[Passage]:
        asked.append(url)
        return [PASSAGE, next_chunk]

    assert scored(FEE, "set", told, "en", page).unsupported is False
    assert asked == [URL]
    assert scored(FEE, "set", told, "en", lambda url: [PASSAGE]).unsupported is True


@pytest.mark.parametrize("answerer", ["llm", "curated"])
def test_what_comparing_words_cannot_judge_is_not_judged(answerer: str) -> None:
    assert of(final("It is free. [1]", answerer=answerer), FEE).unsupported is None


def test_a_refusal_is_neither_right_nor_unsupported() -> None:
    told = of(final("I do not know; the health fee is $145 somewhere.", "refusal"), FEE)
    assert (told.tier, told.right, told.unsupported, told.ms) == ("refusal", None, None, 7.0)


def test_what_seems_to_answer_is_judged_too() -> None:
    text = "This page seems to answer it:\nFees › What you pay:\nThe health fee is $145. [1]"
    told = of(final(text, "seems"), FEE)
    assert (told.tier, told.right, told.unsupported) == ("seems", True, False)


def test_right_is_by_must_have_where_a_question_has_it() -> None:
    asked = replace(FEE, must_have=(("$145", "145 dollars"), ("August 1",)), answers=("something else",))
    assert of(final("The health fee is $145. [1]"), asked).right is False
    both = final("The health fee is $145. [1]\nIt is due on august  1. [1]")
    assert of(both, asked).right is True


def test_no_right_answer_known_is_not_judged() -> None:
    assert of(final("Yes. [1]"), EvalQuestion("1", "a?", answerable=True)).right is None
    assert of(final("The fee is $145. [1]"), replace(FEE, answerable=False)).right is None


@dataclass
class DatedScript:
    """Answers from a script; `days` are those it was asked on."""

    finals: list[Final]
    days: list[str | None] = field(default_factory=list)

    def ask(self, question: Question) -> Iterator[Event]:
        yield self.finals.pop(0)

    def on_day(self, day: str | None) -> AnswerFlow:
        self.days.append(day)
        return self

    def page(self, url: str) -> list[Passage]:
        return [PASSAGE] if url == URL else []


def test_every_question_is_asked_once_on_its_day() -> None:
    flow = DatedScript([final("a"), final("b"), final("c")])
    sets = [AskedSet("x", (FEE, replace(FEE, day="2026-12-25"))), AskedSet("y", (replace(FEE, lang="es"),))]
    counted: list[int] = []
    asked = list(ask_sets(flow, sets, "hybrid", lambda text: "en", lambda: counted.append(1)))
    assert [(one.of, one.answer, one.lang) for one in asked] == [
        ("x", "a", "en"),
        ("x", "b", "en"),
        ("y", "c", "es"),
    ]
    assert flow.days == [None, "2026-12-25", None]
    assert len(counted) == 3


def test_a_snapshot_that_is_swapped_meanwhile_ends_it() -> None:
    flow = DatedScript([final("a"), final("b", snapshot="two")])
    with pytest.raises(LodgeError, match="swapped"):
        list(ask_sets(flow, [AskedSet("x", (FEE, FEE))], "hybrid", lambda text: "en", lambda: None))

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from server.ask.context import ScopeOptions
from server.ask.ports import OpenSnapshot
from server.ask.refuse import reason_of
from server.ask.scope import (
    JudgedQuestion,
    ScopeDecision,
    ScopeHistory,
    belongs,
    decide_scope,
    falls_short,
    known_courses,
    names_heading,
    standing_after,
)
from server.models import Passage

HERE, AWAY, ON = (
    JudgedQuestion(belongs=True),
    JudgedQuestion(belongs=False),
    JudgedQuestion(belongs=False, goes_on=True),
)


@pytest.mark.parametrize(
    ("in_scope", "nearest", "passes"),
    [
        (0.9, 0.6, True),
        (0.1, 0.2, False),
        (0.3, 0.5, True),  # an unlikely question that a passage nearly repeats
        (0.7, 0.1, False),  # a likely one that nothing comes near to
        (0.0, 1.0, False),
        (1.0, 0.0, True),
        (None, 0.1, True),
        (0.1, None, True),
    ],
)
def test_what_seems_to_belong_here(in_scope: float | None, nearest: float | None, passes: bool) -> None:
    assert belongs(in_scope, nearest) is passes


def test_the_threshold_can_be_set() -> None:
    assert not belongs(0.9, 0.6, ScopeOptions(threshold=20.0))
    assert belongs(0.1, 0.2, ScopeOptions(cosine=100.0))


@pytest.mark.parametrize(
    ("in_scope", "nearest", "doubtful"),
    [
        (0.5, 0.34, True),
        (0.5, 0.36, False),
        (0.5, 0.19, True),
        (0.5, 0.18, False),
        (None, 0.3, False),
        (0.5, None, False),
    ],
)
def test_what_falls_little_short_of_belonging_here_falls_short(
    in_scope: float | None, nearest: float | None, doubtful: bool
) -> None:
    assert falls_short(in_scope, nearest, ScopeOptions(), ScopeOptions().doubt) is doubtful


def test_a_doubtful_question_goes_on_and_is_no_strike_unless_the_conversation_is_closed() -> None:
    doubted = JudgedQuestion(belongs=False, doubtful=True)
    after = standing_after([AWAY, AWAY])
    assert decide_scope(doubted, after) == ("doubtful", after)
    assert decide_scope(doubted, standing_after([AWAY, AWAY, AWAY]))[0] == "closed"


def test_an_unlikely_question_is_refused_but_neither_called_off_topic_nor_a_strike() -> None:
    seen = JudgedQuestion(belongs=False, unlikely=True)
    after = standing_after([AWAY, AWAY])
    assert decide_scope(seen, after) == ("unlikely", after)
    assert decide_scope(seen, standing_after([AWAY, AWAY, AWAY]))[0] == "closed"
    assert not ScopeDecision("unlikely").passes
    assert reason_of("unlikely") == "no_evidence"
    assert reason_of("elsewhere") == "off_topic"


def test_a_doubtful_question_passes() -> None:
    assert ScopeDecision("doubtful").passes
    assert not ScopeDecision("off_topic").passes


def test_a_follow_up_passes_on_the_strength_of_the_last_question() -> None:
    after = standing_after([HERE])
    assert decide_scope(ON, after) == ("on_the_last", after)
    assert decide_scope(ON, standing_after([HERE, ON]))[0] == "on_the_last"
    assert decide_scope(AWAY, after)[0] == "off_topic"
    assert decide_scope(ON, ScopeHistory())[0] == "off_topic"
    assert decide_scope(ON, standing_after([HERE, AWAY]))[0] == "off_topic"


def test_the_third_strike_in_a_row_closes_and_a_question_that_belongs_opens_again() -> None:
    verdicts, standing = [], ScopeHistory()
    for seen in (HERE, AWAY, AWAY, AWAY, AWAY, ON, HERE, AWAY):
        verdict, standing = decide_scope(seen, standing)
        verdicts.append(verdict)
    assert verdicts == [
        "in_scope", "off_topic", "off_topic", "closed", "closed", "closed", "in_scope", "off_topic",
    ]  # fmt: skip


def test_strikes_must_be_in_a_row() -> None:
    assert standing_after([AWAY, AWAY, HERE, AWAY, AWAY]).strikes == 2
    assert decide_scope(AWAY, ScopeHistory(), ScopeOptions(strikes=1))[0] == "closed"


class Words:
    """A snapshot and its words, each of one weight; small ones say nothing. A pump is for lactation."""

    @property
    def text(self) -> Words:
        return self

    wordings = text

    def synonyms_of(self, question: str) -> list[tuple[frozenset[str], frozenset[str]]]:
        own, other = frozenset({"pump"}), frozenset({"lactation"})
        return [(own, other)] if own <= self.word_weights(question).keys() else []

    def word_weights(self, text: str) -> dict[str, float]:
        return {word: 1.0 for word in text.casefold().split() if word not in {"and", "the", "where", "is"}}


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("where is the lost and found", True),
        ("where is the lost and found lost airpods", True),
        ("where is the lost dog", False),
        ("housing", False),
        ("campus safety", True),
        ("where can i pump", True),
    ],
)
def test_a_question_may_name_a_heading(question: str, called: bool) -> None:
    found = Passage(1, "https://u.example/safety", "Campus safety", "Campus › Lost and found", "Ask.")
    others = [replace(found, title="", heading=heading) for heading in ("Housing", "Lactation room (B 6)")]
    assert names_heading(question, [found, *others], cast("OpenSnapshot", Words())) is called


@pytest.mark.parametrize(
    ("question", "known"),
    [("what's in 244P", ["SWE 244P Threads"]), ("swe244p hw", ["SWE 244P Threads"]), ("what's in 245P", [])],
)
def test_a_question_may_name_a_course(question: str, known: list[str]) -> None:
    found = [Passage(1, "https://u.example/courses", "Courses", "Fall › SWE 244P Threads", "Locks.")]
    assert known_courses(question, found) == known

"""What is said of questions that stay open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.standalone import StandaloneQuestion
from server.ask.refuse import PartOutcome, RetrievalResult, closing_lines, is_refusal
from server.ask.scope import ScopeVerdict
from server.models import Candidate, Citation, Passage, RefusalReason
from tests.ask.asking import ENGLISH, SPANISH

GYM = "Where is the gym?"


def outcome(asked: str, reason: RefusalReason | None, verdict: ScopeVerdict = "in_scope") -> PartOutcome:
    standing = ContextualizedQuestion("first", StandaloneQuestion(asked, "", "kept"), asked)
    return PartOutcome(standing, reason=reason, found=RetrievalResult(asked, verdict=verdict))


def test_beside_an_answer_each_open_question_is_named_with_its_reason() -> None:
    parts = [
        outcome("What is the capital of Spain?", "off_topic", "off_topic"),
        outcome("who won?", "unsafe"),
        outcome("What is .NET?", "no_evidence"),
        outcome(GYM, None),
    ]
    assert closing_lines(parts, (), ENGLISH, helped=False) == [
        "I can only answer questions about the university, so I leave out "
        "“What is the capital of Spain” and “who won”.",
        "I could not find an answer to “What is .NET” on the university's pages.",
    ]


@pytest.mark.parametrize(
    ("asked", "shown", "is_named"),
    [
        ("has she got a phone", "Odile Prewitt, Cobble Row 4, (802) 555-0118 [1]", False),
        ("where is her office, has she got a phone", "Odile Prewitt, Weld Hall 4, (802) 555-0118 [1]", False),
        ("where is her office, has she got a phone", "Odile Prewitt, Weld Hall 4 [1]", True),
        ("what is the phone of the gym", "Odile Prewitt, (802) 555-0118 [1]", True),  # of something else
        ("does she like tea", "Odile Prewitt, (802) 555-0118 [1]", True),
    ],
)
def test_what_may_be_shown_already_is_not_said_to_be_missing(asked: str, shown: str, is_named: bool) -> None:
    parts = [outcome("Who is the steward?", None), outcome(asked, "no_evidence")]
    lines = closing_lines(parts, (), ENGLISH, helped=False, shown=shown)
    assert any(asked in line for line in lines) is is_named


@pytest.mark.parametrize(
    ("asked", "is_named"),
    [("japan exchange", False), ("the exchange in japan", False), ("japan visa", True), ("and that", True)],
)
def test_what_only_says_what_another_question_is_about_is_not_missing(asked: str, is_named: bool) -> None:
    parts = [outcome("how many spots (japan exchange)?", None), outcome(asked, "no_evidence")]
    assert bool(closing_lines(parts, (), ENGLISH, helped=False)) is is_named


@pytest.mark.parametrize(("heading", "is_above"), [("Steps", True), ("Forms", False)])
def test_what_is_told_best_in_a_section_that_is_cited_is_not_said_to_be_missing(
    heading: str, is_above: bool
) -> None:
    passage = Passage(7, "https://u.example/honors", "Honors", heading, "Both advisors sign.")
    open_ = outcome("who signs?", "no_evidence")
    open_ = replace(open_, found=RetrievalResult("who signs?", (Candidate(passage, 0.1),)))
    cited = [Citation(1, passage.url, "Honors", "Steps", "Hand it in by June 1.")]
    [line] = closing_lines([outcome(GYM, None), open_.beside(cited)], (), ENGLISH, helped=False)
    assert line.startswith("On “who signs” I found nothing surer") is is_above
    assert line.startswith("I could not find an answer to “who signs”") is not is_above


def test_in_spanish_the_questions_are_quoted_and_joined_as_spanish_does() -> None:
    parts = [
        outcome("¿Qué es .NET?", "no_evidence"),
        outcome("¿quién ganó?", "no_evidence"),
        outcome(GYM, None),
    ]
    missing, left = closing_lines(parts, ("¿Y el gimnasio?", "¿Y la beca?", "¿Y?"), SPANISH, helped=False)
    assert "«Qué es .NET» y «quién ganó»" in missing
    assert "«Y el gimnasio», «Y la beca» y «Y»" in left


def test_where_nothing_stays_open_nothing_is_said() -> None:
    assert closing_lines((), (), ENGLISH, helped=False) == []
    assert closing_lines([outcome(GYM, None)], (), ENGLISH, helped=False) == []


def test_what_is_beyond_the_limit_is_named() -> None:
    assert closing_lines((), [GYM], ENGLISH, helped=False) == [
        "That was a lot at once: please ask “Where is the gym” again by itself."
    ]


@pytest.mark.parametrize(
    ("parts", "line"),
    [
        ([outcome(GYM, "off_topic", "off_topic")], ENGLISH.refused_off_topic),
        ([outcome(GYM, "off_topic", "closed")], ENGLISH.refused_closed),
        ([outcome(GYM, "unsafe"), outcome(GYM, "no_evidence")], ENGLISH.refused_no_evidence),
        ([outcome(GYM, "unsafe")], ENGLISH.refused_unsafe),
    ],
)
def test_where_all_are_refused_it_is_one_sentence_that_is_known_again(
    parts: list[PartOutcome], line: str
) -> None:
    assert closing_lines(parts, (), ENGLISH, helped=False) == [line]
    assert is_refusal(line, (SPANISH, ENGLISH))
    assert closing_lines(parts, (), ENGLISH, helped=True) == []


def test_what_is_said_beside_an_answer_is_no_refusal() -> None:
    [line] = closing_lines([outcome(GYM, "unsafe"), outcome(GYM, None)], (), ENGLISH, helped=False)
    assert not is_refusal(line, (SPANISH, ENGLISH))
    assert not is_refusal("", (SPANISH, ENGLISH))


def test_a_visitors_words_are_never_taken_for_a_blank() -> None:
    [line] = closing_lines((), ["what is {site} and {questions}?"], ENGLISH, helped=False)
    assert "“what is {site} and {questions}”" in line

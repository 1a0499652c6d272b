"""Which sections are named above what is quoted of several."""

from __future__ import annotations

import pytest

from server.ask.quoting.answer import ExtractiveAnswer, QuotedWords
from server.ask.quoting.section_names import names_above
from server.ask.trace import AnswerBuilder
from server.models import Citation
from tests.ask.asking import ENGLISH

LOAN, OWN = "Interlibrary loan › Returning", "Borrowing › Late and lost"


@pytest.mark.parametrize(
    "said",
    [
        ("A lost book costs $100 or more. [1]", "We bill $70. [2]"),
        ("1. A GPA of at least 3.0. [1]", "1. A GPA of at least 2.5. [2]"),
        ("Open until 8 p.m. [1]", "On Fridays, too, until 8 p.m., and from 9 a.m. [2]"),
    ],
)
def test_sections_with_figures_of_their_own_are_named(said: tuple[str, str]) -> None:
    assert names_above(said, (LOAN, OWN)) == [f"{LOAN}:", f"{OWN}:"]


@pytest.mark.parametrize(
    "said",
    [
        ("We do not offer doctorates. [1]", "No doctorate. [2]"),
        ("Each receives $500, of the year 2007. [1]", "The award is $500. [2]"),
        ("You may repeat a course. [1]", "At most 2 times. [2]"),  # it has nothing to be mistaken for
        ("1. Ask for leave, $10. [1]", "2. Wait. [2]"),  # steps, and no figures
        ("The course costs $10. [1]", "CS 101 and MATH2A count. [2]"),
    ],
)
def test_sections_that_say_the_same_or_no_figures_are_not(said: tuple[str, str]) -> None:
    assert names_above(said, (LOAN, OWN)) == ["", ""]


def test_one_section_and_none_have_no_names() -> None:
    assert names_above(("$10 [1]", "$20 [1]"), (OWN, OWN)) == ["", ""]
    assert names_above((), ()) == []


def test_an_answer_says_each_section_once_above_its_words() -> None:
    said = (
        QuotedWords("A lost book costs $100. [1]"),
        QuotedWords("Late ones cost $1 a day. [1]"),
        QuotedWords("Lost: $70. [2]", lead="Late and lost:"),
    )
    citations = (
        Citation(1, "https://u.example/ill", "Interlibrary loan", "Returning", "A lost book costs $100."),
        Citation(2, "https://u.example/books", "Borrowing", "Late and lost", "Lost: $70."),
    )
    answer = AnswerBuilder()
    for _ in ExtractiveAnswer(said, citations, 0.9, {}).say(answer, ENGLISH):
        pass
    assert answer.text.split("\n") == [
        "Interlibrary loan › Returning:",
        "A lost book costs $100. [1]",
        "Late ones cost $1 a day. [1]",
        "Borrowing › Late and lost:",
        "Lost: $70. [2]",
    ]

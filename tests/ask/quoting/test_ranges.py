"""Numbers of a question, and the ranges that they lie in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.ask.extract import extract_answer
from server.ask.quoting.ranges import Counted, numbers_in, place_in_ranges, range_of
from server.models import Candidate
from tests.ask.quoting.candidates import candidate, wanted

CREDITS = ("90 credits and more", "60–89", "30–59", "0–29")


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("30–59", (30, 45, 59), (29, 59.5, 60)),
        ("91-94.9", (91, 94.9), (95,)),
        ("Weeks 5 to 6", (5, 6), (7,)),
        ("12+", (12, 20), (11,)),
        ("60 credits and more", (60, 90), (59,)),
        ("25 or older", (25,), (24,)),
        ("More than 90 days", (91,), (90,)),
        ("Under 18", (17,), (18,)),
        ("up to 26 credits", (1, 26), (27,)),
    ],
)
def test_a_range_has_its_numbers(text: str, inside: tuple[float, ...], outside: tuple[float, ...]) -> None:
    found = range_of(text)
    assert found
    assert [number for number in (*inside, *outside) if found.has(number)] == list(inside)


@pytest.mark.parametrize(
    "text",
    [
        "December 1–15",
        "1–8 p.m.",
        "8:00–9:50",
        "$5–10",
        "2019–20",
        "802-555-0110",
        "Top 5 percent",
        "9-3 backwards",
    ],
)
def test_days_times_prices_and_years_are_no_ranges(text: str) -> None:
    assert range_of(text) is None


def test_a_question_has_numbers_that_count_something() -> None:
    asked = "i have 45 credits on dec 15 at 8pm and $40 in 2026"
    assert numbers_in(asked) == (Counted(45.0, ("credits",)),)
    assert numbers_in("scored 27, which math") == (Counted(27.0, ("scored", "math")),)


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("i have 45 credits", 2),
        ("with 95 credits", 0),
        ("i have 45 dogs", None),  # nothing here counts dogs
        ("30 or 60 credits", None),  # two lines
        ("how many credits", None),
    ],
)
def test_the_line_is_told_in_whose_range_the_number_lies(question: str, place: int | None) -> None:
    assert place_in_ranges(numbers_in(question), CREDITS) == place
    assert place_in_ranges(numbers_in(question), CREDITS[:1]) is None  # one range names no line of some


def of_lines(*lines: str) -> Candidate:
    found = candidate(1, "\n".join(lines))
    return replace(found, passage=replace(found.passage, line_kinds=("table",) * len(lines)))


def test_the_line_leads_in_whose_range_the_number_lies() -> None:
    found = of_lines("90 credits and more: November 10", "60–89: November 11", "30–59: November 12")
    asked = wanted("credits", "november")
    assert extract_answer([found], asked).sentences[0].startswith("90 credits and more")
    told = extract_answer([found], replace(asked, numbers=numbers_in("45 credits"))).sentences
    assert told == ("30–59: November 12 [1]",)


def test_a_row_leads_in_whose_range_the_number_lies_whatever_column_that_is() -> None:
    rows = ("Veterans — Credits: any; Opens: Nov 9", "Juniors — Credits: 60–89; Opens: Nov 11")
    found = of_lines(*rows, "Sophomores — Credits: 30–59; Opens: Nov 12")
    asked = replace(wanted("veterans", "juniors", "any;"), numbers=numbers_in("45 credits"))
    assert extract_answer([found], replace(asked, numbers=())).sentences == (f"{rows[0]} [1]",)
    assert "Sophomores" in extract_answer([found], asked).sentences[0]

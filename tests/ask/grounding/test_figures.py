from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.quantities import figures

ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def amounts(text: str) -> list[Decimal]:
    return [one.value.amount for one in figures(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,200 of 3,000,000", [1200, 3000000]),
        ("a hundred and eighty students", [180]),
        ("one thousand two hundred", [1200]),
        ("$2.1 million", [2100000]),
        ("two, three", [2, 3]),
        ("two and three", [2, 3]),
        ("twenty-five and thirty two", [25, 32]),
        ("the third, the 13th and the twenty-first", [3, 13, 21]),
        ("once or twice", [1, 2]),
        ("a dozen", [12]),
        ("a 2.75 average.", [Decimal("2.75")]),
        ("It takes 3.", [3]),
        ("sixty-four percent", [64]),
    ],
)
def test_numbers_in_digits_and_words(text: str, expected: list[float]) -> None:
    assert amounts(text) == expected


@pytest.mark.parametrize(
    ("text", "percent"), [("half of it", 50), ("two-thirds", "66.7"), ("a quarter of", 25)]
)
def test_a_part_of_a_whole_is_a_percentage(text: str, percent: str) -> None:
    [one] = figures(text)
    assert one.value.share
    assert one.value.amount == Decimal(percent)


def test_third_is_a_part_only_of_something() -> None:
    ordinal, part = figures("the third floor, a third of it")
    assert ordinal.value.ordinal
    assert not ordinal.value.share
    assert part.value.share


@pytest.mark.parametrize("text", ["G10", "BIO205", "12:30", "9/11", "4.12.1", "someone", "", "often"])
def test_what_is_no_number_by_itself(text: str) -> None:
    assert amounts(text) == []


@settings(deadline=None)
@given(st.integers(0, 10**9))
def test_digits_are_read_with_and_without_commas(number: int) -> None:
    assert amounts(f"about {number} of them") == [number]
    assert amounts(f"about {number:,} of them") == [number]


@settings(deadline=None)
@given(st.sampled_from(range(2, 10)), st.sampled_from(range(1, 10)), st.sampled_from([" ", "-"]))
def test_two_word_numbers(tens: int, ones: int, joint: str) -> None:
    assert amounts(f"{TENS[tens - 2]}{joint}{ONES[ones - 1]} seats") == [10 * tens + ones]


@settings(deadline=None)
@given(st.text(max_size=80))
def test_a_figure_is_where_it_says(text: str) -> None:
    for one in figures(text):
        assert 0 <= one.start < one.end <= len(text)

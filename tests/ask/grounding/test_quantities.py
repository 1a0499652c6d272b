from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.quantities import Quantity, quantities


def one(text: str) -> Quantity:
    [found] = quantities(text)
    return found.value


def bears_out(page: str, claimed: str) -> bool:
    return one(page).bears_out(one(claimed))


@pytest.mark.parametrize(
    ("page", "claimed"),
    [
        ("$25", "25 dollars"),
        ("$0.30", "30 cents"),
        ("$11.3 million", "11,300,000 dollars"),
        ("54 percent", "54%"),
        ("50%", "half"),
        ("48 hours", "two days"),
        ("12 months", "one year"),
        ("14 days", "2 weeks"),
        ("five working days", "5 business days"),
        ("a 90-minute talk", "90 minutes"),
        ("thirteenth", "13th"),
        ("3 credits", "three credits"),
        ("25", "$25"),
        ("$25", "25"),
        ("within a week", "7 days"),
        ("$4 a day", "$4"),
        ("$250 a term", "$250 per semester"),
        ("Tuition per year: $9,240", "$9,240 a year"),
    ],
)
def test_the_same_in_other_words(page: str, claimed: str) -> None:
    assert bears_out(page, claimed)


@pytest.mark.parametrize(
    ("page", "claimed"),
    [
        ("25 hours", "25 days"),
        ("$25", "€25"),
        ("$25", "25%"),
        ("one month", "30 days"),
        ("$250 a term", "$250 a year"),
        ("Tuition per semester: $4,620", "$4,620 a year"),
        ("four hours a week", "four hours a day"),
        ("$0.30", "$30"),
        ("30 cents", "$30"),
    ],
)
def test_the_same_number_of_something_else(page: str, claimed: str) -> None:
    assert not bears_out(page, claimed)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("3–5 working days", ["s", "s"]),
        ("two or three days", ["s", "s"]),
        ("$500–1,500", ["$", "$"]),
        ("$40 to $110", ["$", "$"]),
        ("18 to 21 credits", ["", ""]),
        ("11th to 12th grade", ["th", "th"]),
        ("12 credits and $40", ["", "$"]),
    ],
)
def test_a_range_has_one_unit(text: str, units: list[str]) -> None:
    assert [found.value.unit for found in quantities(text)] == units


@pytest.mark.parametrize("text", ["one of them", "once", "within a week"])
def test_little_words_are_not_demanded(text: str) -> None:
    assert one(text).loose


@pytest.mark.parametrize("text", ["one week", "1 of them", "twice", "two"])
def test_what_counts_is(text: str) -> None:
    assert not one(text).loose


@settings(deadline=None)
@given(st.integers(1, 10**6), st.sampled_from(["${:,}", "{} dollars", "USD {}", "{:,} dollars"]))
def test_a_sum_is_itself_however_it_is_written(amount: int, shape: str) -> None:
    assert one(f"It costs ${amount}.").bears_out(one(f"It costs {shape.format(amount)} now."))


@settings(deadline=None)
@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_two_sums_bear_each_other_out_only_when_they_are_one(first: int, second: int) -> None:
    assert bears_out(f"${first}", f"{second} dollars") == (first == second)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for found in quantities(text):
        assert 0 <= found.start < found.end <= len(text)


@pytest.mark.parametrize("piece", ["-", "5-", "5 a-a-", "$5 ", "5 per "])
def test_hyphens_without_end_take_no_longer_than_they_are(piece: str) -> None:
    assert len(quantities("5 " + piece * 1_500 + "!")) == 1 + 1_500 * piece.count("5")

from __future__ import annotations

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.dates import Day, SeasonTerm, Weekdays, Years, days, months, terms, weekdays, years

SHAPES = [
    "{d:%B} {d.day}, {d.year}",
    "{d:%b} {d.day}, {d.year}",
    "{d.day} {d:%B} {d.year}",
    "the {d.day} of {d:%B} {d.year}",
    "{d:%A}, {d:%B} {d.day}, {d.year}",
    "{d:%a} {d:%b} {d.day} {d.year}",
    "{d:%Y-%m-%d}",
    "{d.month}/{d.day}/{d.year}",
    "{d:%m/%d/%y}",
]


def one(text: str) -> Day:
    [found] = days(text)
    return found.value


@settings(deadline=None)
@given(st.dates(datetime.date(2001, 1, 1), datetime.date(2099, 12, 31)), st.sampled_from(SHAPES))
def test_a_day_is_the_same_however_it_is_written(day: datetime.date, shape: str) -> None:
    read = one(f"It ends on {shape.format(d=day)} at noon.")
    assert (read.month, read.day, read.year) == (day.month, day.day, day.year)
    assert read.known_weekday == day.weekday()


@settings(deadline=None)
@given(
    st.dates(datetime.date(2001, 1, 1), datetime.date(2099, 12, 31)),
    st.sampled_from(SHAPES),
    st.sampled_from(SHAPES),
)
def test_two_ways_of_writing_a_day_bear_each_other_out(day: datetime.date, one_way: str, other: str) -> None:
    assert one(one_way.format(d=day)).bears_out(one(other.format(d=day)))


@pytest.mark.parametrize(
    "text", ["March 1st", "03/01", "3/1", "Mar. 1", "1 March", "the 1st of March", "March 01"]
)
def test_a_day_without_a_year(text: str) -> None:
    assert one(text) == Day(3, 1)


@pytest.mark.parametrize(("text", "expected"), [("03/04", Day(3, 4)), ("31/12/2026", Day(12, 31, 2026))])
def test_two_numbers_are_month_and_day_unless_only_the_day_can_be_first(text: str, expected: Day) -> None:
    assert one(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("October 12–13", [Day(10, 12), Day(10, 13)]),
        ("December 21–January 15, 2027", [Day(12, 21, 2026), Day(1, 15, 2027)]),
        ("from March 15 to March 19, 2027", [Day(3, 15, 2027), Day(3, 19, 2027)]),
        ("Monday–Friday, March 15–19", [Day(3, 15, weekday=0), Day(3, 19, weekday=4)]),
        ("September 11; January 29", [Day(9, 11), Day(1, 29)]),
        ("June 11–13, 2027", [Day(6, 11, 2027), Day(6, 13, 2027)]),
    ],
)
def test_a_range_has_two_ends(text: str, expected: list[Day]) -> None:
    assert [found.value for found in days(text)] == expected


@pytest.mark.parametrize(
    "text", ["open 24/7", "He may come.", "4.12", "a score of 3-1", "2026–27", "page 45/46"]
)
def test_what_is_no_day(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("page", "claimed", "expected"),
    [
        (Day(3, 1, 2027), Day(3, 1), True),
        (Day(3, 1), Day(3, 1, 2027), True),
        (Day(3, 1, 2026), Day(3, 1, 2027), False),
        (Day(3, 1), Day(3), True),
        (Day(3), Day(3, 1), False),
        (Day(9, 11, weekday=4), Day(9, 11, weekday=3), False),
        (Day(9, 11, 2026), Day(9, 11, weekday=3), False),
        (Day(9, 11, 2026), Day(9, 11, weekday=4), True),
        (Day(2, 30, 2026), Day(2, 30), True),
    ],
)
def test_a_day_bears_out_what_it_does_not_deny(page: Day, claimed: Day, expected: bool) -> None:
    assert page.bears_out(claimed) is expected


def test_a_month_alone_is_written_like_one() -> None:
    assert [found.value for found in months("You may march in May or in March 2027.")] == [
        Day(5),
        Day(3, year=2027),
    ]


def test_years_and_academic_years() -> None:
    read = [found.value for found in years("In 2026–27, 2026-2027, 2024/25 and 1891; not 1,998 or $2000.")]
    assert read == [Years((2026, 2027)), Years((2026, 2027)), Years((2024, 2025)), Years((1891,))]
    assert Years((2026, 2027)).bears_out(Years((2027,)))
    assert not Years((2027,)).bears_out(Years((2026, 2027)))


def test_a_season_is_a_term_unless_one_falls() -> None:
    assert [found.value for found in terms("fall 2026, if you fall below 2.0, in the Autumn")] == [
        SeasonTerm("fall", 2026),
        SeasonTerm("fall"),
    ]
    assert not SeasonTerm("fall", 2026).bears_out(SeasonTerm("fall", 2027))
    assert SeasonTerm("fall").bears_out(SeasonTerm("fall", 2027))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mondays", {0}),
        ("Mon–Thu", {0, 1, 2, 3}),
        ("Friday to Monday", {4, 5, 6, 0}),
        ("weekdays", {0, 1, 2, 3, 4}),
        ("at the weekend", {5, 6}),
        ("daily", set(range(7))),
        ("every night", set(range(7))),
        ("Wed.", {2}),
    ],
)
def test_days_of_the_week(text: str, expected: set[int]) -> None:
    assert [found.value for found in weekdays(text)] == [Weekdays(frozenset(expected))]


@pytest.mark.parametrize("text", ["the sun is up", "they sat down", "we wed in May"])
def test_small_words_that_look_like_days(text: str) -> None:
    assert list(weekdays(text)) == []


def test_a_span_of_days_bears_out_each_of_them() -> None:
    assert Weekdays(frozenset(range(5))).bears_out(Weekdays(frozenset((1,))))
    assert not Weekdays(frozenset((1,))).bears_out(Weekdays(frozenset(range(5))))


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for reader in (days, months, years, terms, weekdays):
        for found in reader(text):
            assert 0 <= found.start < found.end <= len(text)

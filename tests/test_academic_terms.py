"""Terms and academic years: how they are named, what a question means by them, which pages suit."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as some

from server.academic_terms import (
    academic_year,
    current_term,
    days_in,
    has_ended,
    names_no_other_time,
    names_time,
    parse_term,
    preference,
    season_term,
    terms_asked,
    terms_in,
    terms_in_url,
    terms_named,
    timeless,
    without_terms,
)

TODAY = date(2026, 11, 22)


def names(text: str) -> list[str]:
    return [term.name for term in terms_in(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fall 2024 drop deadline", ["2024-fall"]),
        ("the Fall semester of 2024", ["2024-fall"]),
        ("Spring Semester, 2025", ["2025-spring"]),
        ("2025 Summer session", ["2025-summer"]),
        ("autumn ’24 and Spring '25", ["2024-fall", "2025-spring"]),
        ("Otoño de 2026", ["2026-fall"]),
        ("F24 and S25 schedules", ["2024-fall", "2025-spring"]),
        ("the 2026-27 academic year", ["2026/27"]),
        ("AY 2026–2027", ["2026/27"]),
        ("2026/27", ["2026/27"]),
        ("Academic calendar 1999-2000", ["1999/00"]),
        ("2024-2025: Fall 2024, Spring 2025", ["2024/25", "2024-fall", "2025-spring"]),
        ("from 2019-2024", []),
        ("room F24-A, model XF24, course 15-213", []),
        ("call 585-2024-25 or 2024-25-10", []),
        ("founded in 1894; spring water; fall of Rome", []),
        ("", []),
    ],
)
def test_a_text_names_terms_and_academic_years(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Fall 2024 drop deadline", ["2024-fall"]),
        ("when did fall classes start in 2025", ["2025-fall"]),
        ("when is graduation 2027", ["2027"]),
        ("last day to drop with a W this fall", ["2026-fall"]),
        ("deadline to go abroad next fall", ["2027-fall"]),
        ("who teaches CSC 320 next spring", ["2027-spring"]),
        ("this spring", ["2027-spring"]),
        ("when was spring break last spring", ["2026-spring"]),
        ("what is due next semester", ["2027-spring"]),
        ("classes this semester", ["2026-fall"]),
        ("grades of last semester", ["2026-spring"]),
        ("tuition this academic year", ["2026/27"]),
        ("tuition next year", ["2027/28"]),
        ("tuition last year", ["2025/26"]),
        ("when do fall classes start", []),
        ("how much is tuition", []),
        ("between 2019 and 2024", []),
        ("is a $2024 deposit due", []),
    ],
)
def test_a_question_means_a_term_named_relative_or_by_its_year(question: str, expected: list[str]) -> None:
    assert [term.name for term in terms_asked(question, TODAY)] == expected


@pytest.mark.parametrize(
    ("today", "expected"),
    [
        (date(2026, 1, 1), "2026-spring"),
        (date(2026, 6, 1), "2026-summer"),
        (date(2026, 8, 14), "2026-summer"),
        (date(2026, 12, 31), "2026-fall"),
    ],
)
def test_the_current_term(today: date, expected: str) -> None:
    assert current_term(today).name == expected


def test_a_summer_semester_is_followed_by_fall() -> None:
    assert [t.name for t in terms_asked("next semester", date(2026, 7, 1))] == ["2026-fall"]


@given(some.integers(1990, 2090), some.sampled_from(["winter", "spring", "summer", "fall"]))
def test_a_name_says_the_whole_term(year: int, season: str) -> None:
    for term in (season_term(season, year), academic_year(year)):
        assert parse_term(term.name) == term
        assert term.affinity(term) == 1


@given(some.dates(date(2000, 1, 2), date(2090, 1, 1)))
def test_every_day_has_a_term_before_and_after(today: date) -> None:
    for which in ("this", "next", "last"):
        for unit in ("fall", "winter", "semester", "year"):
            assert len(terms_asked(f"{which} {unit}", today)) == 1
    assert current_term(today).start <= today


def test_the_preferred_passages_are_of_the_term_asked_for() -> None:
    asked = terms_asked("fall 2026", TODAY)
    assert preference(asked, terms_in("Fall 2026"), TODAY) == 1
    assert preference(asked, terms_in("Calendar 2026-27"), TODAY) == 1
    assert preference(asked, terms_in("Fall 2025 and Spring 2026"), TODAY) == -1
    assert preference(asked, (), TODAY) == 0


def test_a_bare_year_is_half_of_two_academic_years() -> None:
    asked = terms_asked("graduation 2027", TODAY)
    assert abs(preference(asked, [academic_year(2026)], TODAY)) < 0.01
    assert preference(asked, [academic_year(2024)], TODAY) == -1


def test_without_a_term_in_the_question_what_is_over_comes_last() -> None:
    assert preference((), terms_in("Fall 2026"), TODAY) == 0
    assert preference((), terms_in("Calendars 2025-26 and 2026-27"), TODAY) == 0
    assert preference((), terms_in("Fall 2027"), TODAY) == -0.25
    assert preference((), terms_in("Fall 2024"), TODAY) == -1
    assert preference((), (), TODAY) == 0


@pytest.mark.parametrize(
    ("text", "first", "last", "year"),
    [
        ("10/7/19 - 10/11/19 (Week 2)", (10, 7), (10, 11), 2019),
        ("10/7–10/11", (10, 7), (10, 11), None),
        ("11/27/2026", (11, 27), (11, 27), 2026),
    ],
)
def test_days_in_figures(text: str, first: tuple[int, int], last: tuple[int, int], year: int | None) -> None:
    [days] = days_in(text)
    assert (days.first, days.last, days.year) == (first, last, year)


@pytest.mark.parametrize(
    ("heading", "ended"),
    [
        ("Effective before Fall 2026:", True),
        ("Rules prior to the spring term 2019", True),
        ("Effective before Spring 2027", False),
        ("Effective Fall 2019", False),
        ("Students admitted before Fall 2019", False),
        ("Before you come", False),
    ],
)
def test_what_held_until_a_term_that_has_begun_holds_no_longer(heading: str, ended: bool) -> None:
    assert has_ended(heading, TODAY) is ended


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CS 211 Spring 96 Home Page", ["1996-spring"]),
        ("Fall 96 Course Information", ["1996-fall"]),
        ("cs212 (fall 19)", ["2019-fall"]),
        ("Fall 2026", ["2026-fall"]),
        ("fall 12 credits", []),
        ("a fall 15-week course", []),
        ("Spring 10:30 a.m.", []),
        ("Fall 9/12", []),
    ],
)
def test_a_name_may_have_a_year_of_two_figures(name: str, expected: list[str]) -> None:
    assert [term.name for term in terms_named(name)] == expected
    assert [term.name for term in terms_asked(name, TODAY)] == expected


def test_an_address_may_have_a_year_of_two_figures() -> None:
    for path in ("Courses/Spring-95/hw.html", "cs336/spring95/", "spring_95.html"):
        assert [term.name for term in terms_in_url(f"https://u.example/{path}")] == ["1995-spring"]


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("add deadline for fall 2026", "add deadline"),
        ("add deadline for the Fall 2026 semester?", "add deadline?"),
        ("ms application deadline (fall 2027)", "ms application deadline"),
        ("For spring 2027, what is due", "what is due"),
        ("cost of the mcs starting fall 2026 with insurance", "cost of the mcs with insurance"),
        ("how much is tuition this year?", "how much is tuition?"),
        ("graduate tuition for 2026-27", "graduate tuition"),
        ("tuition for 2026-27", "tuition for 2026-27"),
        ("For the 2026-27 school year, when do i apply", "when do i apply"),
        ("how many seats in 2026-2030", "how many seats in 2026-2030"),
        ("when can i register for winter 2027 classes", "when can i register for classes"),
        ("apply for fall 2027 phd in statistics", "apply for phd in statistics"),
        ("fees for fall 2026 at night", "fees at night"),
        ("when does fall 2026 begin", "when does fall 2026 begin"),
        ("when does this semester end", "when does this semester end"),
        ("grades fall 2026 final when due", "grades fall 2026 final when due"),
        ("when do fall classes start", "when do fall classes start"),
    ],
)
def test_a_term_that_is_named_beside_all_else_is_left_out(question: str, left: str) -> None:
    assert without_terms(question) == left


def test_what_is_asked_of_a_term_that_is_over_is_asked_of_that_one() -> None:
    assert timeless("ms deadline for fall 2027", TODAY) == "ms deadline"
    assert timeless("ms deadline for fall 2024", TODAY) == "ms deadline for fall 2024"


def test_a_season_alone_and_a_year_alone_are_of_a_time() -> None:
    assert names_time("Due in the fall quarter.")
    assert names_time("Rates of 2026-27.")
    assert not names_time("Applications are due December 15; the fee is $2019.")


@pytest.mark.parametrize(
    ("text", "goes_without_saying"),
    [
        ("Permits cost $95.", True),
        ("Tuition 2026–27: $9,240 a year, set on June 3, 2026.", True),
        ("Fall 2026: $4,620.", True),
        ("Tuition 2026–27: $9,240; 2025–26: $9,010.", False),
        ("Fall 2026: $4,620. Spring is billed in December.", False),
        ("Fall 2025: $4,505.", False),
    ],
)
def test_a_term_goes_without_saying_where_no_other_is_named(text: str, goes_without_saying: bool) -> None:
    asked = terms_asked("how much is tuition for 2026-27", TODAY)
    assert names_no_other_time(text, asked) == goes_without_saying

"""What lines of pages say of hours, and what of them is in doubt."""

from __future__ import annotations

import pytest

from server.models.hours import Spans
from server.written_hours.clauses import conditions_in, read_hours

Said = tuple[str, Spans | None]

WORK = "MTWRF"


def said(line: str, *, is_cell: bool = False) -> list[Said]:
    """Days as letters, and their spans."""
    found = read_hours(line, is_cell=is_cell)
    return [("".join("MTWRFSU"[day] for day in one.weekdays), one.spans) for one in found]


def at(*hours: float) -> Spans:
    """`at(8.5, 17)`: from half past eight to five."""
    ends = [int(hour * 60) for hour in hours]
    return tuple(zip(ends[::2], ends[1::2], strict=True))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Monday–Thursday: 9 a.m.–6 p.m.", [("MTWR", at(9, 18))]),
        ("Mon–Fri: 6–8:30 a.m., noon–1:30 p.m., 7–9 p.m.", [(WORK, at(6, 8.5, 12, 13.5, 19, 21))]),
        (
            "Monday, Tuesday, Thursday and Friday 8:30 a.m.–5 p.m.; Wednesday 8:30 a.m.–7 p.m.",
            [("MTRF", at(8.5, 17)), ("W", at(8.5, 19))],
        ),
        ("8am-5pm Monday-Friday", [(WORK, at(8, 17))]),
        ("Open 9 a.m. to 5 p.m. Monday, Wednesday and Friday", [("MWF", at(9, 17))]),
        (
            "M-F 8:00am - 4:30pm, Sat 10am - 2pm, closed Sunday",
            [(WORK, at(8, 16.5)), ("S", at(10, 14)), ("U", ())],
        ),
        ("Closed Sunday, Monday 9 a.m.–5 p.m.", [("U", ()), ("M", at(9, 17))]),
        ("Daily 11 a.m.–1 a.m.", [("MTWRFSU", at(11, 25))]),
        ("Open 24 hours, seven days a week", [("MTWRFSU", at(0, 24))]),
        ("de lunes a viernes de 9:00 a 16:30", [(WORK, at(9, 16.5))]),
        ("Monday to Friday 9:00–5:00", [(WORK, at(9, 17))]),
        ("Weekdays 9 a.m.–4 p.m.; closed weekends", [(WORK, at(9, 16)), ("SU", ())]),
    ],
)
def test_days_and_their_times_in_whichever_order(line: str, expected: list[Said]) -> None:
    assert said(line) == expected


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("Thursdays we open at 10 a.m. because of the staff meeting.", "R"),
        ("On Fridays we stay open until the last reader leaves at about 9 p.m.", "F"),
        ("Open Monday to Friday 8 a.m.–10", WORK),  # in the morning or at night
        ("Monday: 9 am - 11:30 am (Walk-ins) & 1 pm - 3:30 pm (Walk-ins)", "M"),
        ("Open 9:00am-12:00pm and 1:00pm-4:00pm", ""),
        ("The office is closed on Wednesday mornings until 11 for file review.", "W"),
    ],
)
def test_what_is_left_over_casts_doubt_on_its_days(line: str, days: str) -> None:
    assert said(line) == [(days, None)]


@pytest.mark.parametrize(
    "line",
    [
        "Register by Monday, December 4.",
        "When we are closed, the nurse line is answered around the clock.",
        "Nobody has to cross campus alone.",
        "Room 204, second floor",
        "Call (802) 555-0120 on weekdays.",
        "The course meets Mondays 3–4.",
        "Application status for fall: Closed",
        "None",
    ],
)
def test_what_is_no_opening_hours_says_nothing(line: str) -> None:
    assert said(line) == []


def test_an_exception_holds_on_its_own_day_alone() -> None:
    [week, doubt] = read_hours("Sunday: Closed, except August 30 (noon–5 p.m.)")
    assert (week.weekdays, week.spans) == ((6,), ())
    assert (doubt.spans, [days.first for days in doubt.dates]) == (None, [(8, 30)])


def test_what_is_closed_is_listed_each_by_itself() -> None:
    *_, weekends, dates = read_hours("Weekdays 9 a.m.–4 p.m.; closed weekends and December 24–January 1")
    assert (weekends.weekdays, weekends.dates) == ((5, 6), ())
    assert (dates.weekdays, dates.spans, dates.dates[0].last) == ((), (), (1, 1))


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("IT Help Desk: Monday–Thursday 8 a.m.–9 p.m.", "IT Help Desk"),
        (
            "Student Accounts (bursar), Quarry Hall 110, Monday–Friday 9 a.m.–4 p.m.",
            "Student Accounts (bursar)",
        ),
        ("The dean's office is in Hall 210, open Monday to Friday, 8:30 a.m. to 5 p.m.", "The dean's office"),
        ("The office is open weekdays 8:30 a.m.–5 p.m.", ""),
        ("We are open weekdays 8:30 a.m.–5 p.m.", ""),
    ],
)
def test_a_label_is_what_stands_before_days_and_is_a_name(line: str, label: str) -> None:
    assert [one.label for one in read_hours(line)] == [label]


def test_a_doubt_is_of_what_its_clause_speaks_of() -> None:
    [one] = read_hours("The study room by the pond stays open at all hours to card holders on weekdays.")
    assert (one.spans, one.label) == (None, "study room by the pond")


def test_conditions_are_read_with_their_hours() -> None:
    [one] = read_hours("We keep shorter hours, 9 a.m.–4 p.m., between terms and in the summer.")
    assert (one.when, one.spans) == (("free", "summer"), at(9, 16))
    assert conditions_in("Hours in term") == ("taught",)
    assert conditions_in("Finals week") == ("finals",)


def test_a_cell_may_have_nothing_but_a_dash() -> None:
    assert said("—", is_cell=True) == [("", ())]
    assert said("—") == []

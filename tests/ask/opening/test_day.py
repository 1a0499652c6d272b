"""A place's hours on one day: what is particular goes before what is general, and doubt before all."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from server.ask.opening.day import PlaceHours, facts_of
from server.models import CalendarEntry, OpeningHours
from server.models.hours import OFFICES, USUAL, Spans

URL = "https://example.edu/library/hours/"
EVERY_DAY = tuple(range(7))
WEEK, SHORT = ((480, 1320),), ((540, 1020),)
CALENDAR = [
    CalendarEntry(date(2026, 8, 31), date(2026, 8, 31), "Classes begin", URL),
    CalendarEntry(date(2026, 11, 25), date(2026, 11, 27), "Thanksgiving recess", URL),
    CalendarEntry(date(2026, 12, 11), date(2026, 12, 11), "Last day of classes", URL),
    CalendarEntry(date(2026, 12, 14), date(2026, 12, 18), "Final examinations", URL),
]
MONDAY, RECESS, SATURDAY_AFTER = date(2026, 11, 16), date(2026, 11, 25), date(2026, 11, 28)
THANKSGIVING, FINALS, WINTER = date(2026, 11, 26), date(2026, 12, 15), date(2027, 1, 5)


def says(
    spans: Spans | None,
    *when: str,
    days: tuple[int, ...] = (),
    dates: tuple[date, date] | None = None,
    place: str = "Library",
    part: str = "",
) -> OpeningHours:
    first, last = dates or (None, None)
    return OpeningHours(place, part, place, True, days, spans, first, last, when, URL, 0, "the line")


def hours(
    day: date, *lines: OpeningHours, part: str = "", calendar: list[CalendarEntry] | None = None
) -> Spans | str:
    """The spans; "unlisted" where the day is not among those listed, "?" where nothing is sure."""
    own = tuple(one for one in lines if one.place != OFFICES)
    everyone = tuple(one for one in lines if one.place == OFFICES)
    place = PlaceHours(own[0].place, True, URL, own[0].place, own, (), everyone)
    found = place.on(part, facts_of(day, CALENDAR if calendar is None else calendar))
    return "?" if found is None else "unlisted" if found.spans is None else found.spans


def test_the_ordinary_week_holds_on_an_ordinary_day() -> None:
    assert hours(MONDAY, says(WEEK, days=(0, 1, 2, 3, 4))) == WEEK


@pytest.mark.parametrize("day", [RECESS, THANKSGIVING, SATURDAY_AFTER, WINTER, date(2026, 12, 25)])
def test_the_ordinary_week_says_nothing_of_breaks_and_holidays(day: date) -> None:
    assert hours(day, says(WEEK)) == "?"


def test_dates_go_before_all_and_the_shortest_stretch_before_longer_ones() -> None:
    winter = (date(2026, 12, 21), date(2027, 1, 15))
    lines = [
        says(WEEK, "taught", days=EVERY_DAY),
        says(SHORT, dates=winter, days=(0, 1, 2, 3, 4)),
        says((), dates=(date(2026, 12, 24), date(2027, 1, 1))),
    ]
    assert hours(WINTER, *lines) == SHORT
    assert hours(date(2026, 12, 25), *lines) == ()
    assert hours(MONDAY, *lines) == WEEK


def test_hours_in_term_hold_in_term_alone_and_not_surely_in_its_breaks() -> None:
    line = says(WEEK, "taught", days=EVERY_DAY)
    assert hours(MONDAY, line) == WEEK
    assert hours(FINALS, line) == WEEK
    assert [hours(day, line) for day in (RECESS, WINTER)] == ["?", "?"]
    assert hours(MONDAY, line, calendar=[]) == "?"


def test_hours_between_terms_are_of_the_days_that_are_open_otherwise() -> None:
    lines = [says(WEEK, days=(0, 1, 2, 3, 4), place="Office"), says(SHORT, "free", place="Office")]
    assert hours(WINTER, *lines) == SHORT
    assert hours(date(2027, 1, 9), *lines) == "?"  # a Saturday


def test_any_doubt_about_the_day_leaves_it_open() -> None:
    week = says(WEEK, days=(0, 1, 2, 3, 4))
    assert hours(MONDAY, week, says(None, days=(0,))) == "?"
    assert hours(MONDAY, week, says(None, days=(2,))) == WEEK
    assert hours(MONDAY, week, says(None, dates=(MONDAY, MONDAY))) == "?"
    assert hours(MONDAY, week, says(SHORT, days=(0,))) == "?"  # two lines that say otherwise


def test_an_event_s_hours_hold_while_it_is_on() -> None:
    lines = [says(WEEK, days=(0, 1, 2, 3, 4)), says((), "finals", "break")]
    assert hours(FINALS, *lines) == ()
    assert hours(RECESS, *lines) == ()
    assert hours(MONDAY, *lines) == WEEK


def test_offices_keep_to_the_calendar_and_others_leave_it_open() -> None:
    closed = says((), dates=(RECESS, date(2026, 11, 27)), days=(3, 4), place=OFFICES)
    office, shop = says(WEEK, place="Registrar's office"), says(WEEK, place="Bookstore")
    assert hours(THANKSGIVING, office, closed) == ()
    assert hours(THANKSGIVING, shop, closed) == "?"
    usual = says((), USUAL, dates=(RECESS, RECESS), place=OFFICES)
    assert hours(RECESS, office, usual) == WEEK
    assert hours(RECESS, shop, usual) == "?"


def test_a_day_that_a_whole_week_leaves_out_is_not_listed() -> None:
    saturday = date(2026, 11, 14)
    assert hours(saturday, says(WEEK, days=(0, 1, 2, 3, 4))) == "unlisted"
    assert hours(saturday, says(WEEK, days=(1, 3))) == "?"


def test_a_part_is_closed_with_its_place_and_otherwise_in_doubt() -> None:
    part = says(WEEK, part="Pool")
    dates = (MONDAY, MONDAY)
    assert hours(MONDAY, part, part="Pool") == WEEK
    assert hours(MONDAY, part, says((), dates=dates), part="Pool") == ()
    assert hours(MONDAY, part, says(SHORT, dates=dates), part="Pool") == "?"
    main = replace(part, part="Building")
    assert hours(MONDAY, main, says(SHORT, dates=dates), part="Building") == SHORT

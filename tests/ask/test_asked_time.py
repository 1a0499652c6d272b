from __future__ import annotations

from datetime import date, timedelta

import pytest

from server.ask.context import TermOptions
from server.ask.conversation.asked_time import AskedTime, asked_time
from server.models import CalendarEntry
from tests.ask.phrases_of_time import CALENDAR, LEAP, PHRASES

DAYS = (date(2026, 11, 1), date(2026, 11, 23), date(2026, 12, 31))


def entries(table: str) -> tuple[CalendarEntry, ...]:
    rows = (line.split(maxsplit=2) for line in table.strip().splitlines())
    return tuple(
        CalendarEntry(date.fromisoformat(first), date.fromisoformat(last), name, "https://x.example/calendar")
        for first, last, name in rows
    )


def span(text: str) -> tuple[date, date] | None:
    """ "11-25..11-27", "/03-15" (2027), "2028-02-29", "-"."""
    if text == "-":
        return None
    ends = [
        one if len(one) == 10 else f"{'2027' if one[0] == '/' else '2026'}-{one.lstrip('/')}"
        for one in text.split("..")
    ]
    return date.fromisoformat(ends[0]), date.fromisoformat(ends[-1])


def cases() -> list[tuple[str, date, tuple[date, date] | None]]:
    rows = [[cell.strip() for cell in line.split("|")] for line in PHRASES.strip().splitlines()]
    leap = [[cell.strip() for cell in line.split("|")] for line in LEAP.strip().splitlines()]
    return [
        *((row[0], day, span(cell)) for row in rows for day, cell in zip(DAYS, row[1:], strict=True)),
        *((row[0], date(2028, 2, 28), span(row[1])) for row in leap),
    ]


@pytest.mark.parametrize(("phrase", "today", "expected"), cases())
def test_a_phrase_means_its_days(phrase: str, today: date, expected: tuple[date, date] | None) -> None:
    calendar = () if today.year == 2028 else entries(CALENDAR)
    found = asked_time(phrase, today, calendar)
    assert (found and (found.first, found.last)) == expected


def test_there_are_many_phrases() -> None:
    assert len(PHRASES.strip().splitlines()) >= 120


def test_what_a_page_may_write_for_the_days() -> None:
    calendar, monday = entries(CALENDAR), date(2026, 11, 23)
    friday = asked_time("is the gym open this friday", monday, calendar)
    assert friday == AskedTime(
        date(2026, 11, 27),
        date(2026, 11, 27),
        "this friday",
        "Thanksgiving recess November 27 Friday",
        taught=True,
    )
    finals = asked_time("library hours in finals week", monday, calendar)
    assert finals is not None
    assert finals.written == "Final examinations December 14 18"


def test_days_apart_from_each_other_are_no_one_stretch() -> None:
    assert asked_time("is it open on nov 26 or spring break", date(2026, 11, 23), entries(CALENDAR)) is None
    both = asked_time("open tonight or tomorrow", date(2026, 11, 23))
    assert both is not None
    assert both.last - both.first == timedelta(days=1)


def test_of_several_calendars_the_one_that_tells_most_holds() -> None:
    law = CalendarEntry(
        date(2026, 11, 25), date(2026, 11, 29), "Thanksgiving", "https://x.example/law/calendar"
    )
    found = asked_time("over thanksgiving", date(2026, 11, 23), (*entries(CALENDAR), law))
    assert found is not None
    assert found.last == date(2026, 11, 27)


def test_today_is_the_day_where_the_university_is() -> None:
    here, there = TermOptions(zone="Pacific/Kiritimati").day(), TermOptions(zone="Pacific/Niue").day()
    assert here - there in (timedelta(days=1), timedelta(days=2))
    assert TermOptions(zone="Pacific/Niue").day("Pacific/Kiritimati") == here
    assert TermOptions(today=date(2026, 11, 22), zone="Pacific/Niue").day() == date(2026, 11, 22)


@pytest.mark.parametrize(
    ("question", "is_named"),
    [
        ("when do i claim my saturday tickets", False),
        ("when does add/drop close for the saturday programme", False),
        ("what grade for the weekend robotics degree", False),
        ("can i get tickets on saturday", True),
        ("is the gym open saturday for students", True),
        ("what is on for the weekend", True),
    ],
)
def test_a_day_that_belongs_to_a_name_is_none_that_is_meant(question: str, is_named: bool) -> None:
    assert (asked_time(question, date(2026, 11, 23)) is not None) == is_named

from __future__ import annotations

from datetime import date

import pytest

from server.ask.conversation.asked_time import AskedTime, asked_time
from server.ask.quoting.day_fit import (
    DATE,
    EXCEPTION,
    NOT_FAR,
    OTHER,
    WEEKDAY,
    asks_usual_hours,
    current_fit,
    dates_above,
    day_fit,
    day_or_another_fit,
    season_fit,
    usual_fit,
    usual_weekdays,
)
from server.models import CalendarEntry

MONDAY = date(2026, 11, 23)


def asked(question: str, today: date = MONDAY) -> AskedTime:
    meant = asked_time(question, today)
    assert meant is not None
    return meant


@pytest.mark.parametrize(
    ("question", "line", "fit"),
    [
        ("is it open this saturday", "Saturday — Counter: Closed", WEEKDAY),
        ("is it open this saturday", "Monday–Friday — Counter: 9–5", OTHER),
        ("is it open this saturday", "weekends: noon to four", WEEKDAY),
        ("is it open this saturday", "Open daily until ten", WEEKDAY),
        ("is it open this saturday", "November 25–29: closed", DATE),
        ("is it open this saturday", "Nov. 26: closed", -DATE),
        ("is it open this saturday", "The desk is in Quarry Hall.", 0.0),
        ("how late are you open tonight", "Mon – Thu: 8 a.m. to midnight", WEEKDAY),
        ("how late are you open tonight", "Friday: 8 a.m. to 8 p.m.", OTHER),
        ("is it open this saturday", "Pool — Mon–Fri: 6–8 a.m.; Sat: 10 a.m.–1 p.m.; Sun: 2–6 p.m.", WEEKDAY),
        ("is it open this saturday", "Pool — Mon–Fri: 6–8 a.m.; Sun: 2–6 p.m.", OTHER),
        ("is it open this saturday", "They sat in the sun.", 0.0),
        ("open on thanksgiving day?", "Thursday, November 26: closed", DATE),
        ("¿abre el sábado?", "Sábado: cerrado", WEEKDAY),
        ("when do classes end next spring", "Spring 2027 — Last day: May 7", WEEKDAY),
        ("when do classes end next spring", "Fall 2026 — Last day: December 9", OTHER),
        ("when do classes end next spring", "May 7: last day of classes", 0.0),
    ],
)
def test_a_line_fits_the_days_that_are_meant(question: str, line: str, fit: float) -> None:
    assert day_fit(line, "", asked(question)) == fit


@pytest.mark.parametrize(
    ("line", "above", "fit"),
    [
        ("November 28: closed", "", DATE),
        ("November 28: closed", "Academic calendar 2026–27", DATE),
        ("November 28: closed", "Fall 2026", DATE),
        ("November 28: closed", "Academic calendar 2024–25", -DATE),
        ("November 28: closed", "Fall 2024", -DATE),
        ("November 28: closed, fall 2024", "Fall 2026", -DATE),
        ("November 28, 2026: closed", "Fall 2024", DATE),
        ("November 28: closed", "Spring 2024", DATE),
    ],
)
def test_a_date_without_its_year_is_of_the_term_that_it_stands_in(line: str, above: str, fit: float) -> None:
    assert day_fit(line, above, asked("is it open this saturday")) == fit


@pytest.mark.parametrize(
    ("line", "fit"),
    [
        ("The halls close on Saturday, December 19, 2026.", NOT_FAR),
        ("Closed on December 25.", DATE),
        ("They close in May, on the 15th.", 0.0),
        ("Graduates leave by Sunday, May 23.", 0.0),
    ],
)
def test_where_a_day_is_asked_for_one_near_a_holiday_may_be_it(line: str, fit: float) -> None:
    assert day_or_another_fit(line, "", asked("what day do we have to leave for christmas")) == fit


def test_an_exception_goes_before_its_weekday() -> None:
    saturday = asked("open this saturday?")
    assert day_fit("November 28: noon to six", "", saturday) > day_fit("Saturday: nine to six", "", saturday)


@pytest.mark.parametrize(
    ("line", "above", "fit"),
    [
        ("Monday–Thursday: 8 to 5", "Library hours Summer 2027", OTHER),
        ("Monday–Thursday: 8 to 5", "Library hours Winter break", OTHER),
        ("Monday–Thursday: 8 to 5", "Library hours Fall 2026", WEEKDAY),
        ("Monday–Thursday: 8 to 5", "Library hours In term", WEEKDAY),
        ("Tuesday: 8 to 5", "Library hours Fall 2026", OTHER),
        ("November 23: noon to six", "Library hours Summer and other exceptions", DATE),
        ("Noon to six", "Library hours Mondays", WEEKDAY),
        ("Noon to six", "Library hours", 0.0),
    ],
)
def test_a_weekday_below_another_season_is_another_day(line: str, above: str, fit: float) -> None:
    assert day_fit(line, above, asked("how late is the library open tonight")) == fit


def test_a_season_above_a_line_tells_of_it() -> None:
    question = "when is the spring payment due"
    assert season_fit("January 6", "Payment for spring", question) == WEEKDAY
    assert season_fit("Spring: January 6", "Payment for fall", question) == WEEKDAY


def test_dates_without_a_year_are_of_the_year_that_is_near() -> None:
    january = asked("open on january 2?", date(2026, 12, 29))
    assert day_fit("December 24 – January 3: closed", "", january) == DATE


@pytest.mark.parametrize(
    ("question", "line", "fit"),
    [
        ("when is the spring payment due", "Spring: January 6", WEEKDAY),
        ("when is the spring payment due", "Fall: August 5", OTHER),
        ("when is the spring payment due", "Fall: August 5; Spring: January 6", WEEKDAY),
        ("when is the payment due", "Fall: August 5", 0.0),
        ("fall or spring payment?", "Fall: August 5", 0.0),
        ("when is the spring payment due", "Pay at the counter.", 0.0),
    ],
)
def test_a_season_that_is_named_prefers_its_own_line(question: str, line: str, fit: float) -> None:
    assert season_fit(line, "", question) == fit


def entry(name: str, first: date, last: date | None = None) -> CalendarEntry:
    return CalendarEntry(first, last or first, name, "https://u.example/calendar")


CALENDAR = (
    entry("Classes begin", date(2026, 8, 31)),
    entry("Final examinations", date(2026, 12, 14), date(2026, 12, 18)),
    entry("Classes begin", date(2027, 1, 19)),
)


@pytest.mark.parametrize(
    ("day", "line", "above", "fit"),
    [
        ("nov 28", "Between terms: closed at weekends", "Pool", OTHER),
        ("nov 28", "Saturday: noon to six", "Hours in term", WEEKDAY),
        ("dec 26", "Between terms: closed at weekends", "Pool", WEEKDAY),
        ("dec 26", "Saturday: noon to six", "Hours in term", OTHER),
    ],
)
def test_hours_in_term_are_not_those_between_terms(day: str, line: str, above: str, fit: float) -> None:
    meant = asked_time(f"is it open on {day}", MONDAY, CALENDAR)
    assert meant is not None
    assert day_fit(line, above, meant) == fit


@pytest.mark.parametrize(
    ("day", "taught"), [("nov 28", True), ("dec 26", False), ("jan 20", None), ("aug 1", None)]
)
def test_whether_a_term_is_on_is_what_the_calendar_says(day: str, taught: bool | None) -> None:
    meant = asked_time(f"is it open on {day}", MONDAY, CALENDAR)
    assert meant is not None
    assert meant.taught is taught


def test_a_line_of_dates_alone_holds_for_what_stands_below_it() -> None:
    weeks = [
        "10/7/19 - 10/11/19 (Week 2)",
        "Monday: 9–11",
        "Thursday: 2–3",
        "10/14/19 - 10/18/19 (Week 3)",
        "Thursday: 10",
    ]
    text = "\n".join(["Walk-ins", *weeks, "Friday, November 6: Last day to drop", "Ask us."])
    assert dates_above(text, text.index("Thursday: 2")) == weeks[0]
    assert dates_above(text, text.index("Thursday: 10")) == weeks[3]
    assert dates_above(text, text.index("Ask us")) == weeks[3]
    assert not dates_above(text, text.index("10/7"))


@pytest.mark.parametrize(
    ("question", "weekdays"),
    [
        ("is the library open on sundays", {6}),
        ("how late is it open every friday", {4}),
        ("what time does dining close on weekends", {5, 6}),
        ("open monday to thursday?", {0, 1, 2, 3}),
        ("is it open every day", set()),
        ("is it open this sunday", set()),
    ],
)
def test_days_of_every_week_are_told_from_a_single_one(question: str, weekdays: set[int]) -> None:
    assert usual_weekdays(question) == weekdays


@pytest.mark.parametrize(
    ("line", "above", "fit"),
    [
        ("Sunday — Building: 11 a.m.–midnight", "Library hours", WEEKDAY),
        ("Mon–Fri: 6 a.m.–10 p.m.; Sat: closed", "Hours in term", OTHER),
        ("Open 24 hours a day, 7 days a week", "", WEEKDAY),
        ("Sunday, November 29 — Hours: noon–midnight", "Library hours", EXCEPTION),
        ("Sunday — noon to five", "Fall 2026, from August 31", WEEKDAY),
        ("From May 17: Sunday 1–6 p.m.", "Library hours", 0.0),
        ("Sunday — noon to five", "August 24 – December 18", WEEKDAY),
        ("every 40 minutes, 10 a.m. to 6 p.m.", "Mondays", OTHER),
        ("The desk is in Quarry Hall.", "Library", 0.0),
        ("On class days it runs every 20 minutes from 7 a.m. to 11 p.m.", "Shuttle", OTHER),
        ("It takes three business days.", "Transcripts", 0.0),
    ],
)
def test_what_holds_for_some_dates_is_not_so_every_week(line: str, above: str, fit: float) -> None:
    assert usual_fit(line, above, frozenset({6})) == fit


@pytest.mark.parametrize(
    ("line", "above", "taught", "fit"),
    [
        ("Monday–Friday: 8–10", "Hours in term", True, WEEKDAY),
        ("Monday–Friday: 8–10", "Hours in term", False, OTHER),
        ("Between terms: weekdays 7–6", "Hours in term", True, OTHER),
        ("Monday to Thursday 8–7", "Summer 2027", True, OTHER),
        ("Monday to Thursday 8–7", "Summer hours", None, OTHER),
        ("Monday to Thursday 8–7", "Fall 2026", None, 0.0),
        ("Labor Day, September 7: noon–midnight", "Exceptions, 2026–27", True, EXCEPTION),
        ("November 21–23: noon–midnight", "Exceptions, 2026–27", True, 0.0),
        ("From May 17: Monday to Thursday 8–7", "Library", True, 0.0),
        ("Monday to Thursday 8–7", "Library", True, 0.0),
    ],
)
def test_where_no_time_is_named_what_holds_now_is_meant(
    line: str, above: str, taught: bool | None, fit: float
) -> None:
    assert current_fit(line, above, MONDAY, taught) == fit


@pytest.mark.parametrize(
    ("question", "usual"),
    [
        ("when is the library open?", True),
        ("summer library hours", False),
        ("library hours fall 2026", False),
        ("library hours during spring break", False),
        ("is the gym open between terms", False),
        ("what days is the museum closed for holidays", False),
        ("max hours i can work a job", False),
        ("when does the dorm app open", False),
        ("where is the library", False),
        ("library hours on fridays", False),
    ],
)
def test_usual_hours_are_asked_for_where_no_time_is_named(question: str, usual: bool) -> None:
    assert asks_usual_hours(question) == usual

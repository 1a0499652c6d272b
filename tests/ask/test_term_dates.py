"""When terms begin and end: which questions ask it, and which lines of calendars answer."""

from __future__ import annotations

from datetime import date

import pytest

from server.ask.context import TermOptions
from server.ask.conversation.asked_dates import asked_dates
from server.ask.term_dates import entries_for
from server.models import CalendarEntry
from tests.ask.asking import Flow, fixture_over

TODAY = date(2026, 11, 30)
MAIN, LAW, ARCHIVE = (
    f"https://example.edu/{name}/" for name in ("calendar", "law/calendar", "archive/2023-24")
)


def entry(day: str, name: str, term: str, url: str = MAIN, last: str = "") -> CalendarEntry:
    first = date.fromisoformat(day)
    end = date.fromisoformat(last) if last else first
    return CalendarEntry(first, end, name, url, (term,), 0, f"{day}: {name}")


CALENDAR = [
    entry("2026-08-31", "Classes begin", "2026-fall"),
    entry("2026-10-12", "Fall break", "2026-fall", last="2026-10-13"),
    entry("2026-12-11", "Last day of classes", "2026-fall"),
    entry("2026-12-14", "Final examinations", "2026-fall", last="2026-12-18"),
    entry("2027-01-04", "Winter term instruction begins", "2027-winter"),
    entry("2027-01-18", "Martin Luther King Jr. Day: offices closed", "2027-spring"),
    entry("2027-01-19", "Classes begin", "2027-spring"),
    entry("2027-02-15", "to make up for Martin Luther King Jr. Day", "2027-spring"),
    entry("2027-03-10", "Midterm examinations", "2027-spring"),
    entry("2027-03-15", "Spring break", "2027-spring", last="2027-03-19"),
    entry("2027-05-07", "Last day of classes", "2027-spring"),
    entry("2027-05-10", "Final examinations", "2027-spring", last="2027-05-14"),
    entry("2027-05-22", "Commencement", "2027-spring"),
    entry("2027-06-01", "Classes begin", "2027-summer"),
    entry("2027-01-11", "Classes begin", "2027-spring", LAW),
    entry("2027-03-15", "Spring break", "2027-spring", LAW, last="2027-03-19"),
    entry("2027-05-03", "Examinations", "2027-spring", LAW),
    entry("2024-01-16", "Spring classes begin", "2023/24", ARCHIVE),
    entry("2024-03-11", "Spring break", "2023/24", ARCHIVE, last="2024-03-15"),
    entry("2024-05-18", "Commencement", "2023/24", ARCHIVE),
    entry("2027-01-25", "Classes begin", "2027-spring", "https://example.edu/pottery/"),
]


def told(question: str, today: date = TODAY) -> list[tuple[str, str]]:
    asked = asked_dates(question, today)
    assert asked is not None
    assert asked.matter == ()
    return [(one.first.isoformat(), one.url) for one in entries_for(asked, CALENDAR, today)]


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("when does spring semester start", ["2027-01-19"]),
        ("When do classes begin for spring 2027?", ["2027-01-19"]),
        ("spring start date", ["2027-01-19"]),
        ("first day of spring classes", ["2027-01-19"]),
        ("when does winter term start", ["2027-01-04"]),
        ("when did the fall semester start", ["2026-08-31"]),
        ("when does fall 2026 end", ["2026-12-11", "2026-12-14"]),
        ("last day of classes this semester", ["2026-12-11"]),
        ("last day of classes spring 2027", ["2027-05-07"]),
        ("when are finals", ["2026-12-14"]),
        ("finals week spring 2027", ["2027-05-10"]),
        ("spring break", ["2027-03-15"]),
        ("how long is spring break?", ["2027-03-15"]),
        ("what date is graduation", ["2027-05-22"]),
        ("when do summer classes start", ["2027-06-01"]),
        ("cuándo empieza el semestre de primavera", ["2027-01-19"]),
        ("when do classes start in june", ["2027-06-01"]),
        ("when did spring 2024 start", ["2024-01-16"]),
        ("when is fall break", ["2026-10-12"]),
        ("spring 2027 semester dates", ["2027-01-19", "2027-05-07", "2027-05-10"]),
        ("when does school let out for the semester", ["2026-12-11", "2026-12-14"]),
        ("commencement 2027", ["2027-05-22"]),
        ("is there school on mlk day", ["2027-01-18"]),
        ("is campus closed on martin luther king day?", ["2027-01-18"]),
        ("what holidays do we get off", ["2027-01-18", "2027-03-15"]),
        ("days off this spring", ["2027-01-18", "2027-03-15"]),
    ],
)
def test_a_question_gets_the_lines_of_its_term(question: str, days: list[str]) -> None:
    found = told(question)
    assert [day for day, url in found if url in (MAIN, ARCHIVE)] == days


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("ugh when do finals end i need to book a flight", ["2026-12-14"]),
        ("whats spring break lol", ["2027-03-15"]),
        ("got a wedding in march, when is spring break", ["2027-03-15"]),
        ("spring break 2027?? planning a family trip early", ["2027-03-15"]),
        ("when does spring semester start, need to book a hotel", ["2027-01-19"]),
        ("i work at the dining hall so what day does the spring semester start", ["2027-01-19"]),
    ],
)
def test_a_story_around_the_question_is_no_matter(question: str, days: list[str]) -> None:
    assert [day for day, url in told(question) if url == MAIN] == days


def test_without_a_term_the_next_ones_are_meant_and_what_began_lately() -> None:
    assert told("when do classes begin")[0] == ("2027-01-04", MAIN)
    assert told("when does school start", date(2027, 1, 21))[0] == ("2027-01-19", MAIN)
    assert told("when does school start", date(2027, 2, 10))[0] == ("2027-06-01", MAIN)


def test_a_part_of_a_term_is_told_only_where_no_whole_one_is() -> None:
    asked = asked_dates("when does fall 2026 start", TODAY)
    assert asked is not None
    mini = [
        entry(day, f"Mini-{n} Classes Begin", "2026-fall")
        for n, day in ((1, "2026-08-24"), (2, "2026-10-19"))
    ]
    both = [entry("2026-08-24", "Semester & Mini-1 Classes Begin", "2026-fall"), *mini[1:], *CALENDAR[:4]]
    assert [one.first.day for one in entries_for(asked, [*mini, *CALENDAR[2:4]], TODAY)] == [24, 19]
    assert [one.first.day for one in entries_for(asked, [*both[:2], *CALENDAR[2:4]], TODAY)] == [24]


def test_we_come_back_when_classes_begin_after_the_break() -> None:
    assert told("when do we go back after winter break")[0] == ("2027-01-04", MAIN)
    assert told("when do classes resume after christmas")[0] == ("2027-01-04", MAIN)


def test_another_calendar_is_told_where_its_days_differ_and_a_page_with_a_few_dates_is_none() -> None:
    assert told("when does spring semester start") == [("2027-01-19", MAIN), ("2027-01-11", LAW)]
    assert told("when is spring break") == [("2027-03-15", MAIN)]


@pytest.mark.parametrize(
    "question",
    [
        "when does registration start for spring",
        "when does the dining hall open in spring",
        "is the library open over spring break",
        "how do i apply for spring 2027",
        "what time do classes start and end on fridays in the spring",
        "fall or spring, when does it start",
        "when can i move out",
        "what happens at graduation",
        "graduation",
        "graduation requirements",
        "first year courses",
        "how do i start college",
        "what classes start in spring",
        "finals schedule",
        "where do i start with classes",
        "last semester grades",
        "final exam date of 15-213 spring 24",
        "10A final date this fall",
        "last day to get 60% back this fall",
        "what time are the fall finals",
        "summer session 2 dates",
        "still on a waitlist when class starts",
        "in the thanksgiving days i go away but my suitcases may stay in the hall?",
        "when do final exams need to be sent to the access center",
        "coworker died, how many days off",
        "is the library open on mlk day",
        "mwf 9am class, when in the spring is its final",
    ],
)
def test_another_question_asks_for_no_dates_or_has_a_matter_of_its_own(question: str) -> None:
    asked = asked_dates(question, TODAY)
    assert asked is None or asked.matter != ()


def test_a_matter_beside_the_dates_is_kept_for_the_calendar_that_names_it() -> None:
    asked = asked_dates("when do law classes start", TODAY)
    assert asked is not None
    assert asked.matter == ("law",)


LAW_SCHOOL = "<h1>Law School calendar</h1><h2>Spring 2027</h2><ul>{}</ul>".format(
    "".join(
        f"<li>{line}</li>"
        for line in (
            "Monday, January 11: Classes begin",
            "Monday–Friday, March 15–19: Spring break",
            "Monday, May 3: Examinations begin",
        )
    )
)
TERMS = {
    "Fall 2026": ("Monday, August 31: Classes begin", "Friday, December 11: Last day of classes"),
    "Spring 2027": (
        "Tuesday, January 19: Classes begin",
        "Monday–Friday, March 15–19: Spring break: no classes, offices open",
        "Friday, May 7: Last day of classes",
    ),
}
YEAR = "<h1>Academic calendar 2026–27</h1>" + "".join(
    f"<h2>{term}</h2><ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
    for term, lines in TERMS.items()
)


flow = fixture_over({"/calendar/2026-27/": YEAR, "/law/calendar/": LAW_SCHOOL})


def test_the_line_is_said_below_the_name_of_its_section_which_has_the_year(flow: Flow) -> None:
    final = flow.final("when is the last day of classes this fall", terms=TermOptions(today=TODAY))
    answer = final.answer
    [citation] = answer.citations
    assert citation.quote == "Friday, December 11: Last day of classes"
    assert answer.answer == f"{citation.place}:\n{citation.quote} [1]"
    assert citation.place.endswith("Fall 2026")
    assert answer.tier == "answer"
    assert answer.names == {f"{citation.place}:"}
    [notes] = [step.notes for step in final.trace.steps if step.step == "calendar"]
    assert notes == {"days": ["2026-12-11"], "names": ["Last day of classes"]}
    assert [step.step for step in final.trace.steps if step.step in ("deadlines", "extract")] == []


def test_what_is_over_is_said_to_be_unless_the_past_is_meant(flow: Flow) -> None:
    last = TermOptions(today=date(2027, 6, 1))
    assert flow.final("when is spring break", terms=last).answer.answer.startswith(
        "The latest day named there, March 19"
    )
    assert "passed" not in flow.final("when was spring break", terms=last).answer.answer


def test_of_a_matter_that_no_calendar_names_nothing_is_told_of_them(flow: Flow) -> None:
    final = flow.final("when do nursing classes start", terms=TermOptions(today=TODAY))
    [notes] = [step.notes for step in final.trace.steps if step.step == "calendar"]
    assert notes == {}


def test_a_story_tells_whose_calendar_is_meant(flow: Flow) -> None:
    terms = TermOptions(today=TODAY)
    law = flow.final("im at the law school, when does the spring semester start", terms=terms)
    assert [one.quote for one in law.answer.citations] == ["Monday, January 11: Classes begin"]
    plain = flow.final("im a sophomore, when does the spring semester start", terms=terms)
    assert plain.answer.citations[0].quote == "Tuesday, January 19: Classes begin"

"""Hours in a sentence, and the Yes or No before it."""

from __future__ import annotations

from datetime import date

import pytest

from server.ask.opening.day import DayHours, PlaceHours
from server.ask.opening.sentence import (
    DatedHours,
    OpenState,
    PartHours,
    clock,
    said,
    times,
    with_article,
)
from server.messages.catalogue import shipped
from server.models import OpeningHours
from server.models.hours import ALL_DAY, Spans
from server.written_hours.clocks import clock_in

ENGLISH, SPANISH = (shipped().spoken(lang, "the university") for lang in ("en", "es"))
TODAY = date(2026, 11, 21)
LINE = OpeningHours("Library", "", "Library", True, (), (), None, None, (), "https://u.example/", 0, "")
PLACE = PlaceHours("Library", True, LINE.url, "Library", (LINE,))
WEEK = ((600, 1080),)


def sentence(
    question: str,
    spans: Spans | None = WEEK,
    now: int | None = None,
    day: date = TODAY,
    texts: object = ENGLISH,
) -> str:
    state = OpenState(question, now, clock_in(question), may_be_yes_no=True)
    part = PartHours("", (DatedHours(day, DayHours(spans, LINE)),))
    return said(PLACE, [part], state, SPANISH if texts is SPANISH else ENGLISH, TODAY)


@pytest.mark.parametrize(
    ("question", "spans", "expected"),
    [
        (
            "is the library open today",
            WEEK,
            "Yes. The library is open today, Saturday, November 21, from 10 a.m. to 6 p.m.",
        ),
        (
            "when does the library close today",
            WEEK,
            "The library is open today, Saturday, November 21, from 10 a.m. to 6 p.m.",
        ),
        ("is the library open today", (), "No. The library is closed today, Saturday, November 21."),
        ("is the library closed today", (), "Yes. The library is closed today, Saturday, November 21."),
        (
            "is the library open tonight",
            WEEK,
            "No. The library is open today, Saturday, November 21, from 10 a.m. to 6 p.m.",
        ),
        (
            "is it open at 5 pm",
            WEEK,
            "Yes. The library is open today, Saturday, November 21, from 10 a.m. to 6 p.m.",
        ),
        (
            "is it open at 6 pm",
            WEEK,
            "No. The library is open today, Saturday, November 21, from 10 a.m. to 6 p.m.",
        ),
        (
            "library still open 6pm?",
            WEEK,
            "No. The library is open today, Saturday, November 21, from 10 a.m. to 6 p.m.",
        ),
        (
            "what is open at 5 pm",
            WEEK,
            "The library is open today, Saturday, November 21, from 10 a.m. to 6 p.m.",
        ),
        (
            "is it open until 5 pm",
            WEEK,
            "The library is open today, Saturday, November 21, from 10 a.m. to 6 p.m.",
        ),
        ("is the library open today", None, "The library lists no hours for today, Saturday, November 21."),
    ],
)
def test_the_sentence_and_its_answer(question: str, spans: Spans | None, expected: str) -> None:
    assert sentence(question, spans) == expected


def test_now_is_a_time_of_the_day() -> None:
    assert sentence("is it open now", now=17 * 60).startswith("Yes. The library is open now: today,")
    assert sentence("is it open now", now=18 * 60).startswith("No. The library is closed now: today,")


def test_what_is_open_past_midnight_is_open_the_day_after() -> None:
    part = PartHours("", (DatedHours(TODAY, DayHours(WEEK, LINE)),), late=120)
    state = OpenState("is it open now", 30, None, may_be_yes_no=True)
    assert said(PLACE, [part], state, ENGLISH, TODAY) == "Yes. The library is open now, until 2 a.m."


def test_several_parts_stand_in_one_sentence() -> None:
    parts = [
        PartHours(name, (DatedHours(TODAY, DayHours(spans, LINE)),))
        for name, spans in (("Counter", WEEK), ("Phone", ()))
    ]
    state = OpenState("is it open", None, None, may_be_yes_no=True)
    told = said(PLACE, parts, state, ENGLISH, TODAY)
    assert told == "Library, today, Saturday, November 21: Counter from 10 a.m. to 6 p.m.; Phone closed."


def test_it_is_said_in_spanish_too() -> None:
    told = sentence("¿está abierta la biblioteca hoy?", texts=SPANISH)
    assert told == "Sí: Library: abierto hoy, sábado, 21 de noviembre, de 10 a. m. a 6 p. m."


def test_times_are_said_as_people_do() -> None:
    assert [clock(minute, ENGLISH) for minute in (0, 450, 720, 1440, 1560)] == [
        "midnight", "7:30 a.m.", "noon", "midnight", "2 a.m.",
    ]  # fmt: skip
    assert times(((360, 510), (720, 810)), ENGLISH) == "from 6 a.m. to 8:30 a.m. and from noon to 1:30 p.m."
    assert times(ALL_DAY, ENGLISH) == "24 hours"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Library", "The library"),
        ("The Larder", "The Larder"),
        ("Hale Hall", "Hale Hall"),
        ("Butler Library", "Butler Library"),
        ("IT Help Desk", "The IT Help Desk"),
        ("Office of the Registrar", "The Office of the Registrar"),
        ("Heron Center", "The Heron Center"),
        ("Desk (Library)", "The desk (Library)"),
        ("Campus Safety", "Campus Safety"),
        ("Dining", "Dining"),
    ],
)
def test_a_name_has_its_article_where_it_is_none_of_its_own(name: str, expected: str) -> None:
    assert with_article(name) == expected

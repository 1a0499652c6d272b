"""What the calendar says against a weekday's hours, over a calendar's own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import cast

import pytest

from server.ask.conversation.asked_time import AskedTime
from server.ask.extract import extract_answer
from server.ask.ports import SearchIndex
from server.ask.quoting.day_exception import day_exception
from server.ask.quoting.score import QuestionFeatures
from server.models import CalendarEntry, Candidate, Hit, Passage

URL = "https://u.example/calendar"
RECESS = "Wednesday–Friday, November 25–27: Thanksgiving recess: offices closed Thursday and Friday"
LINES = f"Friday, November 6: Last day to withdraw\n{RECESS}\nNovember 9–20: Registration for spring"


@dataclass
class Calendar:
    """As much of a snapshot as a calendar's line is looked for in: two pages, found by any words."""

    calendar: Sequence[CalendarEntry]
    text: str = LINES

    @property
    def snapshot(self) -> Calendar:
        return self

    @property
    def keyword(self) -> Calendar:
        return self

    def search(self, question: str, limit: int) -> list[Hit]:
        assert question.endswith("closed")
        return [Hit(2, 3.0), Hit(1, 2.0)][:limit]

    def passages(self, ids: Sequence[int]) -> dict[int, Passage]:
        pages = {1: (URL, self.text), 2: ("https://u.example/news", f"{RECESS}, says the president.")}
        return {id_: Passage(id_, pages[id_][0], "Calendar", "Fall 2026", pages[id_][1]) for id_ in ids}


ON = (
    CalendarEntry(date(2026, 11, 25), date(2026, 11, 27), "Thanksgiving recess", URL),
    CalendarEntry(date(2026, 11, 9), date(2026, 11, 20), "Registration", URL),
)


def said_of(day: date, last: date | None = None, text: str = LINES) -> str | None:
    index = cast("SearchIndex", Calendar(ON, text))
    found = day_exception(AskedTime(day, last or day, "that day"), index)
    return found.text if found else None


@pytest.mark.parametrize("day", [25, 26, 27])
def test_the_calendars_own_line_is_found_for_its_days(day: int) -> None:
    assert said_of(date(2026, 11, day)) == RECESS


@pytest.mark.parametrize(
    ("first", "last"),
    [((11, 24), (11, 24)), ((11, 28), (11, 28)), ((11, 12), (11, 12)), ((11, 23), (11, 29))],
)
def test_no_other_days_have_an_exception(first: tuple[int, int], last: tuple[int, int]) -> None:
    assert said_of(date(2026, *first), date(2026, *last)) is None


def test_days_on_which_nothing_is_closed_have_none() -> None:
    assert said_of(date(2026, 11, 27), text=LINES.replace("closed", "open")) is None


@pytest.mark.parametrize(
    ("line", "day", "is_said"),
    [
        ("Monday–Friday: 8:30 to 4:30.", 0.6, True),
        ("November 27: 9 to noon.", 1.0, False),
        ("The window is in Quarry Hall.", 0.0, False),
    ],
)
def test_it_stands_before_the_hours_of_every_such_weekday(line: str, day: float, is_said: bool) -> None:
    index = cast("SearchIndex", Calendar(ON))
    friday = AskedTime(date(2026, 11, 27), date(2026, 11, 27), "friday")
    wanted = QuestionFeatures(
        {"window": 1.0},
        (),
        lambda texts: [set(text.lower().split()) for text in texts],
        day_fit=lambda _line, _above: day,
        dated=True,
    )
    wanted = replace(wanted, exception=lambda: day_exception(friday, index))
    office = Candidate(Passage(9, "https://u.example/registrar", "Registrar", "Window", line), 0.9)
    draft = extract_answer([office], wanted)
    assert draft.sentences == ((f"{RECESS} [1]", f"{line} [2]") if is_said else (f"{line} [1]",))
    assert len(draft.citations) == 1 + is_said

"""Times of day and days of the week, as people write them."""

from __future__ import annotations

import pytest

from server.models.hours import Spans
from server.written_hours.clocks import clock_in, spans_of, weekdays_of


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("8:30", "4:30 p.m.", ((510, 990),)),
        ("10", "6 pm", ((600, 1080),)),
        ("1", "9 p.m.", ((780, 1260),)),
        ("11", "1 pm", ((660, 780),)),
        ("9 a.m.", "noon", ((540, 720),)),
        ("8 a.m.", "5", ((480, 1020),)),
        ("8 a.m.", "10", None),
        ("9", "5", None),
        ("10:00", "11:00", None),
        ("09:00", "11:00", ((540, 660),)),
        ("7:30 a.m.", "midnight", ((450, 1440),)),
        ("12 a.m.", "6 a.m.", ((0, 360),)),
        ("10 p.m.", "2 a.m.", ((1320, 1560),)),
    ],
)
def test_a_stretch_is_read_where_it_can_mean_one_thing(start: str, end: str, expected: Spans | None) -> None:
    assert spans_of(start, end) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mon–Thu", (0, 1, 2, 3)),
        ("Saturday and Sunday", (5, 6)),
        ("Fri.–Mon.", (0, 4, 5, 6)),
        ("Weekdays", (0, 1, 2, 3, 4)),
        ("Building", ()),
        ("Wednesday, November 25", ()),
        ("Monday morning", ()),
    ],
)
def test_a_cell_of_days_has_nothing_else(text: str, expected: tuple[int, ...]) -> None:
    assert weekdays_of(text) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("open at 9 pm?", 1260),
        ("open at noon", 720),
        ("open at 9?", None),
        ("from 9 am to 5 pm", None),
        ("today", None),
    ],
)
def test_a_question_names_one_time_or_none(question: str, expected: int | None) -> None:
    assert clock_in(question) == expected

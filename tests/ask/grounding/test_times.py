from __future__ import annotations

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.dates import Time, times


def hours(text: str) -> list[list[float]]:
    return [sorted(minutes / 60 for minutes in found.value.minutes) for found in times(text)]


@pytest.mark.parametrize(
    "text", ["5 p.m.", "5pm", "5:00 PM", "17:00", "5 P.M.", "5 in the afternoon", "5:00 p.m."]
)
def test_five_in_the_afternoon(text: str) -> None:
    assert hours(f"It closes at {text}") == [[17.0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("noon to midnight", [[12.0], [0.0]]),
        ("1–4 p.m.", [[13.0], [16.0]]),
        ("11–1 p.m.", [[11.0], [13.0]]),
        ("9 a.m.–noon", [[9.0], [12.0]]),
        ("6–8:30 a.m.", [[6.0], [8.5]]),
        ("between 7 and 9 PM", [[19.0], [21.0]]),
        ("10 at night until 8 in the morning", [[22.0], [8.0]]),
        ("12 a.m. and 12 p.m.", [[0.0], [12.0]]),
        ("at 8:30", [[8.5, 20.5]]),
        ("six or 6 o'clock", [[6.0, 18.0]]),
        ("at 12 at night", [[0.0]]),
    ],
)
def test_the_ends_of_a_range_say_each_other(text: str, expected: list[list[float]]) -> None:
    assert hours(text) == expected


@pytest.mark.parametrize(
    "text", ["12–18 credits", "3 to 5 people", "14 to 1", "$5 pm", "room 12", "2026", "1:2:3"]
)
def test_bare_numbers_are_no_times(text: str) -> None:
    assert hours(text) == []


@settings(deadline=None)
@given(st.times())
def test_a_time_is_the_same_on_both_clocks(at: datetime.time) -> None:
    hour, half = at.hour % 12 or 12, "p.m." if at.hour >= 12 else "a.m."
    [twelve] = times(f"It opens at {hour}:{at.minute:02d} {half}")
    [twenty_four] = times(f"It opens at {at.hour:02d}:{at.minute:02d} sharp")
    assert twelve.value.bears_out(twenty_four.value)
    assert twelve.value.minutes == {at.hour * 60 + at.minute}


def test_the_hours_a_clock_may_show() -> None:
    assert Time(frozenset((17 * 60,))).hours == {5, 17}
    assert Time(frozenset((17 * 60 + 30,))).hours == frozenset()


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for found in times(text):
        assert 0 <= found.start < found.end <= len(text)

"""Entries whose day stands on a line of its own."""

from __future__ import annotations

import pytest

from server.ask.quoting.day_entries import entry_around, is_day
from server.sentences import sentences

CALENDAR = (
    "April 1\nM\nSemester drop deadline\nApril 3\nW\nMini-4 drop deadline\n"
    "April 11\n- April 13\nTh-F\nSpring Carnival; No Classes"
)


def around(text: str, words: str) -> str | None:
    spans = sentences(text)
    i = next(k for k, (start, end) in enumerate(spans) if words in text[start:end])
    found = entry_around(text, spans, i)
    return found and text[spans[found[0]][0] : spans[found[1]][1]]


@pytest.mark.parametrize("words", ["April 3", "W", "Mini-4"])
def test_an_entry_has_its_day(words: str) -> None:
    assert around(CALENDAR, words) == "April 3\nW\nMini-4 drop deadline"


def test_days_of_two_lines_are_of_one_entry() -> None:
    told = "April 11\n- April 13\nTh-F\nSpring Carnival; No Classes"
    assert [around(CALENDAR, words) for words in ("April 11", "- April 13", "Carnival")] == [told] * 3


@pytest.mark.parametrize(
    "text",
    [
        "Classes begin\nAugust 26\nLabor Day\nSeptember 2\nExams\nDecember 9",  # below what is on them
        "October 11\nOctober 12\nMidterm\nOctober 13",  # no telling
        "April 1\nDrop deadline\nApril 3\nAnother deadline",  # two days
        "April 1 is the deadline.\nApril 3 is another.\nApril 5 is the last.",
    ],
)
def test_where_it_cannot_be_told_a_line_stays_alone(text: str) -> None:
    spans = sentences(text)
    assert [entry_around(text, spans, k) for k in range(len(spans))] == [None] * len(spans)


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("October 11", True),
        ("Mon, May 5 – Fri, May 9", True),
        ("- April 13", True),
        ("October 11, 2024 (F)", True),
        ("October 11: Exams", False),
        ("Friday", False),
        ("Room 204", False),
    ],
)
def test_a_line_of_days_alone(line: str, is_one: bool) -> None:
    assert is_day(line) is is_one

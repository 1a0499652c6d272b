"""Deadlines of pages' tables and sentences, as data where their year is sure."""

from __future__ import annotations

import pytest

from server.ingest.academic_calendar import with_calendar
from server.ingest.chunk import ChunkSize, chunk
from server.ingest.deadlines import with_deadlines
from server.models import Block, Deadline, Document, Section

BEGIN = "Monday, August 31: Classes begin"  # a calendar is known by such a line


def read(*lines: str, title: str = "Billing", heading: str = "Due dates") -> list[Deadline]:
    section = Section((title, heading), tuple(Block("list", line) for line in lines))
    document = with_calendar(Document("https://example.edu/a", title, (section,)), [])
    return list(with_deadlines(document, chunk(document, ChunkSize(min_words=1))).deadlines)


def days(found: list[Deadline]) -> list[tuple[str, str]]:
    return [(one.day.isoformat(), one.label) for one in found]


def test_a_table_s_rows_are_deadlines_of_one_kind() -> None:
    found = read(
        "Fall 2026 — Bill posted: July 8, 2026; Due: August 7, 2026",
        "Spring 2027 — Bill posted: December 4, 2026; Due: January 6, 2027",
        "Summer 2027 — Bill posted: May 10, 2027; Due: First day of the session",
    )
    assert days(found) == [("2026-08-07", "Fall 2026"), ("2027-01-06", "Spring 2027")]
    assert len({one.kind for one in found}) == 1
    assert found[0].line.startswith("Fall 2026 — Bill posted")


def test_a_calendar_gives_the_year_of_its_days() -> None:
    lines = (
        "Friday, November 6: Last day to withdraw with a W",
        "Friday, April 2: Last day to withdraw with a W",
    )
    found = read(BEGIN, *lines, title="Academic calendar 2026–27", heading="2026–27")
    assert days(found) == [("2026-11-06", ""), ("2027-04-02", "")]
    assert {one.kind for one in found} == {"last day to withdraw with a w"}
    assert read(*lines, title="Fall 2027", heading="How to apply") == []


def test_a_calendar_s_row_has_one_for_each_session() -> None:
    line = "Last day to withdraw — Session I: Friday, June 18; Session II: Friday, July 23"
    found = read("May 24: Classes begin", line, title="Academic calendar 2026–27", heading="Summer 2027")
    assert days(found) == [("2027-06-18", "Session I"), ("2027-07-23", "Session II")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Applications are due March 1, 2027.", ["2027-03-01"]),
        ("Las solicitudes vencen el 1 de marzo de 2027.", ["2027-03-01"]),
        ("Applications are due March 1.", []),
        ("Applications are due October 1, 2026, or March 1, 2027.", []),
        ("The symposium is on April 22, 2027.", []),
        ("The library closes at 5 p.m. on March 1, 2027.", []),
    ],
)
def test_a_sentence_is_one_where_it_has_one_day_and_its_year(line: str, expected: list[str]) -> None:
    assert [one.day.isoformat() for one in read(line)] == expected

"""What a calendar's page says of days, and which pages are calendars."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from server.index.build import SnapshotBuilder
from server.index.snapshot import INDEX_FILE, Snapshot, connect
from server.ingest.academic_calendar import with_calendar
from server.models import Block, CalendarEntry, Document, Section
from tests.index.small_index import DIMS, a_page, build, unit_vectors

URL = "https://example.edu/calendar/2026-27/"


def learnt(
    *lines: str, title: str = "Academic calendar 2026–27", under: str = ""
) -> list[tuple[str, str, str]]:
    section = Section((title, under) if under else (title,), tuple(Block("table", line) for line in lines))
    found = with_calendar(Document(URL, title, (section,)), []).calendar
    return [(one.name, one.first.isoformat(), one.last.isoformat()) for one in found]


@pytest.mark.parametrize(
    ("line", "under", "expected"),
    [
        (
            "Wednesday–Friday, November 25–27: Thanksgiving recess: no classes",
            "Fall 2026",
            ("Thanksgiving recess", "2026-11-25", "2026-11-27"),
        ),
        (
            "Thanksgiving recess: November 25–29, 2026",
            "",
            ("Thanksgiving recess", "2026-11-25", "2026-11-29"),
        ),
        ("Date: Nov 30–Dec 2 — What: Reading days", "", ("Reading days", "2026-11-30", "2026-12-02")),
        (
            "Date: April 27–May 3 — Day: Tue–Mon; What: Final examinations (none on Sunday, May 2)",
            "Spring semester 2027",
            ("Final examinations", "2027-04-27", "2027-05-03"),
        ),
        (
            "Date: December 8 (Tue) – December 14 (Mon) — What: Final examinations; Note: None on Sunday",
            "Fall 2026",
            ("Final examinations", "2026-12-08", "2026-12-14"),
        ),
        (
            "Date: January 11 (Mon) — What: First day of spring classes",
            "Spring 2027",
            ("First day of spring classes", "2027-01-11", "2027-01-11"),
        ),
        ("Winter break: December 21–January 15", "", ("Winter break", "2026-12-21", "2027-01-15")),
        (
            "Monday, January 18: Martin Luther King Jr. Day: offices closed",
            "Spring 2027",
            ("Martin Luther King Jr. Day", "2027-01-18", "2027-01-18"),
        ),
    ],
)
def test_a_line_of_a_calendar_has_a_name_and_its_days(
    line: str, under: str, expected: tuple[str, str, str]
) -> None:
    assert learnt(line, under=under) == [expected]


def test_a_row_of_several_terms_has_days_in_each() -> None:
    row = "Final examinations — Fall 2026: Dec 7–10; Winter 2027: Mar 15–18; Summer 2027: in the last class"
    assert learnt(row) == [
        ("Final examinations", "2026-12-07", "2026-12-10"),
        ("Final examinations", "2027-03-15", "2027-03-18"),
    ]
    holidays = (
        "Holidays, no classes — Fall 2026: Wed, Nov 11 (Veterans Day), Thu–Fri, Nov 26–27 (Thanksgiving)"
    )
    assert learnt(holidays) == [
        ("Veterans Day", "2026-11-11", "2026-11-11"),
        ("Thanksgiving", "2026-11-26", "2026-11-27"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "October 15–16: no fall recess",
        "November 6: Bill due",
        "Spring break",
    ],
)
def test_what_names_no_event_or_no_day_is_left(line: str) -> None:
    assert learnt(line) == []


def test_only_a_calendar_is_one() -> None:
    line = "Thanksgiving recess: November 25–29, 2026"
    assert learnt(line, title="Important dates")
    section = Section((), (Block("paragraph", line),))
    for title in ("Library", "Payroll calendar", "Events calendar"):
        assert with_calendar(Document("https://example.edu/x", title, (section,)), []).calendar == ()


@pytest.mark.parametrize(("heading", "count"), [("Academic calendar, 2026–27", 2), ("Welcome", 0)])
def test_a_section_that_is_named_so_is_one_on_any_page(heading: str, count: int) -> None:
    line = "First day of classes — Fall 2026: Wednesday, September 9; Spring 2027: Monday, January 25"
    section = Section(("Thornfield University", heading), (Block("paragraph", line),))
    found = with_calendar(Document("https://example.edu/", "Thornfield University", (section,)), [])
    assert len(found.calendar) == count


def test_a_table_of_a_terms_events_is_one_below_any_heading() -> None:
    row = (
        "Quarter: Winter 2027 — Classes begin: January 4; Last day of classes: March 12; Finals: March 15–19"
    )
    section = Section(("One Stop", "At a glance"), (Block("table", row),))
    found = with_calendar(Document("https://example.edu/", "One Stop", (section,)), []).calendar
    assert [(one.name, one.first.isoformat(), one.terms) for one in found] == [
        ("Classes begin", "2027-01-04", ("2027-winter",)),
        ("Last day of classes", "2027-03-12", ("2027-winter",)),
        ("Finals", "2027-03-15", ("2027-winter",)),
    ]
    two = Section(
        ("Dining",), (Block("table", "Term: Winter 2027 — Finals: March 15–19; Spring break: March 22–26"),)
    )
    assert with_calendar(Document("https://example.edu/d", "Dining", (two,)), []).calendar == ()


def test_weekdays_by_their_letters_are_no_part_of_a_name_and_an_open_bracket_goes_on() -> None:
    text = (
        "Sep 2   T     Classes begin (full term and first seven\n              weeks)\n"
        "Oct 20-21  M-T  Fall Recess; No Classes"
    )
    section = Section(("Academic Calendar 2025-26",), (Block("paragraph", text),))
    found = with_calendar(Document(URL, "Academic Calendar 2025-26", (section,)), []).calendar
    assert [one.name for one in found] == ["Classes begin", "Fall Recess"]
    assert found[0].line.endswith("weeks)")


def test_an_entry_knows_the_chunk_of_its_line_and_its_terms() -> None:
    line = "Tuesday, January 19: Classes begin"
    section = Section(("Academic calendar 2026–27", "Spring 2027"), (Block("list", line),))
    page, [chunk] = a_page(0, f"Before.\n{line}")
    found = with_calendar(Document(page.url, "Academic calendar 2026–27", (section,)), [chunk])
    [entry] = found.calendar
    assert (entry.chunk_id, entry.line, entry.terms) == (chunk.ordinal, line, ("2027-spring",))
    [entry] = with_calendar(found, []).calendar
    assert entry.chunk_id == -1


def test_the_snapshot_keeps_it_and_an_older_one_has_none(tmp_path: Path) -> None:
    days = date(2026, 11, 25), date(2026, 11, 27)
    entry = CalendarEntry(*days, "Thanksgiving recess", URL, ("2026-fall",), 0, "Thanksgiving recess")
    folder = build(tmp_path / "s", ["Classes begin."])
    assert Snapshot(folder).calendar == ()
    (tmp_path / "t").mkdir()
    page, chunks = a_page(0, "Thanksgiving recess")
    page = Document(page.url, page.title, (), calendar=(entry,))
    with SnapshotBuilder(tmp_path / "t", DIMS, threads=1) as builder:
        builder.add([(page, chunks)], unit_vectors(1))
        builder.finish()
    (tmp_path / "t" / "manifest.json").write_text(
        (folder / "manifest.json").read_text(encoding="utf-8"), encoding="utf-8"
    )
    assert Snapshot(tmp_path / "t").calendar == (entry,)
    connection = connect(folder / INDEX_FILE, read_only=False, threads=1)
    connection.execute("DROP TABLE calendar")
    connection.close()
    assert Snapshot(folder).calendar == ()


def test_a_snapshot_of_before_lines_were_kept_has_entries_without(tmp_path: Path) -> None:
    folder = build(tmp_path / "s", ["Classes begin."])
    connection = connect(folder / INDEX_FILE, read_only=False, threads=1)
    connection.execute("DROP TABLE calendar")
    connection.execute('CREATE TABLE calendar ("first" DATE, "last" DATE, name VARCHAR, url VARCHAR)')
    connection.execute(f"INSERT INTO calendar VALUES ('2027-01-19', '2027-01-19', 'Classes begin', '{URL}')")
    connection.close()
    assert Snapshot(folder).calendar == (
        CalendarEntry(date(2027, 1, 19), date(2027, 1, 19), "Classes begin", URL),
    )

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
    found = with_calendar(Document(URL, title, (section,))).calendar
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
        assert with_calendar(Document("https://example.edu/x", title, (section,))).calendar == ()


def test_the_snapshot_keeps_it_and_an_older_one_has_none(tmp_path: Path) -> None:
    entry = CalendarEntry(date(2026, 11, 25), date(2026, 11, 27), "Thanksgiving recess", URL)
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

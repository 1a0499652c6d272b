"""Opening hours of whole pages: which place, which part of it, on which days."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from server.index.build import SnapshotBuilder
from server.index.snapshot import INDEX_FILE, Snapshot, connect
from server.ingest.academic_calendar import with_calendar
from server.ingest.chunk import ChunkSize, chunk
from server.ingest.opening_hours import with_hours
from server.models import Block, Document, OpeningHours, Section
from tests.index.small_index import DIMS, build, unit_vectors

URL = "https://example.edu/library/hours/"
SIZE = ChunkSize(min_words=1)


def page(title: str, *sections: tuple[str, str], url: str = URL) -> Document:
    """A page of sections, each a heading and its lines."""
    return Document(
        url,
        title,
        tuple(
            Section(
                (title, heading) if heading else (title,),
                tuple(Block("table", one) for one in lines.split("\n")),
            )
            for heading, lines in sections
        ),
        fetched_at="2026-11-01",
    )


def read(document: Document) -> tuple[OpeningHours, ...]:
    document = with_calendar(document, [])
    return with_hours(document, chunk(document, SIZE)).hours


def test_days_in_rows_have_a_part_in_each_column() -> None:
    [building, desk] = read(
        page("Library hours", ("In term", "Saturday — Building: 10 a.m.–8 p.m.; Service desk: noon–5 p.m."))
    )
    assert (building.place, building.part, building.own) == ("Library", "Building", True)
    assert (building.weekdays, building.spans, building.when) == ((5,), ((600, 1200),), ("taught",))
    assert (desk.part, desk.spans) == ("Service desk", ((720, 1020),))


def test_days_in_columns_have_a_part_in_each_row() -> None:
    found = read(
        page("Heron Center", ("Hours", "Climbing wall — Mon–Fri: 4–9 p.m.; Sat: 1–5 p.m.; Sun: Closed"))
    )
    assert [(one.part, one.weekdays, one.spans) for one in found] == [
        ("Climbing wall", (0, 1, 2, 3, 4), ((960, 1260),)),
        ("Climbing wall", (5,), ((780, 1020),)),
        ("Climbing wall", (6,), ()),
    ]


def test_dates_of_an_exception_are_of_the_heading_s_year() -> None:
    days, closings = "December 21–January 15", "closed weekends and December 24–January 1"
    line = f"When: Winter break, {days} — Hours: Weekdays 9 a.m.–4 p.m.; {closings}"
    week, weekend, closed = read(page("Library hours", ("Exceptions, 2026–27", line)))
    assert (week.first, week.last, week.spans) == (date(2026, 12, 21), date(2027, 1, 15), ((540, 960),))
    assert (weekend.weekdays, weekend.spans) == ((5, 6), ())
    assert (closed.first, closed.last, closed.weekdays) == (date(2026, 12, 24), date(2027, 1, 1), ())


def test_dates_that_may_be_of_any_year_are_in_doubt() -> None:
    found = read(page("Heron Center", ("Hours", "The building is closed December 24–January 1.")))
    assert {one.spans for one in found} == {None}
    assert date(2026, 12, 24) in {one.first for one in found}


def test_a_row_that_is_not_wholly_understood_casts_doubt_on_all_its_dates() -> None:
    row = "Dates: Thanksgiving, November 25–29 — What is open"
    line = f"{row}: Wednesday: Miller closes after lunch. Friday: noon–6 p.m."
    [one] = read(page("Dining", ("Breaks and holidays, 2026–27", line)))
    assert (one.spans, one.first, one.last, one.weekdays) == (
        None,
        date(2026, 11, 25),
        date(2026, 11, 29),
        (),
    )


def test_a_label_or_heading_names_another_place_and_a_room_does_not() -> None:
    found = read(
        page(
            "International Office",
            (
                "Where we are",
                "Birch Hall 22, Monday–Friday 9 a.m.–4:30 p.m.\nPassport photos: Tuesday 1–3 p.m.",
            ),
            ("Language lab", "Weekdays 10 a.m.–2 p.m."),
        )
    )
    assert [(one.place, one.own) for one in found] == [
        ("International Office", True),
        ("Passport photos", False),
        ("Language lab", False),
    ]


def test_a_calendar_tells_when_all_offices_are_closed() -> None:
    line = "Wednesday–Friday, November 25–27: Thanksgiving recess; offices closed Thursday and Friday"
    break_ = "Monday–Tuesday, October 12–13: Fall break: no classes, offices open"
    [closed, usual] = read(page("Academic calendar 2026–27", ("Fall 2026", f"{line}\n{break_}")))
    assert (closed.place, closed.weekdays, closed.spans, closed.when) == ("offices", (3, 4), (), ())
    assert (usual.first, usual.when) == (date(2026, 10, 12), ("usual",))


@pytest.mark.parametrize("kind", ["news", "event", "archived"])
def test_news_and_what_is_put_away_tell_no_hours(kind: str) -> None:
    document = page("Library hours", ("", "Monday–Friday 8 a.m.–9 p.m."))
    assert not read(replace(document, kind=kind))  # type: ignore[arg-type]  # it is a parameter
    assert read(document)


@pytest.mark.parametrize(
    "line",
    [
        "Kind: Paper — Fee for each copy: $12; When it goes out: Next working day after 1 p.m.",
        "Who: New students — Hall: Cedar; Day: Thursday, August 27; Time: 8 a.m.–noon",
        "The housing application opens March 1 on the portal.",
    ],
)
def test_tables_and_dates_of_other_things_are_no_hours(line: str) -> None:
    assert not [one for one in read(page("Transcripts", ("Kinds", line))) if one.spans]


def test_the_snapshot_keeps_them_and_an_older_one_has_none(tmp_path: Path) -> None:
    document = page(
        "Bookstore", ("", "Monday–Thursday: 9 a.m.–6 p.m.\nSunday: Closed\nFriday: by appointment, 1–2 p.m.")
    )
    chunks = chunk(document, SIZE)
    folder = build(tmp_path / "s", ["Nothing of hours."])
    (folder / INDEX_FILE).unlink()
    for path in folder.glob("*.*"):
        if path.suffix != ".json":
            path.unlink()
    with SnapshotBuilder(folder, DIMS, threads=1) as builder:
        builder.add([(Document("https://example.edu/a", "A", ()), chunks[:1])], unit_vectors(1))
        builder.add([(with_hours(document, chunks), chunks)], unit_vectors(len(chunks)))
        builder.finish()
    manifest = folder / "manifest.json"
    manifest.write_text(
        manifest.read_text().replace('"chunks": 1', f'"chunks": {1 + len(chunks)}'), encoding="utf-8"
    )
    snapshot = Snapshot(folder, threads=1)
    kept = snapshot.hours
    assert [one.spans for one in kept] == [one.spans for one in with_hours(document, chunks).hours]
    assert {one.chunk_id for one in kept} == {1}
    assert kept[0].line in snapshot.passages([1])[1].text
    snapshot.close()

    with connect(folder / INDEX_FILE, read_only=False, threads=1) as connection:
        connection.execute("DROP TABLE opening_hours")
    older = Snapshot(folder, threads=1)
    assert older.hours == ()
    older.close()

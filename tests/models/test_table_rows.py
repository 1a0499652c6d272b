from __future__ import annotations

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ingest.extract import tables
from server.models.table_rows import TableRow, read_row

WORDS = st.from_regex(r"[A-Za-z0-9$]{1,8}( [A-Za-z0-9$.,]{1,8})?", fullmatch=True)


@pytest.mark.parametrize(
    ("line", "row"),
    [
        (
            "Hall: Maple — Beds: 264; Elevator: Yes",
            TableRow(("Hall", "Beds", "Elevator"), ("Maple", "264", "Yes")),
        ),
        (
            "Saturday — Counter: 9:30 a.m.; to noon; Phone: Closed",
            TableRow(("", "Counter", "Phone"), ("Saturday", "9:30 a.m.; to noon", "Closed")),
        ),
        ("Building: Gatehouse — Map no.: 1", TableRow(("Building", "Map no."), ("Gatehouse", "1"))),
        ("Fee: $4; Lots: A, F", TableRow(("Fee", "Lots"), ("$4", "A, F"))),
    ],
)
def test_a_row_comes_apart_into_columns_and_cells(line: str, row: TableRow) -> None:
    assert read_row(line) == row


@pytest.mark.parametrize(
    "line",
    [
        "The library — our heart — opens at eight.",
        "Fee: $4",
        "Do not ask. Note: come early; Also: bring a card.",
        "Phone: 555-0100",
        "",
    ],
)
def test_what_is_no_row_stays_a_line(line: str) -> None:
    assert read_row(line) is None


@given(st.lists(WORDS, min_size=3, max_size=5, unique=True), st.data())
def test_the_lines_that_extraction_writes_are_read_again(columns: list[str], data: st.DataObject) -> None:
    cells = [data.draw(WORDS) for _ in columns]
    head = "".join(f"<th>{name}</th>" for name in columns)
    body = "".join(f"<td>{cell}</td>" for cell in cells)
    table = lxml.html.fromstring(f"<table><tr>{head}</tr><tr>{body}</tr></table>")
    [row] = tables.rows(tables.grid(table, lambda cell: cell.text or ""))
    read = read_row(row.text)
    assert read == TableRow(tuple(columns), tuple(cells))

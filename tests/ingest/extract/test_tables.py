import pytest
from lxml import etree, html

from server.ingest.extract.tables import grid, name_by_role, rows
from server.ingest.extract.text_lines import flat


def table(inner: str, attributes: str = "") -> etree._Element:
    return next(html.document_fromstring(f"<table {attributes}>{inner}</table>").iter("table"))


def lines(inner: str) -> list[str]:
    return [row.text for row in rows(grid(table(inner), flat))]


HEAD = "<thead><tr><th>Residency<th>Tuition<th>Housing</thead>"


def test_a_value_says_its_column_and_the_row_header_is_the_subject() -> None:
    assert lines(HEAD + "<tr><th>Vermont<td>$9,240<td>$8,150<tr><th>Other<td>$22,480<td>$8,150") == [
        "Vermont — Tuition: $9,240; Housing: $8,150",
        "Other — Tuition: $22,480; Housing: $8,150",
    ]


def test_a_table_by_its_roles_is_one() -> None:
    head = "<div role=row><span role=columnheader>Hall</span><span role=columnheader>Rate</span></div>"
    row = "<div role=row><span role=rowheader>Lee</span><span role=cell>$900</span></div>"
    root = html.document_fromstring(
        f"<div role=table><div role=rowgroup>{head}</div>{row}</div><p role=cell>A</p>"
    )
    name_by_role(root)
    [found] = root.iter("table")
    assert [one.text for one in rows(grid(found, flat))] == ["Lee — Rate: $900"]
    assert next(root.iter("p")).text == "A"


def test_without_a_row_header_the_first_column_keeps_its_name() -> None:
    assert lines(HEAD + "<tr><td>Vermont<td>$9,240<td>$8,150") == [
        "Residency: Vermont — Tuition: $9,240; Housing: $8,150"
    ]


@pytest.mark.parametrize("first", ["<td>Plan<td>Price", "<td><b>Plan</b><td><b>Price 2026</b>"])
def test_a_first_row_that_only_looks_like_a_header_is_one(first: str) -> None:
    assert lines(f"<tr>{first}<tr><td>Unlimited<td>$6,240<tr><td>Block 80<td>$2,450")[1].endswith("$2,450")
    assert lines(f"<tr>{first}<tr><td>Unlimited<td>$6,240")[0].startswith("Plan: Unlimited — Price")


def test_a_first_row_with_a_free_corner_names_the_columns() -> None:
    weeks = "<tr><td>Week 7<td>No<td>Yes<tr><td>Week 8<td>No<td>No"
    assert lines(f"<tr><td><td><b>Appointments</b><td><b>Walk-ins</b>{weeks}") == [
        "Week 7 — Appointments: No; Walk-ins: Yes",
        "Week 8 — Appointments: No; Walk-ins: No",
    ]
    assert lines(f"<tr><td><td>Ada Quill<td>Director{weeks}")[0] == "Ada Quill; Director"


@pytest.mark.parametrize("cell", ["th", "td"])
def test_headers_stand_below_a_title_over_all_columns(cell: str) -> None:
    title = f"<tr><{cell} colspan=3><b>Timeline</b></{cell}></tr>"
    head = "<tr>" + "".join(f"<{cell}><b>{name}</b></{cell}>" for name in ("Week", "How", "Note")) + "</tr>"
    week = "<tr><td>1<td>In the portal<td>No fee applies."
    assert lines(title + head + week) == ["Timeline", "Week: 1 — How: In the portal; Note: No fee applies."]
    assert [row.is_label for row in rows(grid(table(title + head + week), flat))] == [True, False]


def test_a_table_of_words_has_no_header_guessed() -> None:
    assert lines("<tr><td>Fall<td>Spring<tr><td>Early<td>Late")[0] == "Fall: Spring"


def test_two_columns_without_headers_read_as_name_and_value() -> None:
    assert lines("<tr><th>Office:<td>Quarry Hall 204<tr><th>Phone<td>555-0120") == [
        "Office: Quarry Hall 204",
        "Phone: 555-0120",
    ]


def test_rows_of_headers_are_read_together() -> None:
    head = "<tr><th rowspan=2>Hall<th colspan=2>2026–27<tr><th>Year<th>Term"
    assert lines(head + "<tr><th>Cedar<td>$8,150<td>$4,075") == [
        "Cedar — 2026–27 Year: $8,150; 2026–27 Term: $4,075"
    ]


def test_a_cell_that_spans_rows_stands_in_each() -> None:
    body = "<tr><td rowspan=2>Fall<td>Begin<td>May 1<tr><td>End<td>May 9"
    assert lines("<tr><th>Term<th>What<th>Date" + body)[1] == "Term: Fall — What: End; Date: May 9"


def test_a_cell_that_spans_columns_names_both() -> None:
    assert lines("<tr><th>Day<th>Desk<th>Phone<tr><td>Sat<td colspan=2>Closed") == [
        "Day: Sat — Desk, Phone: Closed"
    ]


def test_equal_neighbours_keep_their_own_columns() -> None:
    assert lines("<tr><th>Day<th>Desk<th>Phone<tr><td>Sat<td>Closed<td>Closed") == [
        "Day: Sat — Desk: Closed; Phone: Closed"
    ]


def test_a_row_of_one_cell_names_the_rows_below() -> None:
    found = rows(grid(table("<tr><th>Date<th>What<tr><td colspan=2>Fall<tr><td>May 1<td>Begin"), flat))
    assert [(row.text, row.is_label) for row in found] == [
        ("Fall", True),
        ("Date: May 1 — What: Begin", False),
    ]


def test_spans_without_end_or_sense_are_bounded() -> None:
    assert lines("<tr><td colspan=99999999 rowspan=9999999>a<td colspan=x>b<td rowspan=-1>c")[0].startswith(
        "a — b"
    )


def test_a_table_that_goes_on_beside_itself_is_read_part_by_part() -> None:
    head = "<tr><th>Grade<th>Points<th>Grade<th>Points"
    assert lines(f"{head}<tr><td>A<td>4.0<td>C<td>2.0<tr><td>B<td>3.0<td>F<td>0.0") == [
        "Grade: A — Points: 4.0",
        "Grade: B — Points: 3.0",
        "Grade: C — Points: 2.0",
        "Grade: F — Points: 0.0",
    ]


def test_headers_that_stand_again_further_down_name_what_is_below_them() -> None:
    nationwide = (
        "<tr><th colspan=4>Nationwide<tr><td><th colspan=2>Men<th>Women<tr><th>Full<td colspan=2>86%<td>14%"
    )
    here = "<tr><th colspan=4>Here<tr><td><th>Men<th>Women<th>All<tr><th>Full<td>79%<td>21%<td>48"
    assert lines(nationwide + here) == [
        "Nationwide",
        "Full — Men: 86%; Women: 14%",
        "Here",
        "Full — Men: 79%; Women: 21%; All: 48",
    ]
    again = "<tr><th>Day<th>Room<tr><td>Mon<td>4<tr><th>Day<th>Hall<tr><td>Tue<td>A"
    assert lines(again) == ["Day: Mon — Room: 4", "Day: Tue — Hall: A"]


def test_a_row_of_values_that_are_marked_as_headers_names_nothing() -> None:
    total = "<tr><th>All<th>9<tr><td>Other<td>2"
    assert lines("<tr><th>Kind<th>Count<tr><td>Halls<td>7" + total) == [
        "Kind: Halls — Count: 7",
        "All — Count: 9",
        "Kind: Other — Count: 2",
    ]

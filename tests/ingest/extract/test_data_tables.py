"""Which tables hold values, and which a page's layout, a menu or an album."""

import pytest
from lxml import etree

from server.ingest.extract.data_tables import is_data_table
from server.ingest.extract.text_lines import flat
from tests.ingest.extract.test_tables import HEAD, lines, table


@pytest.mark.parametrize(
    "layout",
    [
        table("<tr><td>Menu<td>" + "A long column of prose that fills the page. " * 20),
        table("<tr><td>a<td>b<tr><td>c<td>d", "role=presentation"),
        table("<tr><td><table><tr><td>x<td>1<tr><td>y<td>2</table><td>b<tr><td>c<td>d"),
        table("<tr><td><h2>News</h2>Text<td>b<tr><td>c<td>d"),
        table("<tr><td>a<td>b"),
        table("<tr><td>a<tr><td>b<tr><td>c"),
        table("<tr><td><img><td>Text<tr><td><img><td><img><tr><td><td>"),
        table(""),
    ],
)
def test_a_layout_is_no_table_of_data(layout: etree._Element) -> None:
    assert not is_data_table(layout, flat)


SPACED = "<tr><td>&nbsp;<td>{}<td>&nbsp;<td>{}<td>&nbsp;"


def test_columns_and_rows_that_only_space_the_others_do_not_count() -> None:
    """Layouts of old put their margins into cells."""
    timeline = [("January 21", "Kickoff, Weld Hall 6011"), ("", ""), ("April 3", "Finals")]
    inner = "".join(SPACED.format(*row) for row in timeline)
    assert is_data_table(table(inner), flat)
    assert lines(inner) == ["January 21: Kickoff, Weld Hall 6011", "April 3: Finals"]
    assert not is_data_table(table(SPACED.format("&nbsp;", "") * 3), flat)


MENU = "<tr><td><a href=/a>Academics</a><td><a href=/w>Work</a>"


@pytest.mark.parametrize(
    "inner",
    [
        MENU + "<tr><td><a href=/g>Grades</a><td><a href=/c>Calendars</a>",
        "<tr><td><img alt=''><td><img alt=''><tr><td>The dean<td>The ribbon",  # captions below pictures
        "<tr><td><img alt=''>Ada Quill<td><img alt=''>Bo Marsh<tr><td><img alt=''>Cy Ames<td>",
    ],
)
def test_a_menu_and_an_album_are_no_tables_of_data(inner: str) -> None:
    assert not is_data_table(table(inner), flat)


@pytest.mark.parametrize(
    "inner",
    [
        HEAD + "<tr><td>a<td>b<td>c",
        "<tr><td>a<td>1<tr><td>b<td>2",
        "<tr><td><a href=/a><img alt=''>Degrees</a><td>What we teach.<tr><td><a href=/b>Jobs</a><td>Whom.",
    ],
)
def test_values_by_row_and_column_are_a_table_of_data(inner: str) -> None:
    assert is_data_table(table(inner), flat)


LONG = "Only with the approval of the dean of studies, who wants a letter. " * 8


def row(*cells: str, bold: bool = False) -> str:
    return "<tr>" + "".join(f"<td><b>{cell}</b>" if bold and cell else f"<td>{cell}" for cell in cells)


def test_programs_beside_each_other_are_compared_point_by_point() -> None:
    inner = row("", "Professional", "Research", bold=True)
    inner += row("Units", "48", "47") + row("Exit", "Capstone", "Thesis") + row("TOEFL", LONG, LONG)
    assert is_data_table(table(inner), flat)
    assert lines(inner)[0] == "Units — Professional: 48; Research: 47"
    assert not is_data_table(table(inner.replace("<b>", "").replace("</b>", "")), flat)  # a layout of columns


def test_bold_names_below_a_title_head_long_cells_and_those_over_several_rows() -> None:
    inner = "<tr><td colspan=3><b>Updates</b>" + row("From", "Courses", "Limits", bold=True)
    inner += f"<tr><td rowspan=2>May 20<td>Computing<td>{LONG}" + row("Statistics", "None")
    inner += row("June 3", "All", "None") + row("July 1", "All", "None")
    assert is_data_table(table(inner), flat)
    assert lines(inner)[2] == "From: May 20 — Courses: Statistics; Limits: None"


def test_a_week_is_a_table_however_much_of_it_is_free() -> None:
    inner = row("", "Mon.", "Tue.", "Wed.", "Thu.", "Fri.") + row("10:00", "", "Telle", "", "", "Wilson")
    inner += row("10:30", "", "Telle", "", "", "") + row("12:30", "Telle", "", "", "", "")
    assert is_data_table(table(inner), flat)
    assert lines(inner)[0] == "10:00 — Tue.: Telle; Fri.: Wilson"
    assert not is_data_table(table(inner.replace("Mon.", "Left").replace("Fri.", "Right")), flat)


def test_a_heading_in_a_caption_is_no_layouts() -> None:
    assert is_data_table(table(f"<caption><h2>Schedule</h2></caption>{HEAD}<tr><td>a<td>b<td>c"), flat)
    assert not is_data_table(table(f"{HEAD}<tr><td><h2>News</h2><td>b<td>c"), flat)


def test_a_rule_between_rows_is_a_layouts() -> None:
    rows = "<tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr>"
    assert is_data_table(etree.fromstring(f"<table>{rows}</table>"), flat)
    assert not is_data_table(etree.fromstring(f"<table><hr/>{rows}</table>"), flat)


def test_a_column_of_bullets_makes_no_table() -> None:
    assert not is_data_table(table("<tr><td>»<td>Winners of 2026<tr><td>»<td>Winners of 2025"), flat)

"""Tables by the places of their header's names; whatever stands there, every word comes out once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import given

from server.ingest.documents.headed import headings_apart, segments_of
from server.ingest.documents.lines import Line, PlacedWord, TableLines, rows_of
from server.ingest.documents.pdf import pdf_as_html
from tests.ingest.documents.pdf_file import Text, pdf_of
from tests.ingest.documents.test_lines import words

STARTS = (60.0, 220.0, 270.0)
DATES = [
    ("August 18 - August 23", "S-F", "Orientation"),
    ("August 26", "M", "Classes begin"),
    ("September 2", "M", "Labor Day"),
    ("September 9", "M", "Last day to add"),
]


def line(top: float, *cells: tuple[float, str], bold: bool = False) -> Line:
    placed = []
    for start, text in cells:
        x = start
        for word in text.split():
            placed.append(PlacedWord(word, x, x + 5.0 * len(word), top, top + 10, 10.0, bold))
            x += 5.0 * len(word) + 3
    return Line(tuple(placed))


def rows_at(top: float, rows: Sequence[tuple[str, ...]]) -> list[Line]:
    return [
        line(top + 12 * i, *((x, cell) for x, cell in zip(STARTS, row, strict=True) if cell))
        for i, row in enumerate(rows)
    ]


HEADER = line(50, *zip(STARTS, ("Date", "Day", "Event"), strict=True), bold=True)


def test_a_row_of_bold_names_says_where_the_columns_stand() -> None:
    before, after = line(30, (60, "Fall 2024")), line(130, (60, "See the registrar's own page of dates."))
    (first, table, rest), carried = segments_of([before, HEADER, *rows_at(62, DATES), after])
    assert isinstance(table, TableLines)
    assert [[text for text, _ in row] for row in table.rows] == [["Date", "Day", "Event"], *map(list, DATES)]
    assert (first, rest, carried) == ([before], [after], None)


def test_a_table_goes_on_below_the_same_header_on_the_next_page() -> None:
    _, carried = segments_of([HEADER, *rows_at(62, DATES)])
    (table,), _ = segments_of(rows_at(40, DATES[1:]), carried)
    assert isinstance(table, TableLines)
    assert [text for text, _ in table.rows[0]] == ["Date", "Day", "Event"]
    assert len(table.rows) == len(DATES)
    assert segments_of(rows_at(40, DATES[1:]))[0] == [rows_at(40, DATES[1:])]


def test_a_line_below_without_a_first_cell_goes_on_in_its_row() -> None:
    more = rows_at(62, [*DATES, ("", "", "for the semester")])
    (table,), _ = segments_of([HEADER, *more])
    assert isinstance(table, TableLines)
    assert table.rows[-1][-1][0] == "Last day to add for the semester"


def test_a_heading_beside_plain_words_stands_alone() -> None:
    both = line(10, (60, "Fall Semester"), bold=True).words + line(10, (200, "65 days of classes")).words
    assert [one.text for one in headings_apart([Line(both)])] == ["Fall Semester", "65 days of classes"]


@given(words())
def test_every_word_comes_out_once(given_words: list[PlacedWord]) -> None:
    said: Counter[str] = Counter()
    for segment in segments_of(list(headings_apart(rows_of(given_words))))[0]:
        if isinstance(segment, TableLines):
            texts = [text for row in segment.rows for text, _ in row]
        else:
            texts = [one.text for one in segment]
        said.update(word for text in texts for word in text.split())
    assert said == Counter(word.text for word in given_words)


def test_a_calendar_of_two_pages_keeps_its_columns_and_says_its_title_once() -> None:
    names = ("Date", "Day", "Event")

    def page(number: int, months: list[tuple[str, str, str]], *, header: bool) -> list[Text]:
        found = [Text(60, 40, "Academic Calendar", 16, bold=True)]
        top = 130
        if header:
            found += [Text(x, 118, name, bold=True) for x, name in zip(STARTS, names, strict=True)]
        for i, row in enumerate(months):
            found += [Text(x, top + 14 * i, cell) for x, cell in zip(STARTS, row, strict=True)]
        return [*found, Text(60, 760, f"Approved in June. Page {number} of 2", 9)]

    html = pdf_as_html(pdf_of(page(1, DATES, header=True), page(2, DATES, header=False)))
    assert html.count("Academic Calendar") == 2  # its title and its heading
    assert html.count("<th>Event</th>") == 2
    assert "Approved" not in html
    assert html.count("<td>August 18 - August 23</td><td>S-F</td><td>Orientation</td>") == 2

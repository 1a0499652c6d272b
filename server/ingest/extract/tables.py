"""A table's rows as lines that still say which column each value belongs to."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TypeVar, cast

from lxml import etree

from server.written_hours.clocks import weekdays_of

T = TypeVar("T")
CellText = Callable[[etree._Element], str]
_MAX_SPAN = 200
_MAX_CELLS = 200_000
_BULLETS = "»›▶▸►•·●■◦"
# What names a column has at most so many characters.
_NAME = 60
# A table of so many rows may have headers that no element says to be some, and a week of so many columns.
_ROWS, _DAYS = 4, 3
_HAS_FIGURE = re.compile(r"[\d@]")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; a cell that spans stands in every place it covers."""

    text: str
    is_header: bool
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row as text. A `label` is a row that only names the rows below it."""

    text: str
    is_label: bool = False


Grid = list[list[Cell]]


# What the elements of a table are called where they say by their roles alone what they are (WAI-ARIA 1.2).
_BY_ROLE = {
    "table": "table",
    "rowgroup": "tbody",
    "row": "tr",
    "columnheader": "th",
    "rowheader": "th",
    "cell": "td",
}
_TABLES_BY_ROLE = etree.XPath("//*[@role='table'][not(self::table)]")


def name_by_role(root: etree._Element) -> None:
    """Give tables that are made of other elements the names of a table's, in place."""
    for table in cast(list[etree._Element], _TABLES_BY_ROLE(root)):
        for element in table.iter():
            if name := _BY_ROLE.get(element.get("role", "")):
                element.tag = name


def own_rows(table: etree._Element) -> Iterator[etree._Element]:
    """The rows of a table, not those of a table within it."""
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in child if row.tag == "tr")


def caption_of(table: etree._Element, cell_text: CellText) -> str:
    """A table's caption, or nothing."""
    return next((cell_text(child) for child in table if child.tag == "caption"), "")


def grid(table: etree._Element, cell_text: CellText) -> Grid:
    """The table's cells by place, spans filled in; ragged rows stay ragged."""
    cells: Grid = []
    pending: dict[int, tuple[Cell, int]] = {}  # column → a cell from above and how many rows it still covers
    count = 0
    for row in own_rows(table):
        line, pending = _grid_row(row, pending, cell_text)
        count += len(line)
        if count > _MAX_CELLS:
            break
        if line:
            cells.append(line)
    return without_spacers(cells, lambda cell: cell.text)


def without_spacers(rows: list[list[T]], text_of: Callable[[T], str]) -> list[list[T]]:
    """The rows, less the columns that have no cell filled, or with bullets alone: layouts of old space the
    others by them."""
    told = {place for row in rows for place, cell in enumerate(row) if text_of(cell).strip(_BULLETS)}
    kept = ([cell for place, cell in enumerate(row) if place in told] for row in rows)
    return [row for row in kept if row]


def _grid_row(
    row: etree._Element, pending: dict[int, tuple[Cell, int]], cell_text: CellText
) -> tuple[list[Cell], dict[int, tuple[Cell, int]]]:
    line: list[Cell] = []
    below: dict[int, tuple[Cell, int]] = {}

    def place(cell: Cell, more_rows: int) -> None:
        if more_rows:
            below[len(line)] = (cell, more_rows)
        line.append(cell)

    def place_pending() -> None:
        while len(line) in pending:
            cell, more = pending[len(line)]
            place(cell, more - 1)

    for element in row:
        if element.tag not in ("td", "th"):
            continue
        place_pending()
        bold = next(element.iterdescendants("b", "strong"), None) is not None
        cell = Cell(cell_text(element), element.tag == "th", bold)
        for _ in range(_span(element, "colspan")):
            place(cell, _span(element, "rowspan") - 1)
    place_pending()
    return line, below


def _span(element: etree._Element, name: str) -> int:
    found = re.match(r"\s*(\d{1,6})", element.get(name, ""))
    return min(max(int(found.group(1)), 1), _MAX_SPAN) if found else 1


def rows(cells: Grid) -> list[Row]:
    """The table's rows, each as a line: `Vermont resident — Tuition: $9,240; Housing: $8,150`.

    A title over all columns, above their headers, names the rows below it. Where headers stand once more, or
    others, a part of the table begins that has these.
    """
    starts = [0, *_later_parts(cells), len(cells)]
    return [row for start, end in pairwise(starts) for row in _rows_of_part(cells[start:end])]


def _later_parts(cells: Grid) -> Iterator[int]:
    """Where below its first rows a table has column headers again, or the titles above them."""
    begun = 0
    for place in range(1, len(cells) - 1):
        if _names_columns(cells[place - 1]) or not _names_columns(cells[place]):
            continue
        start = place
        while start > begun + 1 and _is_title(cells[start - 1]):
            start -= 1
        is_of_values = any(_HAS_FIGURE.search(cell.text) for cell in cells[place])
        has_rows = not all(map(_names_columns, cells[place:]))
        if has_rows and (start < place or not is_of_values):
            begun = place
            yield start


def _rows_of_part(cells: Grid) -> list[Row]:
    titles = _titles(cells)
    depth = titles + _header_depth(cells[titles:])
    headers = _column_headers(cells[titles:depth])
    width = _width(headers)
    found = [_row(line, headers[:width]) for line in _below_each_other(cells[depth:], width)]
    if found:
        found = [*(_row(line, []) for line in cells[:titles]), *found]
    else:  # nothing but headers: better their words than nothing
        found = [Row("; ".join(_distinct(line))) for line in cells]
    return [row for row in found if row.text]


def names_its_columns(cells: Grid) -> bool:
    """Whether the first row below its title names the columns, though by its look alone: its author made it
    bold, its corner free or not, or it has the days of the week."""
    first, *rest = cells[_titles(cells) :] or [[]]
    if len(rest) + 1 < _ROWS or {len(line) for line in rest} != {len(first)}:
        return False
    if _is_week(first):
        return True
    is_named = all(line[0].text for line in rest) and not all(cell.bold for line in rest for cell in line)
    names = first if first and first[0].text else first[1:]
    return is_named and len(names) > 1 and _are_names(names)


def _titles(cells: Grid) -> int:
    """How many rows at the top span all columns above two or more that do not."""
    count = 0
    while len(cells) > count + 2 and _is_title(cells[count]):
        count += 1
    return count


def _is_title(line: list[Cell]) -> bool:
    return len(line) > 1 and line[0] is line[-1]


def _names_columns(line: list[Cell]) -> bool:
    return all(cell.is_header or not cell.text for cell in line) and len(_distinct(line)) > 1


def _header_depth(cells: Grid) -> int:
    """How many rows at the top are column headers."""
    depth = 0
    for line in cells:
        if not _names_columns(line):
            break
        depth += 1
    if depth == len(cells):
        return min(depth, 1)
    if depth or any(cell.is_header for cell in cells[0]):
        return depth
    return int(len(cells) > 1 and (_is_week(cells[0]) or _is_header_like(cells[0], cells[1:])))


def _is_header_like(first: list[Cell], rest: Grid) -> bool:
    """A first row that the author made bold, with its corner free or not, or that names columns of figures
    without having one itself."""
    if len(first) > 2 and not first[0].text and all(line[0].text for line in rest if line):
        return _are_names(first[1:])
    if len(first) < 2 or not all(cell.text and len(cell.text) <= _NAME for cell in first):
        return False
    if len({cell.text for cell in first}) < len(first):
        return False
    if all(cell.bold for cell in first) and not all(cell.bold for line in rest for cell in line):
        return True
    if any(_HAS_FIGURE.search(cell.text) for cell in first):
        return False
    return any(
        all(_HAS_FIGURE.search(line[place].text) for line in rest if place < len(line) and line[place].text)
        for place in range(1, len(first))
        if any(place < len(line) and line[place].text for line in rest)
    )


def _is_week(cells: list[Cell]) -> bool:
    """Whether each cell is a day of the week, the first one perhaps not."""
    days = [bool(weekdays_of(cell.text)) for cell in cells]
    return len(days) > _DAYS and all(days[1:])


def _are_names(cells: list[Cell]) -> bool:
    """Whether each cell has a short text of its own that the author made bold, and none a figure."""
    texts = [cell.text for cell in cells]
    is_short = all(
        cell.bold and len(cell.text) <= _NAME and not _HAS_FIGURE.search(cell.text) for cell in cells
    )
    return is_short and len(set(texts)) == len(texts)


def _column_headers(lines: Grid) -> list[str]:
    """One header a column, the rows of headers joined from the top down."""
    width = max((len(line) for line in lines), default=0)
    columns = [[line[place].text for line in lines if place < len(line)] for place in range(width)]
    return [" ".join(dict.fromkeys(filter(None, column))).rstrip(":") for column in columns]


def _width(headers: list[str]) -> int:
    """How many columns; of a table that goes on beside itself (Grade, Points, Grade, Points), two."""
    count = len(headers)
    widths = (width for width in range(2, count // 2 + 1) if headers == headers[:width] * (count // width))
    return next(widths, count) if all(headers) else count


def _below_each_other(lines: Grid, width: int) -> Grid:
    """The rows of a table that goes on beside itself, part by part; those of any other as they are."""
    if not width or max(map(len, lines), default=0) < 2 * width:
        return lines
    starts = range(0, max(map(len, lines)), width)
    return [line[start : start + width] for start in starts for line in lines if len(line) > start]


def _row(line: list[Cell], headers: list[str]) -> Row:
    if line[0] is line[-1] and (len(line) > 1 or line[0].is_header):
        return Row(line[0].text, is_label=len(line[0].text) <= 80)
    runs = list(_runs(line, headers))
    pairs = [f"{name}: {cell.text}" if name else cell.text for cell, name in runs]
    if len(runs) < 2 or not line[0].text:
        return Row("; ".join(pairs))
    subject = runs[0][0].text if runs[0][0].is_header else pairs[0]
    if len(runs) == 2 and not runs[1][1]:
        return Row(f"{subject.rstrip(':')}: {pairs[1]}")
    return Row(f"{subject} — {'; '.join(pairs[1:])}")


def _runs(line: list[Cell], headers: list[str]) -> Iterator[tuple[Cell, str]]:
    """Each filled cell once, with the headers of all the columns it covers."""
    named = ((cell, headers[place] if place < len(headers) else "") for place, cell in enumerate(line))
    for _, run in groupby(named, key=lambda pair: id(pair[0])):
        pairs = list(run)
        if pairs[0][0].text:
            yield pairs[0][0], ", ".join(dict.fromkeys(name for _, name in pairs if name))


def _distinct(line: list[Cell]) -> list[str]:
    return [cell.text for _, (cell, *_rest) in groupby(line, key=id) if cell.text]

"""Tables in plain text: columns that a separator parts (RFC 4180), or that stand below their names.

A sheet that was put on a page as it was exported, a PDF's text between `<pre>`, a CSV file: without the names
of its columns "Fall 2027,CMP 447,M,TBA" says nothing to whoever finds that row.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from server.ingest.extract.tables import Cell, Grid

_SEPARATORS, _TAB = ",\t;|", 8
_LEAST_COLUMNS, _LEAST_ROWS, _LEAST_ALIGNED = 3, 2, 2
# What names a column has at most so many characters, and so many words where it is known by its place alone.
_NAME_CHARS, _NAME_WORDS = 40, 4
_CELL_CHARS = 120
_NO_VALUE = re.compile(r"n/?a|tb[ad]|none|free|[-–—]+", re.IGNORECASE)
_APART = re.compile(r"\S+(?: \S+)*")
_FIGURE = re.compile(r"\d")
_NO_NAME = re.compile(r"[.,:;!?]$|^(?:and|or) |^[^\w#$%]|@", re.IGNORECASE)
# A row whose cell goes on in the lines below has at most so many of them, and by so many lines it is told
# whether what stands below names is a table: no text is read again for each of its lines.
_MOST_LINES, _TELLING = 40, 12


@dataclass(frozen=True, slots=True)
class TextPart:
    """Lines of a text, or the table that they are; `caption` is the line right above it."""

    lines: tuple[str, ...] = ()
    grid: Grid | None = None
    caption: str = ""


def text_parts(text: str) -> list[TextPart]:
    """A text's lines in their order, with the tables among them as such."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    placed = [line.expandtabs(_TAB) for line in lines]
    parts: list[TextPart] = []
    plain: list[str] = []
    place = 0
    while place < len(lines):
        found = _separated(lines, place) or _aligned(placed, place)
        if not found:
            plain.append(lines[place])
            place += 1
            continue
        rows, place = found
        caption = _caption_of(plain)
        parts += [TextPart(tuple(plain)), TextPart(grid=_grid(rows), caption=caption)]
        plain = []
    return [part for part in (*parts, TextPart(tuple(plain))) if part.grid or any(map(str.strip, part.lines))]


def _grid(rows: Sequence[Sequence[str]]) -> Grid:
    names, *below = rows
    named = [Cell(name.replace("_", " "), is_header=True) for name in names]
    return [named, *([Cell(text, is_header=False) for text in row] for row in below)]


def _caption_of(lines: list[str]) -> str:
    """The short line that ends what stands above a table, taken off it; "" for none."""
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines or not _is_caption(lines[-1].strip()) or (len(lines) > 1 and lines[-2].strip()):
        return ""
    return lines.pop().strip().rstrip(":")


def _is_caption(line: str) -> bool:
    is_short = len(line) <= 2 * _NAME_CHARS and "  " not in line and line[-1] not in ".,;!?"
    return is_short and any(map(str.isalpha, line))


def _separated(lines: Sequence[str], place: int) -> tuple[list[list[str]], int] | None:
    """The rows from a line on that one separator parts into as many cells as that line has names, and where
    they end."""
    for separator in _SEPARATORS:
        if separator not in lines[place] or f"{separator} " in lines[place]:  # a sentence has a space there
            continue
        head = _record(lines, place, separator)
        if head is None or head[1] > place + 1 or not _name_columns(head[0]):
            continue
        rows, end = [head[0]], head[1]
        while (found := _record(lines, end, separator)) and len(found[0]) == len(rows[0]):
            rows.append(found[0])
            end = found[1]
        # One row is enough where cells of its own go on in further lines.
        if len(rows) > _LEAST_ROWS or (len(rows) == _LEAST_ROWS and end > place + _LEAST_ROWS):
            return rows, end
    return None


def _name_columns(cells: Sequence[str]) -> bool:
    """Whether a line's cells may be names of columns: short, each another one. The first need not be any."""
    names = cells if cells[:1] != [""] else cells[1:]
    return (
        len(cells) >= _LEAST_COLUMNS
        and len(set(names)) == len(names)
        and all(name and len(name) <= _NAME_CHARS and not name[0].isdigit() for name in names)
        and not any(map(_NO_NAME.search, names))
    )


def _record(lines: Sequence[str], place: int, separator: str) -> tuple[list[str], int] | None:
    """The cells of the record that begins in a line, and where the next one does; a quoted cell may have
    several lines."""
    end, quotes = place, 0
    while end == place or quotes % 2:
        if end == min(len(lines), place + _MOST_LINES):
            return None
        quotes += lines[end].count('"')
        end += 1
    try:
        cells = next(csv.reader(["\n".join(lines[place:end])], delimiter=separator), [])
    except csv.Error:
        return None
    told = [[line for one in cell.splitlines() if (line := " ".join(one.split()))] for cell in cells]
    return [", ".join(cell) for cell in told], end


def _aligned(lines: Sequence[str], place: int) -> tuple[list[list[str]], int] | None:
    """The rows below a line of names, each of their cells below one of these, and where they end."""
    names, below = (_apart(line) for line in (lines[place], "".join(lines[place + 1 : place + 2])))
    if len(names) < _LEAST_ALIGNED or not below or not all(_may_head(name) for name, _, _ in names):
        return None
    texts, columns = [name for name, _, _ in names], [(start, end) for _, start, end in names]
    if below[0][2] <= names[0][1]:  # the first column has no name
        texts, columns = ["", *texts], [(below[0][1], below[0][2]), *columns]
        if len({bool(_FIGURE.search(text)) for text in texts[1:]}) > 1:
            return None
    elif len(names) < _LEAST_COLUMNS or any(map(_FIGURE.search, texts)):
        return None
    first, _ = _rows_below(lines, place + 1, columns, _TELLING)
    by_column = list(zip(*first, strict=True))
    if len(first) < _LEAST_ROWS or any(
        name and name in values for name, values in zip(texts, by_column, strict=True)
    ):
        return None
    if not any(map(_are_values, by_column)):
        return None
    rows, end = _rows_below(lines, place + 1, columns)
    return [texts, *rows], end


def _rows_below(
    lines: Sequence[str], place: int, columns: Sequence[tuple[int, int]], most: int | None = None
) -> tuple[list[list[str]], int]:
    """The rows from a line on, of at most so many lines, and where they end; a line without a first cell goes
    on with the one above."""
    rows: list[list[str]] = []
    stop = len(lines) if most is None else min(len(lines), place + most)
    while place < stop and (cells := _cells(_apart(lines[place]), columns)):
        if cells[0]:
            rows.append([cells[0].rstrip(":"), *cells[1:]])
        elif rows:
            rows[-1] = [f"{cell} {more}".strip() for cell, more in zip(rows[-1], cells, strict=True)]
        else:
            break
        place += 1
    return rows, place


def _are_values(cells: Sequence[str]) -> bool:
    """Whether a column has figures, or says that there are none."""
    return any(map(_FIGURE.search, cells)) and all(
        not cell or _FIGURE.search(cell) or _NO_VALUE.fullmatch(cell) for cell in cells
    )


def _apart(line: str) -> list[tuple[str, int, int]]:
    """What stands in a line with two or more spaces between, and from where to where."""
    return [(found[0], found.start(), found.end()) for found in _APART.finditer(line)]


def _may_head(name: str) -> bool:
    return len(name) <= _NAME_CHARS and len(name.split()) <= _NAME_WORDS and not _NO_NAME.search(name)


def _cells(words: Sequence[tuple[str, int, int]], columns: Sequence[tuple[int, int]]) -> list[str] | None:
    """A line's words by the column that they stand below; what is too long for its own, in the one that it
    begins in. None where some begin in none, or where nothing is below a second name."""
    cells = [""] * len(columns)
    for text, start, end in words:
        over = [k for k, (first, last) in enumerate(columns) if start < last and first < end]
        begun = [k for k, (first, _) in enumerate(columns) if first <= start + 1]
        own = over[:1] if len(over) == 1 else begun[-1:]
        if not own or cells[own[0]] or len(text) > _CELL_CHARS:
            return None
        cells[own[0]] = text
    return cells if sum(map(bool, cells)) > 1 or (words and not cells[0]) else None

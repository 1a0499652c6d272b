"""Tables whose header says where their columns stand: rows below bold names, set by spacing alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from server.ingest.documents.lines import Line, PlacedWord, TableLines

# In shares of the type size: a gap between two names, and how far a row may begin from the first name.
_GAP, _NEAR = 0.9, 1.2
_LEAST_COLUMNS, _LEAST_ROWS = 2, 3
_MOST_NAME_WORDS = 4
# A cell's further line stands no further below than so many times the type size.
_NEXT_LINE = 1.6

Row = tuple[tuple[str, bool], ...]
Segment = list[Line] | TableLines


@dataclass(frozen=True, slots=True)
class Header:
    """The names of a table's columns, and the places that part them."""

    names: tuple[str, ...]
    left: float
    edges: tuple[float, ...]
    size: float

    @property
    def row(self) -> Row:
        """The names as a row of the table."""
        return tuple((name, True) for name in self.names)

    def cells_of(self, line: Line) -> list[str] | None:
        """A line's words by column; None where one of them stands in two."""
        cells: list[list[str]] = [[] for _ in self.names]
        for word in line.words:
            if any(word.x0 < edge < word.x1 for edge in self.edges):
                return None
            cells[sum(edge <= word.x0 for edge in self.edges)].append(word.text)
        return [" ".join(cell) for cell in cells]


def segments_of(rows: Sequence[Line], carried: Header | None = None) -> tuple[list[Segment], Header | None]:
    """The rows of a page with the tables among them that have a header, and the header that goes on.

    `carried` is that of a table which the page before ended with.
    """
    segments: list[Segment] = []
    plain: list[Line] = []
    place, last = 0, None
    while place < len(rows):
        own = _header_of(rows, place)
        found = own or (carried if place == 0 else None)
        table, end = _rows_below(found, rows, place + bool(own)) if found else ([], place)
        if found is None or len(table) < _LEAST_ROWS:
            plain.append(rows[place])
            place, last = place + 1, None
            continue
        segments += [plain] if plain else []
        segments.append(TableLines((found.row, *table), rows[place].top))
        plain, place, last = [], end, found
    return [*segments, *([plain] if plain else [])], last


def _header_of(rows: Sequence[Line], place: int) -> Header | None:
    """The header that a row is: bold names apart from each other, above a row that is not bold."""
    row = rows[place]
    if not row.bold or place + 1 >= len(rows) or rows[place + 1].bold:
        return None
    groups = _groups(row.words, _GAP * row.size)
    if len(groups) < _LEAST_COLUMNS or max(map(len, groups)) > _MOST_NAME_WORDS:
        return None
    gaps = [(one[-1].x1, other[0].x0) for one, other in pairwise(groups)]
    edges = tuple(right - min(row.size, (right - left) / 2) for left, right in gaps)
    names = tuple(" ".join(word.text for word in group) for group in groups)
    return Header(names, row.x0, edges, row.size)


def _groups(words: Sequence[PlacedWord], gap: float) -> list[list[PlacedWord]]:
    groups = [[words[0]]]
    for before, word in pairwise(words):
        if word.x0 - before.x1 >= gap:
            groups.append([])
        groups[-1].append(word)
    return groups


def _rows_below(header: Header, rows: Sequence[Line], place: int) -> tuple[list[Row], int]:
    """The rows of the table that begin at a place, and where it ends."""
    found: list[list[str]] = []
    while place < len(rows):
        line, cells = rows[place], header.cells_of(rows[place])
        begins = abs(line.x0 - header.left) <= _NEAR * header.size
        if cells is None or line.bold:
            break
        if begins and sum(map(bool, cells)) >= _LEAST_COLUMNS:
            found.append(cells)
        elif found and not cells[0] and line.bottom - rows[place - 1].bottom <= _NEXT_LINE * header.size:
            found[-1] = [f"{cell} {more}".strip() for cell, more in zip(found[-1], cells, strict=True)]
        else:
            break
        place += 1
    return [tuple((cell, False) for cell in row) for row in found], place


def headings_apart(rows: Sequence[Line]) -> Iterator[Line]:
    """The rows; one that begins with bold words and goes on in plain ones, far to the right, is two."""
    for row in rows:
        groups = _groups(row.words, 2 * row.size)
        first = groups[0]
        is_apart = len(groups) > 1 and all(word.bold for word in first)
        if is_apart and not all(word.bold for group in groups[1:] for word in group):
            yield Line(tuple(first))
            yield Line(tuple(word for group in groups[1:] for word in group))
        else:
            yield row

"""The words of a PDF's page in reading order: lines, columns, and tables that are made by spacing alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from statistics import mean, median

# Widths and heights in shares of the type size: a gap between columns, lines of one row.
_GUTTER, _SAME_ROW = 0.9, 0.4
# Rows are so many times as far apart as the lines of a cell, most of which fill not every cell of their row.
_APART, _PARTIAL = 1.2, 0.7
# Columns of prose: so many lines each, of so many words, that fill so much of their width.
_MARK = re.compile(r"\W{1,2}|o|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]|\d{1,2}(?:\.\d{1,2}){1,3}\.?|\d")
_BROKEN = re.compile(r"(?<=\w)([-–]) (?=\w)")  # a word with a hyphen, at the end of a line
_PROSE_LINES, _PROSE_WORDS, _PROSE_FILL = 4, 3.0, 0.7
# A column of so many lines may have short ones, if so many are nearly full.
_LONG, _FULL, _FULL_LINES = 12, 0.85, 0.25


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word where it stands on the page, in points from its upper left corner."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """Words side by side, in their order."""

    words: tuple[PlacedWord, ...]

    @property
    def text(self) -> str:
        """The words, a space between them."""
        return " ".join(word.text for word in self.words)

    @property
    def x0(self) -> float:
        """Where it begins."""
        return self.words[0].x0

    @property
    def x1(self) -> float:
        """Where it ends."""
        return max(word.x1 for word in self.words)

    @property
    def top(self) -> float:
        """Its upper edge."""
        return min(word.top for word in self.words)

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return max(word.bottom for word in self.words)

    @property
    def size(self) -> float:
        """The type size of most of it."""
        return median(word.size for word in self.words)

    @property
    def bold(self) -> bool:
        """Whether all of it is set in bold."""
        return all(word.bold for word in self.words)


@dataclass(frozen=True, slots=True)
class TableLines:
    """A table that is made by lines or by spacing: rows of cells, each with whether it is bold."""

    rows: tuple[tuple[tuple[str, bool], ...], ...]
    top: float = 0.0


Run = list[Line] | TableLines
_Span = tuple[float, float]


def rows_of(words: Sequence[PlacedWord]) -> list[Line]:
    """The words by the height at which they stand; what stands side by side is one line."""
    rows: list[list[PlacedWord]] = []
    for word in sorted(words, key=lambda one: (one.bottom, one.x0)):
        last = rows[-1] if rows else None
        if last and abs(word.bottom - last[0].bottom) <= _SAME_ROW * min(word.size, last[0].size):
            last.append(word)
        else:
            rows.append([word])
    return [Line(tuple(sorted(row, key=lambda one: one.x0))) for row in rows]


def in_reading_order(rows: Sequence[Line]) -> Iterator[Run]:
    """Lines one below the other, column by column where there are columns; tables as such."""
    plain: list[Line] = []
    for band, found in _bands(rows):
        gutters = found[1:] if found and _only_marks([_split(row, found) for row in band]) else found
        parts = [_split(row, gutters) for row in band]
        columns = [[line for line in column if line] for column in zip(*parts, strict=True)]
        if gutters and _is_prose(columns, gutters, band):
            # What is empty ends what is plain: no line goes on in another column.
            runs = [run for column in columns for run in ([], *in_reading_order(column), [])]
        else:
            runs = list(_tables(band, parts)) if gutters else [band]
        for run in runs:
            if run and not isinstance(run, TableLines):
                plain += run
                continue
            if plain:
                yield plain
                plain = []
            if run:
                yield run
    if plain:
        yield plain


def _only_marks(parts: Sequence[Sequence[Line | None]]) -> bool:
    """Whether the first column has nothing but bullets and numbers."""
    return all(cells[0] is None or _MARK.fullmatch(cells[0].text) for cells in parts)


def _bands(rows: Sequence[Line]) -> Iterator[tuple[list[Line], list[_Span]]]:
    """Rows that share their gutters, with these; or rows that have none."""
    band: list[Line] = []
    gutters: list[_Span] = []
    ragged = False  # a row of the band has gaps of its own
    for row in rows:
        own, together = _gaps([row]), _gaps([*band, row])
        crosses = len(together) < len(gutters) and not own
        begins = band and not ragged and len(own) > len(together)
        if band and (crosses or begins or (gutters and not together)):
            beside = _beside(band, row) if begins else []
            yield band[: len(band) - len(beside)], gutters
            band, ragged = beside, False
            together = _gaps([*band, row])
        band.append(row)
        gutters, ragged = together, ragged or bool(own)
    if band:
        yield band, gutters


def _beside(band: Sequence[Line], row: Line) -> list[Line]:
    """The last rows of a band that stand beside the next row: the upper lines of its cells."""
    count = 0
    while count < len(band) - 1 and band[-1 - count].bottom > row.top + _SAME_ROW * row.size:
        count += 1
    return list(band[len(band) - count :])


def _gaps(rows: Sequence[Line]) -> list[_Span]:
    """What no word of these rows stands in, as wide as a gutter."""
    spans = sorted((word.x0, word.x1) for row in rows for word in row.words)
    width = _GUTTER * median(row.size for row in rows)
    gaps = []
    reached = spans[0][1]
    for x0, x1 in spans[1:]:
        if x0 - reached >= width:
            gaps.append((reached, x0))
        reached = max(reached, x1)
    return gaps


def _tables(band: Sequence[Line], parts: Sequence[Sequence[Line | None]]) -> Iterator[Run]:
    """Tables, and the lines between them that stand alone in their row and stand out."""
    first, near = 0, _nearest_of_rows(parts)
    for place, row in enumerate(band):
        alone = sum(map(bool, parts[place])) == 1 and parts[place][0] is not None
        above = row.bottom - band[place - 1].bottom if place > first else inf
        below = band[place + 1].bottom - row.bottom if place + 1 < len(band) else inf
        is_cell = min(above, below) < near
        if alone and not is_cell and (place == first or above > 2 * row.size or _stands_out(row, band)):
            yield from _table_or_lines(band[first:place], parts[first:place])
            yield [row]
            first = place + 1
    yield from _table_or_lines(band[first:], parts[first:])


def _stands_out(row: Line, band: Sequence[Line]) -> bool:
    return row.size > 1.1 * median(one.size for one in band) or (
        row.bold and sum(one.bold for one in band) < len(band) / 2
    )


def _table_or_lines(band: Sequence[Line], parts: Sequence[Sequence[Line | None]]) -> Iterator[Run]:
    if sum(sum(map(bool, cells)) > 1 for cells in parts) > 1:
        yield _table(parts)
    elif band:
        yield list(band)


def _split(row: Line, gutters: Sequence[_Span]) -> list[Line | None]:
    """The row's part in each column; None where it has none."""
    edges = [float("-inf"), *((left + right) / 2 for left, right in gutters), float("inf")]
    parts = (tuple(word for word in row.words if left <= word.x0 < right) for left, right in pairwise(edges))
    return [Line(words) if words else None for words in parts]


def _is_prose(columns: Sequence[Sequence[Line]], gutters: Sequence[_Span], band: Sequence[Line]) -> bool:
    """Whether the columns are read one after the other: lines of many words that fill them."""
    edges = [min(row.x0 for row in band), *(x for gap in gutters for x in gap), max(row.x1 for row in band)]
    widths = [right - left for left, right in zip(edges[::2], edges[1::2], strict=True)]
    return all(map(_fills, columns, widths))


def _fills(lines: Sequence[Line], width: float) -> bool:
    """Whether a column is one of text; a long one may have headings, lists and tables in it, too."""
    if len(lines) < _PROSE_LINES or mean(len(line.words) for line in lines) < _PROSE_WORDS:
        return False
    shares = [(line.x1 - line.x0) / width for line in lines]
    full = sum(share > _FULL for share in shares)
    return mean(shares) > _PROSE_FILL or (len(lines) >= _LONG and full >= _FULL_LINES * len(lines))


def _table(parts: Sequence[Sequence[Line | None]]) -> TableLines:
    """Cells by row: a cell's further lines stand nearer to its first than rows do to each other.

    So do lines without a first cell, where they fill not all of the others.
    """
    rows: list[list[list[Line]]] = []
    near = _nearest_of_rows(parts)
    least = min((_bottom(below) - _bottom(above) for above, below in pairwise(parts)), default=0.0)
    bottom = float("-inf")
    for cells in parts:
        lowest = _bottom(cells)
        partial = cells[0] is None and (len(cells) == 2 or not all(cells[1:]))
        if rows and (lowest - bottom < near or (partial and lowest - bottom < _APART * least)):
            for cell, line in zip(rows[-1], cells, strict=True):
                cell.extend([line] if line else [])
        else:
            rows.append([[line] if line else [] for line in cells])
        bottom = lowest
    return TableLines(tuple(tuple(map(_cell, row)) for row in rows), min(one.top for one in parts[0] if one))


def _nearest_of_rows(parts: Sequence[Sequence[Line | None]]) -> float:
    """How far apart rows are at least; 0 where every line is a row of its own."""
    pitches = [_bottom(below) - _bottom(above) for above, below in pairwise(parts)]
    near = _APART * min(pitches, default=0.0)
    further = [not all(cells) for cells, pitch in zip(parts[1:], pitches, strict=True) if pitch < near]
    if not further or max(pitches) <= near:
        return 0.0
    return near if mean(further) > _PARTIAL or len(further) < len(pitches) / 2 else 0.0


def _bottom(cells: Sequence[Line | None]) -> float:
    return max(line.bottom for line in cells if line)


def _cell(lines: Sequence[Line]) -> tuple[str, bool]:
    text = " ".join(line.text for line in lines)
    return _BROKEN.sub(r"\1", text), bool(lines) and all(line.bold for line in lines)

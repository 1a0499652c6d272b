"""The table that quoted rows stand in, and which of its rows are shown first.

A row that has no value in a column does not name it, so the rows of one table may name different columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from server.models.table_rows import TableRow, read_row

# So many rows are shown with those that answer; where none is marked, all of them up to MOST_ROWS.
NEAR_ROWS = 3
MOST_ROWS, FIRST_ROWS = 12, 8
# A list is shown whole up to so many items.
MOST_ITEMS, FIRST_ITEMS = 10, 5


@dataclass(frozen=True, slots=True)
class QuotedTable:
    """All rows of a table, as lines of their page; `marked` are the places of those that answer.

    Where none is marked, it is the rows that are quoted that answer. `caption` is the table's own, or the
    heading above it. `rest` is what the answer's text says in place of the rows that it leaves out.
    """

    rows: tuple[str, ...]
    caption: str = ""
    marked: tuple[int, ...] = ()
    rest: str = ""


def columns_together(rows: Sequence[TableRow]) -> tuple[str, ...] | None:
    """The columns of all rows, in the table's order; None where they are not of one table.

    They are where each begins with the same column and shares another one with those above it.
    """
    if len({row.columns for row in rows}) == 1:
        return rows[0].columns
    together: list[str] = []
    for row in rows:
        if len(set(row.columns)) < len(row.columns):
            return None
        if together and (row.columns[0] != together[0] or not set(row.columns[1:]) & set(together[1:])):
            return None
        place = 0
        for column in row.columns:
            if column in together:
                place = together.index(column) + 1
            else:
                together.insert(place, column)
                place += 1
    return tuple(together)


def cells_of(row: TableRow, columns: Sequence[str]) -> tuple[str, ...]:
    """The row's cells below these columns, "" where it has none."""
    if row.columns == tuple(columns):
        return row.cells
    own = dict(zip(row.columns, row.cells, strict=True))
    return tuple(own.get(column, "") for column in columns)


def rows_of(lines: Sequence[str]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None:
    """The columns and the cells of lines that are all rows of one table; None for any other lines."""
    rows = [row for line in lines if (row := read_row(line))]
    columns = columns_together(rows) if rows and len(rows) == len(lines) else None
    if columns is None:
        return None
    return columns, tuple(cells_of(row, columns) for row in rows)


def shown_rows(total: int, marked: Sequence[int]) -> tuple[int, ...]:
    """The places of the rows that are shown first: all where one alone would be hidden.

    The marked ones and those beside them, before those further off; without a mark the first ones.
    """
    if not marked:
        return _first(total, MOST_ROWS, FIRST_ROWS)
    shown = set(marked)
    for place in _beside(total, marked):
        if len(shown) >= NEAR_ROWS:
            break
        shown.add(place)
    return tuple(range(total)) if total - len(shown) <= 1 else tuple(sorted(shown))


def shown_items(total: int) -> tuple[int, ...]:
    """The places of a list's items that are shown first."""
    return _first(total, MOST_ITEMS, FIRST_ITEMS)


def _first(total: int, most: int, first: int) -> tuple[int, ...]:
    return tuple(range(total if total <= most else first))


def _beside(total: int, marked: Sequence[int]) -> Iterator[int]:
    """The rows beside the marked ones, the nearest first."""
    for step in range(1, NEAR_ROWS):
        for place in marked:
            yield from (near for near in (place - step, place + step) if 0 <= near < total)

"""A table's row as a line, read again: `Hall: Maple — Beds: 264; Elevator: Yes`.

`server/ingest/extract/tables.py` writes these lines: the row's subject, a dash, and its other cells, each
after its column's name.
"""

import re
from dataclasses import dataclass

_SUBJECT = " — "
_CELL = re.compile(r"; (?=[^;:]{1,60}: )")
_NAMED = re.compile(r"(?P<name>[^;:—]{1,60}): (?P<value>.+)", re.DOTALL)

_SENTENCE_END = re.compile(r"[.!?]")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: the columns' names, "" where one has none, and its cells; as many of the one as of the other."""

    columns: tuple[str, ...]
    cells: tuple[str, ...]


def read_row(line: str) -> TableRow | None:
    """The row that a line says, or None where it is no row of two cells or more with named columns."""
    subject, dash, rest = line.partition(_SUBJECT)
    if not dash:
        subject, rest = "", line
    cells = [_NAMED.fullmatch(cell) for cell in _CELL.split(rest)]
    named = [(match["name"], match["value"]) for match in cells if match]
    if len(named) < len(cells) or len(named) + bool(dash) < 2:
        return None
    if not dash and any(_SENTENCE_END.search(name) for name, _ in named):
        return None
    if dash:
        own = _NAMED.fullmatch(subject)
        named.insert(0, (own["name"], own["value"]) if own else ("", subject))
    return TableRow(*(tuple(column) for column in zip(*named, strict=True)))

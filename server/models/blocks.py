"""What an answer is made of, for whoever shows it: text, tables, lists, steps, cards.

Read from the answer's own text, so that an answer of last year comes apart as today's does: a row's line says
its columns (table_rows.py), what follows a line that ends in a colon is its list, and so are entries
("Name: what it is") one below the other.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from server.models.cards import card_of_lines, card_of_row, read_card
from server.models.quoted_table import (
    QuotedTable,
    cells_of,
    columns_together,
    rows_of,
    shown_items,
    shown_rows,
)
from server.models.table_rows import TableRow, read_row

AnswerBlockKind = Literal["text", "table", "list", "steps", "card"]

_MARKS = re.compile(r"\s*(?:\[\d{1,3}\])+(?=\s|$)")
_NUMBER = re.compile(r"\d+")
_STEP = re.compile(r"(?P<number>\d{1,2})[.)]\s+(?P<text>.+)", re.DOTALL)
_ENTRY = re.compile(r"[^.:;!?]{2,60}: \S.*", re.DOTALL)
# What was asked, above its answer where a line asks several things.
_HEAD = re.compile(r"“[^”]+”")
# So many lines without an end ("Tannery 330") are a list; of two, one may be a heading.
_LEAST_LINES = 3
# Where more of a table's rows are quoted, or so many, or its first ones as such (`QuotedTable.rest`), it is
# the table that answers and not some rows of it.
MOST_MARKED, MOST_MARKED_ROWS = 0.5, 8

# A line of an answer, the row that it is, and the numbers of its sources.
_Line = tuple[str, TableRow | None, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """A part of an answer; `cites` are the numbers of its citations.

    A text has `text`; a list or steps have `items`, and `text` is what leads in to them, if anything does; a
    table has `columns` ("" where one has no name) and `rows` of as many cells. `start` is the first step's
    number.

    A table is the whole one of its page where that is known: `marked` are the places of its rows that answer,
    `caption` what stands above it. `total` is how many rows or items there are, `shown` the places of those
    that are shown first; the others are folded.

    A card has in `text` who it is, in `items` a line each, and in `columns` their labels ("" for none).
    """

    kind: AnswerBlockKind
    text: str = ""
    items: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    start: int = 1
    cites: tuple[int, ...] = ()
    caption: str = ""
    marked: tuple[int, ...] = ()
    total: int = field(init=False, default=0)
    shown: tuple[int, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        """How much there is of it, and what is shown of it first: of steps, all."""
        total = len(self.rows or self.items)
        if self.kind == "table":
            shown = shown_rows(total, self.marked)
        else:
            shown = shown_items(total) if self.kind == "list" else tuple(range(total))
        object.__setattr__(self, "total", total)
        object.__setattr__(self, "shown", shown)

    @property
    def is_folded(self) -> bool:
        """Whether some of it is not shown at first."""
        return len(self.shown) < self.total


def blocks_of(
    text: str,
    numbers: Sequence[int],
    names: Collection[str] = (),
    tables: Mapping[int, QuotedTable] | None = None,
    titles: Mapping[int, str] | None = None,
) -> tuple[AnswerBlock, ...]:
    """The blocks of an answer's text; `numbers` are the citations that its `[n]` may refer to.

    `names` are lines above passages, which lead in to no list; `tables` those that citations
    quote rows of, `titles` the citations' pages.
    """
    blocks: list[AnswerBlock] = []
    for block in _parts(text, numbers, names):
        whole = _as_card(block, titles or {}) or _in_table(block, tables or {})
        before = blocks[-1] if blocks else None
        if before and before.kind == "table" and block.text in _said_instead(before, tables or {}):
            continue
        if before and whole.marked and (before.columns, before.rows) == (whole.columns, whole.rows):
            marked = tuple(sorted({*before.marked, *whole.marked}))
            blocks[-1] = replace(before, marked=marked, cites=_joined(before.cites, whole.cites))
        else:
            blocks.append(whole)
    return tuple(blocks)


def _as_card(block: AnswerBlock, titles: Mapping[int, str]) -> AnswerBlock | None:
    """A line, a single row, or lines of one person, that say how to reach someone."""
    if not block.cites:
        return None
    if block.kind == "text":
        card = read_card(block.text, titles.get(block.cites[0], ""))
    elif block.kind == "list":
        card = None if block.text else card_of_lines(block.items)
    else:
        card = card_of_row(block.columns, block.rows[0]) if len(block.rows) == 1 else None
    return AnswerBlock("card", card.name, card.lines, card.labels, cites=block.cites) if card else None


def _said_instead(block: AnswerBlock, tables: Mapping[int, QuotedTable]) -> frozenset[str]:
    """What the text says in place of rows that the block has."""
    rests = (table.rest for n in block.cites if (table := tables.get(n)) and len(table.rows) == block.total)
    return frozenset(filter(None, rests))


def _in_table(block: AnswerBlock, tables: Mapping[int, QuotedTable]) -> AnswerBlock:
    """Rows within the whole table that they stand in, where that is known."""
    table = tables.get(block.cites[0]) if block.kind == "table" and block.cites else None
    whole = rows_of(table.rows) if table else None
    if table is None or whole is None or not set(block.columns) <= set(whole[0]):
        return block
    columns, rows = whole
    quoted = [cells_of(TableRow(block.columns, row), columns) for row in block.rows]
    if not set(quoted) <= set(rows):
        return block
    marked = tuple(i for i, row in enumerate(rows) if row in quoted)
    is_most = len(marked) > min(len(rows) * MOST_MARKED, MOST_MARKED_ROWS)
    marked = table.marked or (() if table.rest or is_most else marked)
    return replace(block, columns=columns, rows=rows, caption=table.caption, marked=marked)


def _parts(text: str, numbers: Sequence[int], names: Collection[str]) -> list[AnswerBlock]:
    """The blocks as the text alone has them."""
    blocks: list[AnswerBlock] = []
    lines = list(_lines(text, frozenset(numbers)))
    for i, (line, row, cites) in enumerate(lines):
        before = blocks[-1] if blocks else None
        if row and before and (together := _together(before, row)):
            above = tuple(cells_of(TableRow(before.columns, cells), together) for cells in before.rows)
            rows = (*above, cells_of(row, together))
            blocks[-1] = replace(before, columns=together, rows=rows, cites=_joined(before.cites, cites))
        elif row:
            blocks.append(AnswerBlock("table", columns=row.columns, rows=(row.cells,), cites=cites))
        elif before and line not in names and before.text not in names and _takes_items(before):
            blocks[-1] = _with_item(before, line, cites)
        elif (step := _STEP.fullmatch(line)) and not cites and _is_next_step(step, lines[i + 1 : i + 2]):
            blocks.append(AnswerBlock("steps", items=(step["text"],), start=int(step["number"])))
        elif _begins_list(lines[i:], names):
            blocks.append(AnswerBlock("list", items=(_item(line),)))
        else:
            blocks.append(AnswerBlock("text", line, cites=cites))
    return blocks


def _lines(text: str, numbers: frozenset[int]) -> Iterator[_Line]:
    """Each line, or part of one, without its sources' marks at the end; the row that it is; their numbers."""
    for line in text.split("\n"):
        start = 0
        for marks in _MARKS.finditer(line):
            told = tuple(dict.fromkeys(map(int, _NUMBER.findall(marks.group()))))
            if numbers.issuperset(told):
                if said := line[start : marks.start()].strip():
                    yield said, read_row(said), told
                start = marks.end()
        if rest := line[start:].strip():
            yield rest, read_row(rest), ()


def _is_next_step(step: re.Match[str], below: Sequence[_Line]) -> bool:
    """Whether the line below is the step after this one."""
    following = _STEP.fullmatch(below[0][0]) if below else None
    return bool(following and int(following["number"]) == int(step["number"]) + 1)


def _begins_list(lines: Sequence[_Line], names: Collection[str]) -> bool:
    """Whether all lines up to the first with a source are entries, or all are without an end."""
    own: list[str] = []
    for line, row, cites in lines:
        if row or line in names or line.endswith(":") or _STEP.fullmatch(line) or _HEAD.fullmatch(line):
            return False
        own.append(line)
        if cites:
            break
    else:
        return False  # no source is named: an editor's own words
    are_entries = len(own) > 1 and all(_ENTRY.fullmatch(line) for line in own)
    return are_entries or (len(own) >= _LEAST_LINES and not any(map(_is_sentence, own)))


def _is_sentence(line: str) -> bool:
    return line.endswith((".", "!", "?"))


def _takes_items(block: AnswerBlock) -> bool:
    """Whether the next line is its item: it leads in to a list, or is one whose source has not been named."""
    is_lead = block.kind == "text" and block.text.endswith(":")
    return (is_lead or block.kind in ("list", "steps")) and not block.cites


def _with_item(block: AnswerBlock, line: str, cites: tuple[int, ...]) -> AnswerBlock:
    step = _STEP.fullmatch(line)
    if block.kind == "text" and step:
        return replace(block, kind="steps", items=(step["text"],), start=int(step["number"]), cites=cites)
    if block.kind == "steps":
        items = (*block.items, step["text"]) if step else (*block.items[:-1], f"{block.items[-1]} {line}")
        return replace(block, items=items, cites=cites)
    return replace(block, kind="list", items=(*block.items, _item(line)), cites=cites)


def _together(block: AnswerBlock, row: TableRow) -> tuple[str, ...] | None:
    """The columns of a table and one more row of it; None where it is none."""
    above = TableRow(block.columns, block.rows[-1]) if block.kind == "table" else None
    return columns_together([above, row]) if above else None


def _item(line: str) -> str:
    return line.removeprefix("• ").removeprefix("- ")


def _joined(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys((*one, *other)))

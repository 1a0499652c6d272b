"""What an answer is made of, for whoever shows it: text, tables, lists, steps.

Read from the answer's own text, so that an answer of last year comes apart as today's does: a row's line says
its columns (table_rows.py), what follows a line that ends in a colon is its list, and so are entries
("Name: what it is") one below the other.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from server.models.table_rows import TableRow, read_row

AnswerBlockKind = Literal["text", "table", "list", "steps"]

_MARKS = re.compile(r"\s*(?:\[\d{1,3}\])+(?=\s|$)")
_NUMBER = re.compile(r"\d+")
_STEP = re.compile(r"(?P<number>\d{1,2})[.)]\s+(?P<text>.+)", re.DOTALL)
_ENTRY = re.compile(r"[^.:;!?]{2,60}: \S.*", re.DOTALL)
# So many lines without an end ("Tannery 330") are a list; of two, one may be a heading.
_LEAST_LINES = 3

# A line of an answer, the row that it is, and the numbers of its sources.
_Line = tuple[str, TableRow | None, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """A part of an answer; `cites` are the numbers of its citations.

    A text has `text`; a list or steps have `items`, and `text` is what leads in to them, if anything does; a
    table has `columns` ("" where one has no name) and `rows` of as many cells. `start` is the first step's
    number.
    """

    kind: AnswerBlockKind
    text: str = ""
    items: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    start: int = 1
    cites: tuple[int, ...] = ()


def blocks_of(text: str, numbers: Sequence[int], names: Collection[str] = ()) -> tuple[AnswerBlock, ...]:
    """The blocks of an answer's text; `numbers` are the citations that its `[n]` may refer to.

    `names` are lines above passages, which lead in to no list.
    """
    blocks: list[AnswerBlock] = []
    lines = list(_lines(text, frozenset(numbers)))
    for i, (line, row, cites) in enumerate(lines):
        before = blocks[-1] if blocks else None
        if row and before and before.kind == "table" and before.columns == row.columns:
            blocks[-1] = replace(before, rows=(*before.rows, row.cells), cites=_joined(before.cites, cites))
        elif row:
            blocks.append(AnswerBlock("table", columns=row.columns, rows=(row.cells,), cites=cites))
        elif before and line not in names and before.text not in names and _takes_items(before):
            blocks[-1] = _with_item(before, line, cites)
        elif _begins_list(lines[i:], names):
            blocks.append(AnswerBlock("list", items=(_item(line),)))
        else:
            blocks.append(AnswerBlock("text", line, cites=cites))
    return tuple(blocks)


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


def _begins_list(lines: Sequence[_Line], names: Collection[str]) -> bool:
    """Whether all lines up to the first with a source are entries, or all are without an end."""
    own: list[str] = []
    for line, row, cites in lines:
        if row or line in names or line.endswith(":") or _STEP.fullmatch(line):
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


def _item(line: str) -> str:
    return line.removeprefix("• ").removeprefix("- ")


def _joined(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys((*one, *other)))

"""An answer in the terminal: its blocks as lines, the row that answers marked, whom to reach line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from server.models import Answer
from server.models.blocks import AnswerBlock


def answer_lines(answer: Answer) -> Iterator[str]:
    """The lines; words alone are said as they stand."""
    if all(block.kind == "text" for block in answer.blocks):
        yield answer.answer
        return
    for block in answer.blocks:
        marks = "".join(f"[{n}]" for n in block.cites)
        if block.kind == "table":
            yield from _table(block, marks)
        elif block.kind == "card":
            yield f"{block.text} {marks}"
            yield from (f"  {_named(*line)}" for line in zip(block.columns, block.items, strict=True))
        else:
            yield from _items(block, marks)


def _table(block: AnswerBlock, marks: str) -> Iterator[str]:
    yield f"{block.caption} {marks}".lstrip()
    for place in block.shown:
        lead = "> " if place in block.marked else "  "
        yield lead + _row(block.columns, block.rows[place])
    if block.is_folded:
        yield f"  … {len(block.shown)} of {block.total} rows"


def _row(columns: Sequence[str], row: Sequence[str]) -> str:
    first, *cells = [_named(column, cell) for column, cell in zip(columns, row, strict=True)]
    named = [cell for cell, value in zip(cells, row[1:], strict=True) if value]
    return f"{first} — {'; '.join(named)}"


def _items(block: AnswerBlock, marks: str) -> Iterator[str]:
    """A text, or a list to its end: a terminal has nothing to unfold."""
    if block.text:
        yield f"{block.text} {marks}".rstrip()
    for i, item in enumerate(block.items, block.start):
        yield f"  {f'{i}.' if block.kind == 'steps' else '•'} {item}"
    if block.items and not block.text:
        yield f"  {marks}"


def _named(label: str, value: str) -> str:
    return f"{label}: {value}" if label else value

"""The whole table around the rows that an answer quotes, put together from the chunks of its section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from server.ask.grounding.evidence import without_planted_text
from server.ask.quoting.answer import QuotedWords
from server.ask.quoting.score import ScoredSentence
from server.ask.quoting.sections import Passages, chunks_beside
from server.models import Citation, Passage
from server.models.quoted_table import QuotedTable, columns_together
from server.models.table_rows import TableRow, read_row

# So many chunks on each side of the one that was found are read; a table that goes on beyond is not known.
MOST_CHUNKS = 10
_SUBJECT = " — "


def with_tables(
    chosen: Sequence[ScoredSentence], citations: Sequence[Citation], passages: Passages
) -> tuple[Citation, ...]:
    """The citations, each with the table that a row is quoted of; `passages` brings other chunks.

    They are one a passage of those `chosen`, in their order.
    """
    own: dict[int, list[ScoredSentence]] = {}
    for quote in chosen:
        own.setdefault(quote.passage.chunk_id, []).append(quote)
    return tuple(
        replace(citation, table=next(filter(None, (table_around(one, passages) for one in quotes)), None))
        for citation, quotes in zip(citations, own.values(), strict=True)
    )


def with_rest_counted(said: Sequence[QuotedWords], citations: Sequence[Citation]) -> tuple[QuotedWords, ...]:
    """What is said; of a table's first rows it is known how many there are besides, wherever they stand."""
    tables = {citation.n: citation.table.rows for citation in citations if citation.table}
    counted = []
    for one in said:
        words, _, mark = one.text.rpartition(" [")
        rows, lines = tables.get(int(mark.rstrip("]")), ()), words.split("\n")
        is_part = one.left and rows and set(lines) <= set(rows)
        counted.append(replace(one, left=len(rows) - len(lines)) if is_part else one)
    return tuple(counted)


def table_around(quote: ScoredSentence, passages: Passages) -> QuotedTable | None:
    """The table of which the sentence is a row; None where it is none, or cannot be had whole."""
    passage = quote.passage
    before, after = passage.text[: quote.start].rpartition("\n"), passage.text[quote.start :].partition("\n")
    line = before[2] + after[0]
    row = read_row(line.rstrip(";"))
    if row is None:
        return None
    known = chunks_beside(passage, MOST_CHUNKS, passages)
    above = _run(before[0].split("\n") if before[1] else [], passage, known, -1, row)
    below = None if above is None else _run(after[2].split("\n") if after[1] else [], passage, known, 1, row)
    if above is None or below is None:
        return None
    whole = _mended([*reversed(above), line, *below])
    rows = [read_row(one) for one in whole]
    if len(whole) < 2 or not all(rows) or any(without_planted_text(one) != one for one in whole):
        return None
    if columns_together([one for one in rows if one]) is None:
        return None
    return QuotedTable(tuple(whole), _caption_of(passage))


def _run(
    lines: Sequence[str], passage: Passage, known: dict[int, Passage], step: int, row: TableRow
) -> list[str] | None:
    """The lines of the same table in one direction, the nearest first; None where its end is not known."""
    found: list[str] = []
    own, id_ = list(lines), passage.chunk_id
    while True:
        for line in own[::step]:
            other = read_row(line.rstrip(";"))
            if other is None or columns_together([row, other]) is None:
                return found
            found.append(line)
        id_ += step
        following = known.get(id_)
        if following is None:
            return None
        if (following.url, following.heading) != (passage.url, passage.heading):
            return found
        own = following.text.split("\n")


def _mended(lines: Sequence[str]) -> list[str]:
    """The lines, a row that a chunk's end cut in two as one again."""
    whole: list[str] = []
    for line in lines:
        subject, dash, rest = line.partition(_SUBJECT)
        if whole and dash and whole[-1].endswith(";") and whole[-1].startswith(subject + dash):
            whole[-1] = f"{whole[-1]} {rest}"
        elif not whole or whole[-1] != line:
            whole.append(line)
    return whole


def _caption_of(passage: Passage) -> str:
    """What stands above the table: its caption is a heading of the page, or else the nearest one is."""
    return passage.section or passage.title

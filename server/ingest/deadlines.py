"""Deadlines at indexing: days by which something is due, from tables and sentences, as data.

A day counts where its year is written, or where a calendar's heading gives it; others are only quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from server.academic_terms import Term, WrittenDays, days_in
from server.ingest.academic_calendar import in_year_of, is_calendar
from server.ingest.data_lines import context_of, in_chunks, terms_above
from server.lexicons import lexicon
from server.models import Chunk, Document, Section
from server.models.deadlines import Deadline
from server.models.table_rows import TableRow, read_row
from server.sentences import sentences

MOST_OF_PAGE = 200
LONGEST_KIND = 200

_WORDS = lexicon("deadlines")
_LINE = _WORDS.pattern("lines", r"(?<!\w)(?:{})(?!\w)")
_COLUMN = _WORDS.pattern("columns", r"\W*(?:{})\W*")
_WEEKDAY = re.compile(r"\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)day\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def with_deadlines(document: Document, chunks: Sequence[Chunk]) -> Document:
    """The page with its deadlines, each with the chunk that has its line."""
    if document.archived or document.kind in ("news", "archived"):
        return document
    found = dict.fromkeys(in_chunks(_deadlines_of(document), chunks))
    return replace(document, deadlines=tuple(found)[:MOST_OF_PAGE])


def _deadlines_of(document: Document) -> Iterator[Deadline]:
    whole = is_calendar(document)
    for section in document.sections:
        # Of other pages, what is due for a term is due before it: their headings give no year.
        terms = terms_above(document, section) if whole else ()
        for block in section.blocks:
            for line in block.text.split("\n"):
                yield from _line(document, section, terms, line)


def _line(document: Document, section: Section, terms: Sequence[Term], line: str) -> Iterator[Deadline]:
    context = context_of(document, section)
    if row := read_row(line):
        for kind, label, column, cell in _cells(row, f"{document.url} {context}"):
            if day := _day(cell, terms):
                yield Deadline(day, kind, label, column, context, document.url, 0, line)
        return
    for start, end in sentences(line):
        text = line[start:end]
        found = days_in(text)
        if len(found) == 1 and _LINE.search(text) and (day := _due(found[0], terms)):
            yield Deadline(day, _kind(text, found[0]), "", "", context, document.url, 0, text)


def _cells(row: TableRow, where: str) -> Iterator[tuple[str, str, str, str]]:
    """Cells that hold a deadline, each with kind, label and column; `where` are the table's page and section.

    "Fall 2026 — Due: August 7, 2026"; "Last day to withdraw — Session I: June 18"; "May 1 — What: Aid due".
    """
    pairs = list(zip(row.columns, row.cells, strict=True))
    for name, cell in pairs[1:]:
        if _COLUMN.fullmatch(name):
            yield f"{where} {' '.join(row.columns)} {name}".casefold(), row.cells[0], name, cell
        elif _LINE.search(row.cells[0]) and not days_in(row.cells[0]):
            yield _squeezed(row.cells[0]), name, "", cell
    if days_in(row.cells[0]):
        for _, cell in pairs[1:]:
            if _LINE.search(cell) and not days_in(cell):
                yield _squeezed(cell), "", "", row.cells[0]


def _day(text: str, terms: Sequence[Term]) -> date | None:
    found = days_in(text)
    return _due(found[0], terms) if len(found) == 1 else None


def _due(days: WrittenDays, terms: Sequence[Term]) -> date | None:
    """The last of the days, where their year is sure."""
    span = in_year_of(days, terms)
    return span[1] if span else None


def _kind(text: str, days: WrittenDays) -> str:
    return _squeezed(_WEEKDAY.sub(" ", f"{text[: days.start]} {text[days.end :]}"))


def _squeezed(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))[:LONGEST_KIND]

"""What a question asks to be computed over the rows of the table that answers: a count, the least, the most.

It is computed only where every row can be read, and every word of the question is about the table as a whole:
of one that says more ("for commuters") the table is quoted and nothing is computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from server.ask.quoting.score import QuestionFeatures
from server.lexicons import lexicon
from server.messages.catalogue import Texts, fill
from server.models import Citation
from server.models.quoted_table import QuotedTable, rows_of

Kind = Literal["count", "which", "without", "least", "most", "earliest", "latest"]
Values = tuple[float, ...]
# What reads the cells of a column; None where one cannot be read.
Reader = Callable[[Sequence[str]], Values | None]

_WORDS = lexicon("computing")
_COUNT, _WHICH, _LEAST, _MOST, _CHEAPEST, _DEAREST, _EARLIEST, _LATEST = (
    _WORDS.pattern(name, r"\b(?:{})\b")
    for name in ("count", "which", "least", "most", "cheapest", "dearest", "earliest", "latest")
)
_DENIES = _WORDS.pattern("denies", r"\b(?:{})(?!\w)")
_YES, _NO = (_WORDS.pattern(name, r"\s*(?:{})\s*") for name in ("yes", "no"))
_PRICE = _WORDS.pattern("price", r"\b(?:{})\b")
_TOTAL = _WORDS.pattern("total", r"\s*(?:{})\b.*")
_MONEY = re.compile(
    r"(?P<sign>[$€£])\s?(?P<value>\d[\d,]*(?:\.\d+)?)(?P<unit>(?: ?(?:/|per |an? |each)\D{0,30})?)"
    r"(?:[ ,;(]\D{0,40})?"
)
_NUMBER = re.compile(r"(?P<sign>)(?P<value>\d[\d,]*(?:\.\d+)?)(?P<unit>(?: [^\W\d]{1,20}){0,2})")
# A column is one of Yes and No where so many of its cells are; another may say more ("Lounges only").
MOSTLY = 0.5
# Numbers that are all between these are years, and no sizes.
_YEARS = (1700, 2100)


@dataclass(frozen=True, slots=True)
class Computed:
    """What was computed: how many rows, or which of them have Yes in a column, or the value of those that
    have the least or the most of it, by their names."""

    kind: Kind
    value: str
    total: int
    column: str = ""
    names: tuple[str, ...] = ()

    @property
    def is_all_told(self) -> bool:
        """Whether the question names a column of Yes and No, or the most or least of one, and says nothing
        that the table does not."""
        return self.kind not in ("count", "which", "without") or self.is_of_column

    @property
    def is_of_column(self) -> bool:
        """Whether the question names a column of Yes and No, and says nothing that the table does not."""
        return self.kind in ("count", "which", "without") and bool(self.column)

    def sentence(self, texts: Texts) -> str:
        """It in words, before the rows."""
        if self.kind == "count":
            is_part = bool(self.column)
            said = texts.counted_rows_of if is_part else texts.counted_rows
            return fill(said, count=self.value, total=str(self.total), column=self.column)
        named = ", ".join(self.names)
        if self.kind in ("which", "without"):
            said = texts.rows_with if self.kind == "which" else texts.rows_without
            said = said if self.names else texts.rows_none
            return fill(said, column=self.column, rows=named, total=str(self.total))
        said = {
            "least": texts.computed_least,
            "most": texts.computed_most,
            "earliest": texts.computed_earliest,
            "latest": texts.computed_latest,
        }[self.kind]
        return fill(said, column=self.column, value=self.value, rows=named, total=str(self.total))


def asks_of_rows(question: str) -> bool:
    """Whether it may ask how many rows of a table have something, or which, or which has the most of it."""
    return _WHICH.match(question) is not None or any(
        pattern.search(question) for pattern in (_COUNT, *(pattern for pattern, *_ in _EXTREMES))
    )


def computed_over(
    question: str, citations: Sequence[Citation], wanted: QuestionFeatures
) -> tuple[Computed, Citation] | None:
    """What the question asks of the only table that tells it, where the best source has one, and that source
    with the computed rows marked."""
    if not citations or not citations[0].table:
        return None
    computed = [
        (found[0], replace(cited, table=replace(table, marked=found[1])))
        for cited in citations
        if (table := cited.table) and (found := _Asked(question, cited, wanted).of(table))
    ]
    return computed[0] if len(computed) == 1 else None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, the source whose table answers it, and the question's words."""

    question: str
    source: Citation
    wanted: QuestionFeatures

    def of(self, table: QuotedTable) -> tuple[Computed, tuple[int, ...]] | None:
        """What is computed, and the places of the rows that it is; None where nothing is."""
        read = rows_of(table.rows)
        if read is None or any(_TOTAL.fullmatch(row[0]) for row in read[1]):
            return None
        columns, rows = read
        if _COUNT.search(self.question):
            return self._count(columns, rows, table)
        for pattern, kind, readers in _EXTREMES:
            if pattern.search(self.question):
                return self._extreme(kind, readers, columns, rows, table, pattern)
        if _WHICH.match(self.question):
            return self._which(columns, rows, table, _WHICH)
        return None

    def _count(
        self, columns: Sequence[str], rows: Sequence[Sequence[str]], table: QuotedTable
    ) -> tuple[Computed, tuple[int, ...]] | None:
        """How many rows: all of what the first column names, or those that have Yes in a column."""
        around = f"{columns[0]} {self.source.title} {table.caption}"
        if not self._subject(columns[0] or table.caption, around) & set(self.wanted.word_weights):
            return None
        if self._is_all_in(around, _COUNT):
            return Computed("count", str(len(rows)), len(rows)), ()
        place = self._named(columns, table, _COUNT)
        cells = [row[place] for row in rows] if place else []
        if place and all(map(_is_yes_or_no, cells)) and not _DENIES.search(self.question):
            marked = tuple(i for i, cell in enumerate(cells) if _YES.fullmatch(cell))
            return Computed("count", str(len(marked)), len(rows), columns[place]), marked
        return self._which(columns, rows, table, _COUNT)

    def _which(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        table: QuotedTable,
        asked: re.Pattern[str],
    ) -> tuple[Computed, tuple[int, ...]] | None:
        """The rows that have Yes in the column that the question names, or say more ("Lounges only")."""
        place = self._named(columns, table, asked)
        cells = [row[place] for row in rows] if place else []
        if not place or sum(map(_is_yes_or_no, cells)) < MOSTLY * len(cells):
            return None
        denies = _DENIES.search(self.question) is not None
        marked = tuple(i for i, cell in enumerate(cells) if (_NO.fullmatch(cell) is not None) is denies)
        names = tuple(rows[i][0] if _is_yes_or_no(cells[i]) else f"{rows[i][0]} ({cells[i]})" for i in marked)
        kind: Kind = "without" if denies else "which"
        return Computed(kind, str(len(marked)), len(rows), columns[place], names), marked

    def _named(self, columns: Sequence[str], table: QuotedTable, asked: re.Pattern[str]) -> int | None:
        """The place of the column that the question names beside what the rows are, and nothing else."""
        around = f"{columns[0]} {self.source.title} {table.caption}"
        if self._is_all_in(around, asked):
            return None
        places = range(1, len(columns))
        return next((i for i in places if self._is_all_in(f"{around} {columns[i]}", asked)), None)

    def _extreme(  # noqa: PLR0913, PLR0917  (a table, and what is looked for in it)
        self,
        kind: Kind,
        readers: Sequence[Reader],
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        table: QuotedTable,
        pattern: re.Pattern[str],
    ) -> tuple[Computed, tuple[int, ...]] | None:
        """The rows with the least or the greatest value of the one column that can be meant."""
        if not self._is_all_in(" ".join((*columns, self.source.title, table.caption)), pattern):
            return None
        read = {
            place: (reader, values)
            for place in range(1, len(columns))
            for reader in readers
            if (values := reader([row[place] for row in rows]))
        }
        usual = [place for place, (reader, _) in read.items() if reader is readers[-1]]
        marks = {place: _marked(kind, values) for place, (_, values) in read.items()}
        place = self._meant(columns, list(read), usual)
        if place is None and len({marks[one] for one in usual}) == 1:  # a price a year, and one a term
            place = usual[0]
        if place is None:
            return None
        marked = marks[place]
        names = tuple(rows[i][0] for i in marked)
        return Computed(kind, rows[marked[0]][place], len(rows), columns[place], names), marked

    def _meant(self, columns: Sequence[str], places: Sequence[int], usual: Sequence[int]) -> int | None:
        """The one column of these that can be meant: the one that is named, else the only usual one, or the
        one of the usual ones that is a price's."""
        named = [place for place in places if self._stems(columns[place]) & set(self.wanted.word_weights)]
        prices = [place for place in usual if _PRICE.search(columns[place])]
        return next((found[0] for found in (named, usual, prices) if len(found) == 1), None)

    def _subject(self, rows_are: str, around: str) -> set[str]:
        """What the rows are, in the page's words or in the question's ("dorm": a hall on a page of residence
        halls)."""
        own, all_ = self._stems(rows_are), self._stems(around)
        return own.union(*(asked for asked, other in self.wanted.synonyms if other & own and other <= all_))

    def _is_all_in(self, words: str, asked: re.Pattern[str]) -> bool:
        """Whether the question says nothing but what is asked of the table, and these words."""
        [rest] = self.wanted.stems([asked.sub(" ", self.question)])
        return (rest & set(self.wanted.word_weights)) <= self.wanted.with_synonyms(self._stems(words))

    def _stems(self, words: str) -> set[str]:
        [stems] = self.wanted.stems([words])
        return stems


def _marked(kind: Kind, values: Values) -> tuple[int, ...]:
    """The places of the least values, or of the greatest."""
    best = min(values) if kind in ("least", "earliest") else max(values)
    return tuple(i for i, value in enumerate(values) if value == best)


def _is_yes_or_no(cell: str) -> bool:
    return bool(_YES.fullmatch(cell) or _NO.fullmatch(cell))


def _money(cells: Sequence[str]) -> Values | None:
    return _figures(cells, _MONEY)


def _number(cells: Sequence[str]) -> Values | None:
    """Numbers of one unit; years are none."""
    values = _figures(cells, _NUMBER)
    first, last = _YEARS
    return None if values and all(first <= value <= last for value in values) else values


def _figures(cells: Sequence[str], pattern: re.Pattern[str]) -> Values | None:
    found = [match for cell in cells if (match := pattern.fullmatch(cell.strip()))]
    if len(found) < len(cells) or len({(match["unit"], match["sign"]) for match in found}) > 1:
        return None
    return tuple(float(match["value"].replace(",", "")) for match in found)


def _days(cells: Sequence[str]) -> Values | None:
    """Days with their year, a day a cell."""
    # Its many patterns are loaded when a question first needs them.
    from server.ask.grounding.dates import days  # noqa: PLC0415

    values: list[float] = []
    for cell in cells:
        found = days(cell)
        if len(found) != 1 or found[0].end - found[0].start < len(cell.strip()):
            return None
        day = found[0].value
        if day.year is None or day.day is None:
            return None
        values.append(day.year * 10_000 + day.month * 100 + day.day)
    return tuple(values)


# What asks for the least or the most, and what reads a column's cells for it.
_EXTREMES: tuple[tuple[re.Pattern[str], Kind, tuple[Reader, ...]], ...] = (
    (_CHEAPEST, "least", (_money,)),
    (_DEAREST, "most", (_money,)),
    (_LEAST, "least", (_money, _number)),
    (_MOST, "most", (_money, _number)),
    (_EARLIEST, "earliest", (_days,)),
    (_LATEST, "latest", (_days,)),
)

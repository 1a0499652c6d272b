"""Opening hours at indexing: what the lines of a page say of when a place is open, as data.

A table has days in its columns or its rows; a sentence names them. A place is what a heading, a row or a
line's label calls it, or what the page is about. What is not wholly understood casts doubt on its days
(`spans` None), and nothing is told of those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from server.academic_terms import MONTHS, Term, WrittenDays, days_in
from server.ingest.academic_calendar import in_year_of, is_calendar
from server.ingest.data_lines import context_of, in_chunks, terms_above
from server.ingest.extract.structured import EVENTS_HEADING
from server.lexicons import any_of, lexicon
from server.models import Block, Chunk, Document, OpeningHours, Section
from server.models.hours import EVERYTHING, OFFICES, USUAL
from server.models.table_rows import TableRow, read_row
from server.sentences import sentences
from server.written_hours.clauses import WrittenHours, conditions_in, read_hours
from server.written_hours.clocks import weekdays_of
from server.written_hours.names import GENERIC, bare_name, is_main_part

# Pages of other kinds tell of single days, or of what was.
KINDS = frozenset({"reference", "links"})
MOST_OF_PAGE = 400
LONGEST_NAME = 90

_WORDS = lexicon("hours")
_WHEN_COLUMN = _WORDS.pattern("when_columns", r"(?:{})")
_MONTH = re.compile(rf"\b(?:{'|'.join(month[:3] for month in MONTHS)})[a-z]*\b")
_ROOM = re.compile(r"\b\w?\d+\w?$")
_WORD = re.compile(r"[^\W_]+")
_CALENDAR = _WORDS.part("calendar")
_OF_ALL = re.compile(
    rf"\b(?:(?P<offices>{any_of(_CALENDAR['offices'])})|(?P<all>{any_of(_CALENDAR['everything'])}))\s+"
    rf"(?:(?:is|are|will be|remains?|stays?)\s+)?"
    rf"(?:(?P<closed>{any_of(_CALENDAR['closed'])})|(?P<open>{any_of(_CALENDAR['open'])}))\b(?P<tail>[^.;:\n]*)",
    re.IGNORECASE,
)


def with_hours(document: Document, chunks: Sequence[Chunk]) -> Document:
    """The page with what it says of opening hours, each with the chunk that has its line."""
    if document.kind not in KINDS or document.archived:
        return document
    found = dict.fromkeys(in_chunks(_hours_of(document), chunks))
    return replace(document, hours=tuple(found)[:MOST_OF_PAGE])


def _hours_of(document: Document) -> Iterator[OpeningHours]:
    of_all = is_calendar(document)
    for section in document.sections:
        if section.heading_path[-1:] == (EVENTS_HEADING,):
            continue
        place = _place_of(document, section)
        reader = _SectionReader(document, section, terms_above(document, section), place, of_all)
        for block in section.blocks:
            if block.page is None:
                yield from reader.read(block)


@dataclass(frozen=True, slots=True)
class PlaceHeading:
    """What a section is about, and whether that is what its page is about."""

    name: str
    own: bool


def _place_of(document: Document, section: Section) -> PlaceHeading:
    """The deepest heading that names a place, or what the page is about by its first heading or its title."""
    first = {one.heading_path[0] for one in document.sections if one.heading_path}
    for heading in reversed(section.heading_path):
        if name := bare_name(heading):
            is_first = first == {heading} and heading == section.heading_path[0]
            return PlaceHeading(name, own=is_first or _words(name) <= _words(document.title))
    return PlaceHeading(bare_name(document.title), own=True)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


@dataclass(frozen=True, slots=True)
class _SectionReader:
    """Reads the blocks of one section. `terms` are those that it stands below; `of_all`: the page is a
    calendar, and tells of all offices."""

    document: Document
    section: Section
    terms: tuple[Term, ...]
    place: PlaceHeading
    of_all: bool

    def read(self, block: Block) -> Iterator[OpeningHours]:
        """What the lines of a block say; of a calendar, what it says of all offices."""
        for line in block.text.split("\n"):
            if self.of_all:
                yield from self._of_all(line)
            elif row := read_row(line):
                yield from self._row(row, line)
            else:
                for start, end in sentences(line):
                    yield from self._sentence(line[start:end])

    def _sentence(self, line: str) -> Iterator[OpeningHours]:
        for one in read_hours(line):
            place, part = self._labelled(one.label)
            # "The application opens March 1" is about no place's hours.
            is_other = one.spans is None and not place.own and place != self.place
            if not (is_other and (one.dates or not one.weekdays)):
                yield from self._kept(one, place, part, line)

    def _labelled(self, label: str) -> tuple[PlaceHeading, str]:
        """The place and part that a line's label names: another place, or a counter of this one."""
        if not label or GENERIC.fullmatch(label):
            return self.place, ""
        name = bare_name(label)
        if not name or is_main_part(name):
            return self.place, name
        if _ROOM.search(name):  # where it is, and no name: "Birch Hall 22"
            return self.place, ""
        if _words(name) <= _words(self.place.name):
            return self.place, ""
        return PlaceHeading(name[:LONGEST_NAME], own=False), ""

    def _row(self, row: TableRow, line: str) -> Iterator[OpeningHours]:
        """A row of hours: days in the columns' names, or days or dates in the first cell."""
        days = [weekdays_of(name) for name in row.columns]
        if not days[0] and any(days):
            yield from self._row_of_days(row, days, line)
        elif _WHEN_COLUMN.fullmatch(row.columns[0].strip().casefold()):
            yield from self._row_of_times(row, line)

    def _row_of_days(
        self, row: TableRow, days: Sequence[tuple[int, ...]], line: str
    ) -> Iterator[OpeningHours]:
        """ "Climbing wall — Mon–Fri: 4–9 p.m.; Sat: 1–5 p.m."."""
        part = bare_name(row.cells[0])
        for own, cell in list(zip(days, row.cells, strict=True))[1:]:
            for one in self._cell(cell) if own else ():
                within = tuple(day for day in own if not one.weekdays or day in one.weekdays)
                kept = replace(one, weekdays=within or own, spans=one.spans if within else None, label="")
                yield from self._kept(kept, self.place, part, line)

    def _row_of_times(self, row: TableRow, line: str) -> Iterator[OpeningHours]:
        """ "Friday — Counter: 8 a.m.–5 p.m.; Phone: Closed", "Labor Day, September 7 — Hours: Closed"."""
        days = weekdays_of(row.cells[0])
        dates = tuple(days_in(row.cells[0]))
        when = () if dates else conditions_in(row.cells[0])
        if not (days or dates or when):
            return
        for name, cell in list(zip(row.columns, row.cells, strict=True))[1:]:
            part = "" if GENERIC.fullmatch(name) else bare_name(name)
            told = self._cell(cell)
            if dates and any(one.spans is None for one in told):  # nothing of these days is sure
                told = [WrittenHours(spans=None)]
            for one in told:
                own = replace(one, label="", dates=one.dates or dates, when=one.when or when)
                if days and not one.weekdays:
                    own = replace(own, weekdays=days)
                yield from self._kept(own, self.place, part, line)

    @staticmethod
    def _cell(cell: str) -> list[WrittenHours]:
        """A cell's hours; what is left over in it is a doubt."""
        found = read_hours(cell, is_cell=True)
        if not found and any(char.isdigit() for char in cell):
            return [WrittenHours(spans=None)]
        return [replace(one, spans=None) if one.label else one for one in found]

    def _kept(self, one: WrittenHours, place: PlaceHeading, part: str, line: str) -> Iterator[OpeningHours]:
        """It on the days of its dates; dates that may be of any year are days of doubt."""
        if not place.name:
            return
        when = one.when
        above: tuple[str, ...] = ()
        if not one.dates and not when:
            above = tuple(
                name
                for heading in (self.document.title, *self.section.heading_path)
                for name in conditions_in(heading)
            )
            when = tuple(dict.fromkeys(above)) or self._term()
        context = context_of(self.document, self.section)
        spans = None if _MONTH.search(f"{place.name} {part}") else one.spans  # "Ice rink (Nov–Mar)"
        kept = OpeningHours(
            place.name, part, context, place.own, one.weekdays, spans, None, None, when,
            self.document.url, 0, line,
        )  # fmt: skip
        if not one.dates:
            yield kept
        for dates in one.dates:
            yield from self._dated(kept, one, dates)

    def _term(self) -> tuple[str, ...]:
        """The one term or academic year that the section is of."""
        return (self.terms[0].name,) if len(self.terms) == 1 else ("unknown",) if self.terms else ()

    def _dated(self, kept: OpeningHours, one: WrittenHours, dates: WrittenDays) -> Iterator[OpeningHours]:
        span = in_year_of(dates, self.terms)
        if span is None:
            yield from (
                replace(kept, spans=None, first=days[0], last=days[1]) for days in self._any_year(dates)
            )
        elif one.since:
            end = self.terms[-1].end if self.terms else None
            yield replace(kept, first=span[0], last=end, spans=kept.spans if end and not kept.when else None)
        else:
            is_whole = span[0] == span[1] and len(one.weekdays) == 1
            yield replace(kept, first=span[0], last=span[1], weekdays=() if is_whole else kept.weekdays)

    def _any_year(self, dates: WrittenDays) -> Iterator[tuple[date, date]]:
        """These days in the years around the one in which the page was read."""
        read = int((self.document.fetched_at or self.document.modified or "0")[:4] or 0)
        for year in (read - 1, read, read + 1) if read else ():
            if days := dates.in_year(year):
                yield days

    def _of_all(self, line: str) -> Iterator[OpeningHours]:
        """ "November 25–27: Thanksgiving recess; offices closed Thursday and Friday"."""
        named = days_in(line)
        for match in _OF_ALL.finditer(line):
            own = days_in(match["tail"]) or named[:1]
            span = in_year_of(own[0], self.terms) if own else None
            if span is None:
                continue
            days = weekdays_of(match["tail"]) if not days_in(match["tail"]) else ()
            who = OFFICES if match["offices"] else EVERYTHING
            yield OpeningHours(
                who, "", self.document.title, False, days, (), *span,
                () if match["closed"] else (USUAL,), self.document.url, 0, line,
            )  # fmt: skip

"""What a university's own calendar says of days: breaks, holidays, examinations, first days of class.

A calendar writes its year once, in a heading or its title; its rows and columns have months and days.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from urllib.parse import unquote, urlsplit

from server.academic_terms import Term, WrittenDays, days_in, terms_in
from server.ingest.data_lines import chunk_of
from server.lexicons import any_of, lexicon
from server.models import Block, CalendarEntry, Chunk, Document

# A term's calendar goes a little beyond it: move-in before, grades after.
MARGIN = timedelta(days=45)
MOST_DAYS = timedelta(days=60)
MOST_CHARS = 80
# A table that is no calendar by its name tells of so many events at least.
LEAST_EVENTS = 3

_WORDS = lexicon("time")


def _listed(table: str, column: str) -> list[str]:
    return [entry for row in _WORDS[table] for entry in row[column]]


def _of_event(name: str) -> list[str]:
    return [entry for row in _WORDS["events"] if row["name"] == name for entry in row["page"]]


_CALENDAR = _WORDS.part("calendars").pattern("titles", r"\b(?:{})\b")
_NO_CALENDAR = _WORDS.part("calendars").pattern("others", r"\b(?:{})\b")
_LABEL = _WORDS.part("calendars").pattern("labels", r"(?:^|(?<=[—;]))\s*(?:{})\s*:")
_NAMES = re.compile(
    rf"\b(?:{any_of([*_listed('events', 'page'), *_listed('holidays', 'says')])})\b", re.IGNORECASE
)
_OF_CLASSES = re.compile(
    rf"\b(?:{any_of([*_of_event('classes begin'), *_of_event('classes end'), *_of_event('finals')])})\b",
    re.IGNORECASE,
)
_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?"
_WEEKDAYS = re.compile(rf"\(?\b{_WEEKDAY}(?:\s*[-–—]\s*{_WEEKDAY})?(?=[\s,;:)–—-]|$)\)?", re.IGNORECASE)
# "December 8 (Tue) – December 14 (Mon)"
_IN_DATE = re.compile(rf"(?<=\d)\s*\({_WEEKDAY}\)", re.IGNORECASE)
# "Oct 20-21  M-T  Fall Recess"
_LETTERS = re.compile(
    r"^\s*(?:M|T|W|R|F|Th|Tu|Sa|Su|S)(?:\s*[-–/]\s*(?:M|T|W|R|F|Th|Tu|Sa|Su|S))?\s+(?=[A-Z])"
)
_IN_BRACKETS = re.compile(r"\s*\(([^)\d]+)\)")
_PARTS = re.compile(r"[;:—\n()]|(?<!Jr)\. ")
_SENTENCES = re.compile(r"(?<!Jr)\.(?:\s|$)")
_DENIED = re.compile(r"(?:no|not|except)\b", re.IGNORECASE)
_EDGES = " \t\n,;:.–—-()"


def with_calendar(document: Document, chunks: Sequence[Chunk]) -> Document:
    """The page with what it says of days, each with the chunk of its line: all of a calendar, and of any
    other page what stands below a heading that is a calendar's, and tables of a term's events."""
    return replace(document, calendar=tuple(sorted(_in_chunks(set(_entries(document)), chunks))))


def is_calendar(document: Document) -> bool:
    """Whether the whole page is one, by its title or address."""
    return _is_named_so(f"{document.title} {re.sub(r'[/_.-]', ' ', unquote(urlsplit(document.url).path))}")


def _is_named_so(name: str) -> bool:
    return _CALENDAR.search(name) is not None and not _NO_CALENDAR.search(name)


def _in_chunks(entries: Iterable[CalendarEntry], chunks: Sequence[Chunk]) -> Iterator[CalendarEntry]:
    """Each with the first chunk that has its line, if one does."""
    for one in entries:
        chunk = chunk_of(one.line, chunks)
        yield one if chunk is None else replace(one, chunk_id=chunk)


def _entries(document: Document) -> Iterator[CalendarEntry]:
    whole = is_calendar(document)
    if not whole and document.kind == "news":
        return
    above = terms_in(f"{document.title} {urlsplit(document.url).path.replace('/', ' ')}")
    for section in document.sections:
        terms = next(filter(None, (terms_in(one) for one in reversed(section.heading_path))), above)
        is_one = whole or (bool(section.heading_path) and _is_named_so(section.heading_path[-1]))
        for block in section.blocks:
            if is_one or block.kind == "table":
                entries = list(_of_block(block, terms, document.url))
                if is_one or _tell_of_events(entries):
                    yield from entries


def _tell_of_events(entries: Sequence[CalendarEntry]) -> bool:
    """Whether a table tells when several things of a term are, classes among them."""
    names = {one.name.casefold() for one in entries}
    return len(names) >= LEAST_EVENTS and any(map(_OF_CLASSES.search, names))


def _of_block(block: Block, terms: Sequence[Term], url: str) -> Iterator[CalendarEntry]:
    for line in _whole_lines(block.text):
        for name, days, own in _named(_IN_DATE.sub("", line)):
            span = in_year_of(days, own or terms)
            if span and span[0] <= span[1] <= span[0] + MOST_DAYS:
                of = tuple(term.name for term in own or terms)
                yield CalendarEntry(*span, name, url, of, line=line)


def _whole_lines(text: str) -> Iterator[str]:
    """The lines of a text; one whose bracket is still open goes on in the next."""
    open_ = ""
    for line in text.split("\n"):
        whole = f"{open_}\n{line}" if open_ else line
        open_ = "" if open_ or whole.count("(") <= whole.count(")") else line
        if not open_:
            yield whole
    if open_:
        yield open_


def _named(line: str) -> Iterator[tuple[str, WrittenDays, Sequence[Term]]]:
    """Each stretch of days of a line with its name, and the terms that its own cell names.

    "Final examinations — Fall 2026: Dec 7–10; Winter 2027: Mar 15–18" has the name before its cells, and
    "Fall 2026 — Classes begin: Sep 23; Finals: Dec 7–11" in them.
    """
    head, dash, cells = line.partition(" — ")
    if dash and not days_in(head):
        of_row, terms = _name(head), terms_in(head)
        for cell in cells.split(";"):
            for days in days_in(cell):
                within, label = _IN_BRACKETS.match(cell, days.end), cell[: days.start].rstrip(" :")
                if name := (_name(within[1]) if within else of_row or _name(label)):
                    yield name, days, terms_in(label) or terms
        return
    found = days_in(line)
    rest = line[found[0].end : found[1].start if len(found) > 1 else None] if found else ""
    rest = _LETTERS.sub("", rest)
    if found and (name := _name(f"{line[: found[0].start]}; {_SENTENCES.split(rest)[0]}")):
        yield name, found[0], ()


def _name(text: str) -> str:
    """The part of a line that names an event, without its labels and weekdays; empty where none does."""
    bare = _WEEKDAYS.sub(" ", _LABEL.sub(";", text))
    parts = [part.strip(_EDGES) for part in _PARTS.split(bare)]
    named = next((part for part in parts if _NAMES.search(part) and not _DENIED.match(part)), "")
    return " ".join(named.split()) if len(named) <= MOST_CHARS else ""


def in_year_of(days: WrittenDays, terms: Sequence[Term]) -> tuple[date, date] | None:
    """Days of a page in their own year, or in the one year of its terms that they can be of."""
    if days.year:
        return days.in_year(days.year)
    if not terms:
        return None
    start, end = min(term.start for term in terms), max(term.end for term in terms)
    wide = timedelta() if end - start > timedelta(days=300) else MARGIN
    return days.between(start, end) or days.between(start - wide, end + wide)

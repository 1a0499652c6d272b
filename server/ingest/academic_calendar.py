"""What a university's own calendar says of days: breaks, holidays, examinations, first days of class.

A calendar writes its year once, in a heading or its title; its rows and columns have months and days.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from urllib.parse import unquote, urlsplit

from server.academic_terms import Term, WrittenDays, days_in, terms_in
from server.lexicons import any_of, lexicon
from server.models import CalendarEntry, Document

# A term's calendar goes a little beyond it: move-in before, grades after.
MARGIN = timedelta(days=45)
MOST_DAYS = timedelta(days=60)
MOST_CHARS = 80

_WORDS = lexicon("time")


def _listed(table: str, column: str) -> list[str]:
    return [entry for row in _WORDS[table] for entry in row[column]]


_CALENDAR = _WORDS.part("calendars").pattern("titles", r"\b(?:{})\b")
_NO_CALENDAR = _WORDS.part("calendars").pattern("others", r"\b(?:{})\b")
_LABEL = _WORDS.part("calendars").pattern("labels", r"(?:^|(?<=[—;]))\s*(?:{})\s*:")
_NAMES = re.compile(
    rf"\b(?:{any_of([*_listed('events', 'page'), *_listed('holidays', 'says')])})\b", re.IGNORECASE
)
_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?"
_WEEKDAYS = re.compile(rf"\(?\b{_WEEKDAY}(?:\s*[-–—]\s*{_WEEKDAY})?(?=[\s,;:)–—-]|$)\)?", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*\(([^)\d]+)\)")
_PARTS = re.compile(r"[;:—\n()]|(?<!Jr)\. ")
_SENTENCES = re.compile(r"(?<!Jr)\.(?:\s|$)")
_DENIED = re.compile(r"(?:no|not|except)\b", re.IGNORECASE)
_EDGES = " \t\n,;:.–—-()"


def with_calendar(document: Document) -> Document:
    """The page with what it says of days, where it is a calendar."""
    title = f"{document.title} {re.sub(r'[/_.-]', ' ', unquote(urlsplit(document.url).path))}"
    if not _CALENDAR.search(title) or _NO_CALENDAR.search(title):
        return document
    return replace(document, calendar=tuple(sorted(set(_entries(document)))))


def _entries(document: Document) -> Iterator[CalendarEntry]:
    above = terms_in(f"{document.title} {urlsplit(document.url).path.replace('/', ' ')}")
    for section in document.sections:
        terms = next(filter(None, (terms_in(one) for one in reversed(section.heading_path))), above)
        for line in (line for block in section.blocks for line in block.text.split("\n")):
            for name, days, own in _named(line):
                span = in_year_of(days, own or terms)
                if span and span[0] <= span[1] <= span[0] + MOST_DAYS:
                    yield CalendarEntry(*span, name, document.url)


def _named(line: str) -> Iterator[tuple[str, WrittenDays, Sequence[Term]]]:
    """Each stretch of days of a line with its name, and the terms that its own cell names.

    "Final examinations — Fall 2026: Dec 7–10; Winter 2027: Mar 15–18" has the name before its cells.
    """
    head, dash, cells = line.partition(" — ")
    if dash and not days_in(head):
        for cell in cells.split(";"):
            for days in days_in(cell):
                within = _IN_BRACKETS.match(cell, days.end)
                if name := _name(within[1]) if within else _name(head):
                    yield name, days, terms_in(cell[: days.start])
        return
    found = days_in(line)
    rest = line[found[0].end : found[1].start if len(found) > 1 else None] if found else ""
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

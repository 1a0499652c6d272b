"""Records of short lines below each other, such as a person's name, post, telephone and room."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise

from server.academic_terms import days_in
from server.ask.quoting.day_fit import weekdays_of
from server.ask.quoting.lines import (
    Lines,
    Span,
    has_end,
    line_start,
    lines_of,
    part_around,
    run_in_block,
    run_of,
    sentences_in,
)
from server.ask.quoting.posts import is_person
from server.models import Passage
from server.models.table_rows import read_row
from server.sentences import sentences

# A record's line has no more characters, and a record no more lines.
RECORD_CHARS, RECORD_LINES = 100, 12
# In a block of its own it may have longer ones: a talk's title.
BLOCK_CHARS = 250
# So many records at least stand below each other, and so many lines alike end one each.
LEAST_RECORDS, LEAST_CLOSED = 2, 3
# So many of the records that end alike have no line too many: one that lacks its end passes for two.
MOSTLY_CLOSED = 0.75
# A name with its address in one line, which begins a record: "Dana Ruiz druiz@example.edu".
_NAMED_ADDRESS = re.compile(r"(?:[^\W\d_][\w.'’-]*,? ){2,6}\(?[\w.+-]+@\S+\.\w+\)?")
# What every record may have several of.
PLAIN_SORTS = ("words", "number")
# Of a line that tells whom to reach and where, each part is short: "Weld Hall 140. (802) 555-0139."
CONTACT_CHARS, CONTACT_WORDS = 40, 6

# "Room: 140"
FIELD = re.compile(r"[^.:;!?\n]{2,60}: \S.*")
# How to reach someone; of an office the whole line is quoted: its room, its chair, its telephone.
_CONTACT_PARTS = re.compile(r"[.,;:|•]\s+|\s[-–—]\s")
_CONTACT = re.compile(r"\(?\d{3}\)?[ .-]?\d{3}[ .-]\d{4}|\S@\S+\.\w")


def is_contact(line: str) -> bool:
    """Whether it tells how to reach someone, in short parts: "Hall 140. Chair: Ann Bell, (802) 555-0139"."""
    if not _CONTACT.search(line):
        return False
    are_short = all(len(part.split()) <= CONTACT_WORDS for part in _CONTACT_PARTS.split(line))
    return are_short or len(line) <= CONTACT_CHARS * len(sentences(line))


def is_empty_field(text: str, line: str) -> bool:
    """Whether it is a label without a value, which other lines of the passage have."""
    return line.endswith(":") and f"\n{line.strip()} " in text


def record_around(text: str, spans: Sequence[Span], i: int) -> tuple[int, int] | None:
    """The first and last sentence of the record in which `i` stands; None where it stands in none.

    Without it the telephone above a name, that of somebody else, would be as good as the one below it.
    """
    run = run_of(text, spans, i, partial(_may_be_in_record, text))
    if run is None:
        return None
    lines = lines_of(text, spans, run)
    if _is_one(lines):
        return run
    return sentences_in(text, spans, run, _lines_with(line_start(text, spans[i]), lines))


def record_in_block(
    passage: Passage, spans: Sequence[Span], i: int, *, dated: bool
) -> tuple[int, int] | None:
    """The first and last sentence of the block around `i` whose lines tell of one person, office or event;
    None for a block of one line, or of several things.

    Where days are asked for (`dated`), a block of several days is no record: each line answers for its own.
    """
    text, run = passage.text, run_in_block(passage, spans, i)
    lines = lines_of(text, spans, run)
    around = run_of(text, spans, i, partial(_may_be_in_record, text)) or run
    closing = _closing_line(lines_of(text, spans, around))
    own = [start for start, line in lines.items() if _is_told(line, closing)]
    is_record = line_start(text, spans[i]) in own and _tell_of_one([lines[one] for one in own], dated=dated)
    return sentences_in(text, spans, run, own) if is_record else None


def _tell_of_one(lines: Sequence[str], *, dated: bool) -> bool:
    if not 1 < len(lines) <= RECORD_LINES or any(len(line) > BLOCK_CHARS or read_row(line) for line in lines):
        return False
    told = [sort for sort in map(_sort_of, lines) if sort not in PLAIN_SORTS]
    days = sum(_names_days(line) for line in lines if dated or not FIELD.fullmatch(line))
    return len(told) == len(set(told)) and days <= 1 and bool(told or days or is_person(lines[0]))


def _names_days(line: str) -> bool:
    return bool(weekdays_of(line) or any(days_in(line)))


def _may_be_in_record(text: str, line: str) -> bool:
    is_whole = not has_end(line) or is_empty_field(text, line)
    return len(line) <= RECORD_CHARS and is_whole and not read_row(line)


def _is_one(lines: Lines) -> bool:
    """Whether they are a single record, which links or a picture part from the others."""
    sorts = [_sort_of(line) for line in lines.values()]
    told = [sort for sort in sorts if sort not in PLAIN_SORTS]
    return 1 < len(told) == len(set(told)) < len(lines) <= RECORD_LINES and _has_contact(lines.values())


def _lines_with(here: int, lines: Lines) -> list[int]:
    """Where the lines begin of the record that has the line `here`; none where they are no such records."""
    closing = _closing_line(lines)
    begins = _begins(lines, closing)
    own = [start for start in part_around(here, begins, lines) if _is_told(lines[start], closing)]
    if len(begins) < LEAST_RECORDS or not 1 < len(own) <= RECORD_LINES:
        return []
    said = [lines[start] for start in own]
    return own if all(map(FIELD.fullmatch, said)) or _has_contact(said) else []


def _begins(lines: Lines, closing: str) -> list[int]:
    """Where records begin: below what ends each, with a name and its address, or with what the first begins
    with, a name or "Name: …"."""
    if closing:
        return [min(lines), *_below_ends(lines, closing)]
    named = [start for start, line in lines.items() if _NAMED_ADDRESS.fullmatch(line)]
    if len(named) >= LEAST_RECORDS:
        return named
    sorts = {start: _sort_of(line) for start, line in lines.items()}
    return [start for start, sort in sorts.items() if sort == sorts[min(sorts)]]


def _below_ends(lines: Lines, closing: str) -> list[int]:
    """Where the lines begin that stand below the end of a record: the closing line, or of a record that lacks
    it a field of the sort that the others have above it."""
    above = Counter(_sort_of(lines[one]) for one, other in pairwise(lines) if lines[other] == closing)
    [(last, _)] = above.most_common(1)
    ends = {closing} if last in PLAIN_SORTS else {closing, last}
    return [
        below
        for one, below in pairwise(lines)
        if lines[below] != closing and not ends.isdisjoint((lines[one], _sort_of(lines[one])))
    ]


def _closing_line(lines: Lines) -> str:
    """The line that each of several records ends in, such as "Learn more"; "" where none does."""
    said = list(lines.values())
    for line, count in Counter(line for line in said if ":" not in line).most_common():
        if count < LEAST_CLOSED:
            break
        places = [n for n, one in enumerate(said) if one == line]
        lengths = [after - before for before, after in pairwise(places)]
        usual = sum(length <= RECORD_LINES + 1 for length in lengths)
        if min(lengths) > 2 and usual >= MOSTLY_CLOSED * len(lengths):
            return line
    return ""


def _is_told(line: str, closing: str) -> bool:
    """Whether a line tells of its record: not "Learn more", which each ends in, but the room of all."""
    return line != closing or any(letter.isdigit() for letter in line)


def _has_contact(lines: Iterable[str]) -> bool:
    return any(map(_CONTACT.search, lines))


def _sort_of(line: str) -> str:
    """What a line of a record is: its label, or how to reach someone, or words, or words and numbers."""
    if FIELD.fullmatch(line):
        return line.split(":", maxsplit=1)[0].casefold()
    if "@" in line:
        return "@"
    if _CONTACT.search(line):
        return "telephone"
    return "number" if any(letter.isdigit() for letter in line) else "words"

"""What of a passage belongs together and is quoted whole: a list with its lead, a label with its value.

A line of a passage is a block of its page: a paragraph, an item, a table's row (server/ingest/extract/).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from server.lexicons import any_of, lexicon
from server.models.table_rows import read_row
from server.sentences import sentences

Span = tuple[int, int]

# A unit of more characters is cut.
MOST_CHARS = 1500
# A line of fewer characters without an end is a label, and no answer without what follows.
LABEL_CHARS = 40
# What a sentence of fewer characters says is told by the next one too: "Yes." "It depends."
SHORT_CHARS = 15
# A sentence is quoted with the rest of its paragraph, or as much of it as has no more characters: what it
# says is often told in two, and the second has the price (docs/answers.md, "Quoting").
PARAGRAPH_CHARS = 400
# A line of more characters or sentences is a paragraph, and no item of a list.
ITEM_CHARS, ITEM_SENTENCES = 250, 2

MOST_BETWEEN = 2
# Entries of a list without a lead, at least so many in a row: "Small Data Lab: Students take on …", "Chess".
LEAST_ENTRIES, ENTRY_CHARS = 2, 400
# A record of short lines, such as a person's name, post, telephone and room, and no longer.
RECORD_CHARS, RECORD_LINES = 100, 12
# So many lines alike, each some lines below the other, end a record each.
LEAST_CLOSED = 3
# What every record may have several of.
PLAIN_SORTS = ("words", "number")
# Of a line that tells whom to reach and where, each part is short: "Weld Hall 140. (802) 555-0139."
CONTACT_CHARS = 40

_LEXICON = lexicon("continuations")
_LEANS, _BOUNDS = (
    re.compile(rf"[\"'“‘(]?(?:{any_of(_LEXICON[name])})\b", re.IGNORECASE) for name in ("leans", "bounds")
)
# A row of a table whose columns have no names: "6 — Tannery Building; Career Center. Elevator."
_UNNAMED_ROW = re.compile(r"\s*[^.!?;—\n]{1,60} — [^—\n]{1,80}; [^—\n]{1,300}")
# How to reach someone; of an office the whole line is quoted: its room, its chair, its telephone.
_CONTACT = re.compile(r"\(?\d{3}\)?[ .-]?\d{3}[ .-]\d{4}|\S@\S+\.\w")
_STEP = re.compile(r"\d{1,2}[.)]\s")
_ENTRY = re.compile(r"[^.:;!?\n]{2,60}: \S.*")
_MARKS = re.compile(r"(?:\s*\[\d{1,3}\])+$")
_ENDS = re.compile(r"[.!?…:;,][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """From which character to which one it goes, and how many of its lines it had to leave out."""

    start: int
    end: int
    left: int = 0


NOTHING = Unit(0, 0)


def unit_of(text: str, spans: Sequence[Span], i: int, *, whole: bool = False, paragraph: bool = True) -> Unit:
    """What belongs together with the sentence `i`; `spans` are the sentences that may be shown.

    It goes over no gap: where a sentence between may not be shown, the unit ends before it. Of a table it is
    the row, or all of its rows where a `whole` one is asked for, and so are entries below one heading. A
    sentence brings the rest of its short `paragraph`, unless other days' lines would come with it.
    """
    said = [text[start:end] for start, end in spans]
    line = _line(text, spans[i])
    if read_row(line):
        together = _is_next_row if whole else _same_line
        return _bounded(text, spans, *_run_around(spans, i, partial(together, text)), i)
    if _UNNAMED_ROW.fullmatch(line):
        return _bounded(text, spans, *_run_around(spans, i, partial(_same_line, text)), i)
    first = _lead_of(text, spans, said, i)
    is_led = _is_lead(text, said[first])
    last = first if is_led else i
    if is_led or _STEP.match(line):
        last = _end_of_list(text, spans, said, max(first, i))
    elif whole and (entries := _entries_around(text, spans, i)):
        first, last = entries
    elif record := _record_around(text, spans, i):
        first, last = record
    elif _is_label(text, spans, said, i):
        last = _value_of(text, spans, said, i)
    elif _is_contact(line):
        first, last = _run_around(spans, i, partial(_same_line, text))
    else:
        first, last = _sentences_with(text, spans, said, i)
        if paragraph:
            first, last = _with_paragraph(text, spans, first, last)
    return _bounded(text, spans, first, last, i)


def stands_apart(text: str) -> bool:
    """Whether a unit is shown on lines of its own: a list, a table's row, a line that has no end."""
    if "\n" in text.strip() or read_row(text) or _UNNAMED_ROW.fullmatch(text):
        return True
    return _ENDS.search(_MARKS.sub("", text)) is None


def _run_around(spans: Sequence[Span], i: int, together: Callable[[Span, Span], bool]) -> tuple[int, int]:
    """The first and last sentence that go together with `i`, each with the next."""
    first = last = i
    while first and together(spans[first - 1], spans[first]):
        first -= 1
    while last + 1 < len(spans) and together(spans[last], spans[last + 1]):
        last += 1
    return first, last


def _is_contact(line: str) -> bool:
    """Whether it tells how to reach someone, in short parts."""
    return bool(_CONTACT.search(line)) and len(line) <= CONTACT_CHARS * len(sentences(line))


def _entries_around(text: str, spans: Sequence[Span], i: int) -> tuple[int, int] | None:
    """The first and last sentence of the entries among which `i` stands; None for no entries."""
    if not _may_be_entry(_line(text, spans[i])):
        return None
    first, last = _run_around(spans, i, partial(_is_next_entry, text))
    entries = {_line_start(text, span) for span in spans[first : last + 1] if _is_entry(_line(text, span))}
    return (first, last) if len(entries) >= LEAST_ENTRIES else None


def _record_around(text: str, spans: Sequence[Span], i: int) -> tuple[int, int] | None:
    """The first and last sentence of the record in which `i` stands, one of several below each other.

    A record begins with what the run of short lines begins with, a name or "Name: …", and has lines of other
    sorts: "Ann Field, af@x.edu", "Advisor", "555-0101", "Room 4". Without it the telephone above a name, that
    of somebody else, would be as good as the one below it. None for lines that are no such records.
    """
    if not _may_be_in_record(text, spans[i]):
        return None
    first, last = _run_around(spans, i, partial(_is_next_in_record, text))
    lines = {_line_start(text, span): _line(text, span) for span in spans[first : last + 1]}
    sorts = {start: _sort_of(line) for start, line in lines.items()}
    told = [sort for sort in sorts.values() if sort not in PLAIN_SORTS]
    is_one = 1 < len(told) == len(set(told)) < len(lines) <= RECORD_LINES
    if is_one and any(_CONTACT.search(line) for line in lines.values()):  # links part it from the others
        return first, last
    if closing := _closing_line(lines):
        begins = [min(lines), *(start for before, start in pairwise(lines) if lines[before] == closing)]
    else:
        begins = [start for start, sort in sorts.items() if sort == sorts[min(sorts)]]
    here = _line_start(text, spans[i])
    begin = max(start for start in begins if start <= here)
    end = min((start for start in begins if start > here), default=len(text))
    own = [start for start in lines if begin <= start < end and lines[start] != closing]
    if len(begins) < LEAST_ENTRIES or not 1 < len(own) <= RECORD_LINES:
        return None
    labelled = all(_ENTRY.fullmatch(lines[start]) for start in own)
    if not labelled and not any(_CONTACT.search(lines[start]) for start in own):
        return None
    inside = [k for k in range(first, last + 1) if _line_start(text, spans[k]) in own]
    return inside[0], inside[-1]


def _closing_line(lines: Mapping[int, str]) -> str:
    """The line that each of several records ends in, such as "Learn more"; "" where none does."""
    said = list(lines.values())
    for line, count in Counter(line for line in said if ":" not in line).most_common():
        if count < LEAST_CLOSED:
            break
        places = [n for n, one in enumerate(said) if one == line]
        if all(2 < after - before <= RECORD_LINES + 1 for before, after in pairwise(places)):
            return line
    return ""


def _may_be_in_record(text: str, span: Span) -> bool:
    line = _line(text, span)
    is_whole = not _ENDS.search(line) or _is_empty_field(text, line)
    return len(line) <= RECORD_CHARS and is_whole and not read_row(line)


def _is_next_in_record(text: str, one: Span, other: Span) -> bool:
    return _next_to(text, one, other) and all(_may_be_in_record(text, span) for span in (one, other))


def _sort_of(line: str) -> str:
    """What a line of a record is: its label, or how to reach someone, or words, or words and numbers."""
    if _ENTRY.fullmatch(line):
        return line.split(":", maxsplit=1)[0].casefold()
    if "@" in line:
        return "@"
    if _CONTACT.search(line):
        return "telephone"
    return "number" if any(letter.isdigit() for letter in line) else "words"


def _is_entry(line: str) -> bool:
    return bool(len(line) <= ENTRY_CHARS and _ENTRY.fullmatch(line) and not read_row(line))


def _may_be_entry(line: str) -> bool:
    """Whether it is an entry, or as short and without an end as an item between entries."""
    return _is_entry(line) or (len(line) <= ITEM_CHARS and not _ENDS.search(line) and not read_row(line))


def _is_next_entry(text: str, one: Span, other: Span) -> bool:
    return _next_to(text, one, other) and all(_may_be_entry(_line(text, span)) for span in (one, other))


def _is_next_row(text: str, one: Span, other: Span) -> bool:
    above, below = read_row(_line(text, one)), read_row(_line(text, other))
    return bool(_next_to(text, one, other) and above and below and above.columns == below.columns)


def _line(text: str, span: Span) -> str:
    """The line in which a sentence stands."""
    end = text.find("\n", span[1])
    return text[_line_start(text, span) : end if end >= 0 else len(text)]


def _line_start(text: str, span: Span) -> int:
    return text.rfind("\n", 0, span[0]) + 1


def _next_to(text: str, one: Span, other: Span) -> bool:
    """Whether nothing is between two; what is not shown of a passage are spaces in its place."""
    between = text[one[1] : other[0]]
    return len(between) <= MOST_BETWEEN and not between.strip()


def _same_line(text: str, one: Span, other: Span) -> bool:
    return _next_to(text, one, other) and "\n" not in text[one[1] : other[0]]


def _is_item(text: str, span: Span) -> bool:
    """Whether a sentence's line may be an item of a list."""
    line = _line(text, span)
    return len(line) <= ITEM_CHARS and len(sentences(line)) <= ITEM_SENTENCES and not read_row(line)


def _is_lead(text: str, sentence: str) -> bool:
    """Whether a list may follow it: it ends in a colon, and is no empty field of a record ("Phone:")."""
    return sentence.endswith(":") and not _is_empty_field(text, sentence)


def _is_empty_field(text: str, line: str) -> bool:
    """Whether it is a label without a value, which other lines of the passage have."""
    return line.endswith(":") and f"\n{line.strip()} " in text


def _lead_of(text: str, spans: Sequence[Span], said: Sequence[str], i: int) -> int:
    """The sentence that leads in to the list in which `i` stands, or the first of numbered steps; or `i`."""
    first = i
    while _is_item(text, spans[first]) and not _is_lead(text, said[first]):
        is_near = first and spans[i][1] - spans[first - 1][0] <= MOST_CHARS
        if not is_near or not _next_to(text, spans[first - 1], spans[first]):
            break
        first -= 1
    if _is_lead(text, said[first]):
        return first
    first = i
    while first and _STEP.match(_line(text, spans[first])) and _STEP.match(_line(text, spans[first - 1])):
        if not _next_to(text, spans[first - 1], spans[first]):
            break
        first -= 1
    return first


def _end_of_list(text: str, spans: Sequence[Span], said: Sequence[str], i: int) -> int:
    """The last sentence of the list that goes on after `i`: before the next lead, row or gap."""
    is_numbered = _STEP.match(_line(text, spans[i])) or (
        i + 1 < len(spans) and _STEP.match(_line(text, spans[i + 1]))
    )
    last = i
    while last + 1 < len(spans) and _next_to(text, spans[last], spans[last + 1]):
        line = _line(text, spans[last + 1])
        is_other = not _STEP.match(line) if is_numbered else not _is_item(text, spans[last + 1])
        if _is_lead(text, said[last + 1]) or is_other:
            break
        last += 1
    return last


def _is_label(text: str, spans: Sequence[Span], said: Sequence[str], i: int) -> bool:
    """Whether a line names what stands below it: short, and without an end."""
    return (
        _line(text, spans[i]).strip() == said[i]
        and len(said[i]) <= LABEL_CHARS
        and not _ENDS.search(said[i])
        and ": " not in said[i]
    )


def _value_of(text: str, spans: Sequence[Span], said: Sequence[str], i: int) -> int:
    """The line below a label, to its end; the label alone where that is one too, as among links."""
    last = i
    if (
        i + 1 < len(spans)
        and _next_to(text, spans[i], spans[i + 1])
        and not _is_label(text, spans, said, i + 1)
    ):
        last = i + 1
        while last + 1 < len(spans) and _same_line(text, spans[last], spans[last + 1]):
            last += 1
    return last


def _sentences_with(text: str, spans: Sequence[Span], said: Sequence[str], i: int) -> tuple[int, int]:
    """The sentence with the one that it leans on, and those that lean on it or bound it."""
    first = last = i
    if i and _LEANS.match(said[i]) and _same_line(text, spans[i - 1], spans[i]):
        first = i - 1
    while last + 1 < len(spans) and _same_line(text, spans[last], spans[last + 1]):
        if not (
            _LEANS.match(said[last + 1]) or _BOUNDS.match(said[last + 1]) or len(said[last]) < SHORT_CHARS
        ):
            break
        last += 1
    return first, last


def _with_paragraph(text: str, spans: Sequence[Span], first: int, last: int) -> tuple[int, int]:
    """These sentences with the next ones of their line, then those before, while they are short enough."""
    while last + 1 < len(spans) and _same_line(text, spans[last], spans[last + 1]):
        if spans[last + 1][1] - spans[first][0] > PARAGRAPH_CHARS:
            break
        last += 1
    while first and _same_line(text, spans[first - 1], spans[first]):
        if spans[last][1] - spans[first - 1][0] > PARAGRAPH_CHARS:
            break
        first -= 1
    return first, last


def _bounded(text: str, spans: Sequence[Span], first: int, last: int, i: int) -> Unit:
    """From the one sentence to the other, less what is too much: the end first, then what is before `i`."""
    every = {_line_start(text, span) for span in spans[first : last + 1]}
    while last > i and spans[last][1] - spans[first][0] > MOST_CHARS:
        last -= 1
    while first < i and spans[last][1] - spans[first][0] > MOST_CHARS:
        first += 1
    kept = {_line_start(text, span) for span in spans[first : last + 1]}
    return Unit(spans[first][0], spans[last][1], len(every - kept))

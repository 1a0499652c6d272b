"""What of a passage belongs together and is quoted whole: a list with its lead, a label with its value.

A line of a passage is a block of its page: a paragraph, an item, a table's row (server/ingest/extract/).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from server.ask.grounding.evidence import planted_spans
from server.ask.quoting.day_entries import entry_around
from server.ask.quoting.lines import (
    Span,
    has_end,
    line_of,
    line_start,
    next_to,
    run_around,
    run_in_block,
    run_of,
    same_line,
)
from server.ask.quoting.posts import post_around
from server.ask.quoting.records import FIELD, is_contact, is_empty_field, record_around, record_in_block
from server.lexicons import any_of, lexicon
from server.models import Passage
from server.models.table_rows import read_row
from server.sentences import sentences

# A unit of more characters is cut.
MOST_CHARS = 1500
# A line of fewer characters without an end is a label, and no answer without what follows.
LABEL_CHARS = 40
# What a sentence of fewer characters says is told by the next one too: "Yes." "It depends."
SHORT_CHARS = 15
# A sentence is quoted with the rest of its paragraph, or as much of it as has no more characters: what it
# says is often told in two, and the second has the price (docs/answers.md, "Quoting").
PARAGRAPH_CHARS = 400
# A line of more characters below entries, which is none, is no item of theirs.
SENTENCE_CHARS = 80
# A line of more characters or sentences is a paragraph, and no item of a list.
ITEM_CHARS, ITEM_SENTENCES = 250, 2

# Entries of a list without a lead, at least so many in a row: "Small Data Lab: Students take on …", "Chess".
LEAST_ENTRIES, ENTRY_CHARS = 2, 400

_LEXICON = lexicon("continuations")
_LEANS, _BOUNDS = (
    re.compile(rf"[\"'“‘(]?(?:{any_of(_LEXICON[name])})\b", re.IGNORECASE) for name in ("leans", "bounds")
)
_REFERS = _LEXICON.pattern("refers", r"\b(?:{})\b")
# A row of a table whose columns have no names: "6 — Tannery Building; Career Center. Elevator."
_UNNAMED_ROW = re.compile(r"\s*[^.!?;—\n]{1,60} — [^—\n]{1,80}; [^—\n]{1,300}")
# A sentence whose last words stand on a line of their own: "Send mail to", "gripe@…".
_BROKEN_OFF = re.compile(r"\w,? \b(?:to|at|by|of|the|from|for|with|in|is|are|or|and)\s*$")
_FOLLOWING = re.compile(r"\bfollowing\b[^.:!?\n]{0,40}[,;–—-]?$", re.IGNORECASE)
# What leads in to conditions, and what says that they follow.
_WHOSE = _LEXICON.pattern("whose", r"(?:{})\s*:")
_ANNOUNCES = _LEXICON.pattern("announces", r"\b(?:{})\b")
# An answer that says nothing without its question.
_BARE = re.compile(r"(?:yes|no|sí)[.!]?", re.IGNORECASE)
_STEP = re.compile(r"\d{1,2}[.)]\s")
_MARKS = re.compile(r"(?:\s*\[\d{1,3}\])+$")
# Blocks (`BlockKind`) of one thing below the other.
_LISTS = frozenset({"list", "steps", "links"})


@dataclass(frozen=True, slots=True)
class Unit:
    """From which character to which one it goes, and how many of its lines it had to leave out.

    `is_record`: it is what a page tells of one person or office, below each other.
    """

    start: int
    end: int
    left: int = 0
    is_record: bool = False


NOTHING = Unit(0, 0)


def unit_of(
    passage: Passage, spans: Sequence[Span], i: int, *, whole: bool = False, paragraph: bool = True
) -> Unit:
    """What belongs together with the sentence `i`; `spans` are the passage's sentences that may be shown.

    It goes over no gap: where a sentence between may not be shown, the unit ends before it. Of a table it is
    the row, or all of its rows where a `whole` one is asked for, and so are entries below one heading. A
    sentence brings the rest of its short `paragraph`, unless other days' lines would come with it. A bare
    "Yes." goes with its question, which is no sentence that may be shown by itself.
    """
    unit, text = _unit_of(passage, spans, i, whole, paragraph), passage.text
    if not _BARE.fullmatch(text[unit.start : unit.end]):
        return unit
    above = text[: unit.start].rstrip()
    asked = sentences(above)[-1:] if above.endswith("?") else []
    is_safe = bool(asked) and not planted_spans(above[slice(*asked[0])])
    return replace(unit, start=asked[0][0]) if is_safe else unit


def _unit_of(passage: Passage, spans: Sequence[Span], i: int, whole: bool, paragraph: bool) -> Unit:
    text = passage.text
    said = [text[start:end] for start, end in spans]
    line = line_of(text, spans[i])
    if read_row(line):
        together = _is_next_row if whole else same_line
        return _bounded(text, spans, *run_around(spans, i, partial(together, text)), i)
    if _UNNAMED_ROW.fullmatch(line):
        return _bounded(text, spans, *run_around(spans, i, partial(same_line, text)), i)
    may_be_record = not whole and passage.kind_at(spans[i][0]) not in _LISTS
    if may_be_record and (record := record_in_block(passage, spans, i, dated=not paragraph)):
        return replace(_bounded(text, spans, *record, i), is_record=True)
    first = _lead_of(text, spans, said, i)
    is_led = _is_lead(text, said[first])
    last = first if is_led else i
    if is_led or _STEP.match(line):
        last = _end_of_list(text, spans, said, max(first, i))
    elif whole and (entries := _entries_around(text, spans, i)):
        first, last = entries
    elif record := (
        entry_around(text, spans, i) or record_around(text, spans, i) or post_around(text, spans, i)
    ):
        return replace(_bounded(text, spans, *record, i), is_record=True)
    elif _is_label(text, spans, said, i):
        last = _value_of(passage, spans, said, i)
    elif is_contact(line):
        first, last = run_around(spans, i, partial(same_line, text))
    else:
        first, last = with_leaning(text, spans, i)
        if paragraph:
            first, last = _with_paragraph(text, spans, first, last)
            if last > i and _is_lead(text, said[last]):
                last = _end_of_list(text, spans, said, last)
        first, last = _with_broken_off(text, spans, said, first, last)
    while first and _is_of_conditions(text, spans, said, first):
        first -= 1
    return _bounded(text, spans, first, last, i)


def is_step(text: str, span: Span) -> bool:
    """Whether a line is one of numbered lines below each other: "2. Are there any fees?" may ask."""
    begin, below = line_start(text, span), text.find("\n", span[0]) + 1
    beside = [line_start(text, (begin - 1, begin))] * (begin > 0) + [below] * (below > 0)
    return bool(_STEP.match(text, begin)) and any(_STEP.match(text, start) for start in beside)


def is_numbered(text: str) -> bool:
    """Whether a text begins as a step does: "2. Are there any fees?"."""
    return _STEP.match(text) is not None


def stands_apart(text: str) -> bool:
    """Whether a unit is shown on lines of its own: a list, a table's row, a line that has no end."""
    if "\n" in text.strip() or read_row(text) or _UNNAMED_ROW.fullmatch(text):
        return True
    return not has_end(_MARKS.sub("", text))


def _is_of_conditions(text: str, spans: Sequence[Span], said: Sequence[str], first: int) -> bool:
    """Whether what begins there says under which conditions something holds that stands before it: "You may
    be paid back if you meet all of the requirements listed below. All of these must be true. You: …"."""
    begins = _WHOSE.match(said[first]) or _ANNOUNCES.search(said[first])
    is_announced = bool(begins and _ANNOUNCES.search(said[first - 1]))
    return is_announced and next_to(text, *spans[first - 1 : first + 1])


def _with_broken_off(
    text: str, spans: Sequence[Span], said: Sequence[str], first: int, last: int
) -> tuple[int, int]:
    """These with the lines in which what they say goes on: "Send mail to", "one thing, or"."""
    while last + 1 < len(spans) and _BROKEN_OFF.search(said[last]) and next_to(text, *spans[last : last + 2]):
        last += 1
    while first and _BROKEN_OFF.search(said[first - 1]) and next_to(text, *spans[first - 1 : first + 1]):
        first -= 1
    return first, last


def _entries_around(text: str, spans: Sequence[Span], i: int) -> tuple[int, int] | None:
    """The first and last sentence of the entries among which `i` stands; None for no entries."""
    run = run_of(text, spans, i, _may_be_entry)
    if run is None:
        return None
    first, last = run
    entries = {line_start(text, span) for span in spans[first : last + 1] if _is_entry(line_of(text, span))}
    return (first, last) if len(entries) >= LEAST_ENTRIES else None


def _is_entry(line: str) -> bool:
    return bool(len(line) <= ENTRY_CHARS and FIELD.fullmatch(line) and not read_row(line))


def _may_be_entry(line: str) -> bool:
    """Whether it is an entry, or as short and without an end as an item between entries."""
    return _is_entry(line) or (len(line) <= ITEM_CHARS and not has_end(line) and not read_row(line))


def _is_next_row(text: str, one: Span, other: Span) -> bool:
    above, below = read_row(line_of(text, one)), read_row(line_of(text, other))
    return bool(next_to(text, one, other) and above and below and above.columns == below.columns)


def _is_item(text: str, span: Span) -> bool:
    """Whether a sentence's line may be an item of a list."""
    line = line_of(text, span)
    return len(line) <= ITEM_CHARS and len(sentences(line)) <= ITEM_SENTENCES and not read_row(line)


def _ends_entries(text: str, above: Span, span: Span) -> bool:
    """Whether a sentence only follows a list of entries: "1996: Bo Lind", "To be listed, write to …"."""
    line = line_of(text, span)
    return len(line) > SENTENCE_CHARS and not _is_entry(line) and _is_entry(line_of(text, above))


def _is_lead(text: str, sentence: str) -> bool:
    """Whether a list may follow it: it ends in a colon, and is no empty field of a record ("Phone:"); or it
    says "one of the following" and has no end."""
    if sentence.endswith(":"):
        return not is_empty_field(text, sentence)
    return _FOLLOWING.search(sentence) is not None


def _lead_of(text: str, spans: Sequence[Span], said: Sequence[str], i: int) -> int:
    """The sentence that leads in to the list in which `i` stands, or the first of numbered steps; or `i`."""
    first = i
    while _is_item(text, spans[first]) and not _is_lead(text, said[first]):
        if first == i and first and _ends_entries(text, spans[first - 1], spans[first]):
            break
        is_near = first and spans[i][1] - spans[first - 1][0] <= MOST_CHARS
        if not is_near or not next_to(text, spans[first - 1], spans[first]):
            break
        first -= 1
    if _is_lead(text, said[first]):
        return first
    first = i
    while first and _STEP.match(line_of(text, spans[first])) and _STEP.match(line_of(text, spans[first - 1])):
        if not next_to(text, spans[first - 1], spans[first]):
            break
        first -= 1
    return first


def _end_of_list(text: str, spans: Sequence[Span], said: Sequence[str], i: int) -> int:
    """The last sentence of the list that goes on after `i`: before the next lead, row or gap."""
    is_numbered = _STEP.match(line_of(text, spans[i])) or (
        i + 1 < len(spans) and _STEP.match(line_of(text, spans[i + 1]))
    )
    last = i
    while last + 1 < len(spans) and next_to(text, spans[last], spans[last + 1]):
        line = line_of(text, spans[last + 1])
        is_other = not _STEP.match(line) if is_numbered else not _is_item(text, spans[last + 1])
        if _is_lead(text, said[last + 1]) or is_other:
            break
        last += 1
    return last


def _is_label(text: str, spans: Sequence[Span], said: Sequence[str], i: int) -> bool:
    """Whether a line names what stands below it: short, and without an end."""
    return (
        line_of(text, spans[i]).strip() == said[i]
        and len(said[i]) <= LABEL_CHARS
        and not has_end(said[i])
        and ": " not in said[i]
    )


def _value_of(passage: Passage, spans: Sequence[Span], said: Sequence[str], i: int) -> int:
    """The line below a label, to its end, or the whole list below a label that is no item of it; the label
    alone where another one is below it, as among links."""
    text = passage.text
    if i + 1 == len(spans) or not next_to(text, spans[i], spans[i + 1]):
        return i
    if _is_list_below(passage, spans[i], spans[i + 1]):
        return run_in_block(passage, spans, i + 1)[1]
    if _is_label(text, spans, said, i + 1):
        return i
    return run_around(spans, i + 1, partial(same_line, text))[1]


def _is_list_below(passage: Passage, one: Span, other: Span) -> bool:
    """Whether a list of several lines begins below a line that is not of it."""
    start, end = passage.block_at(other[0])
    return passage.kind_at(start) in _LISTS and one[1] <= start and "\n" in passage.text[start:end]


def with_leaning(text: str, spans: Sequence[Span], i: int) -> tuple[int, int]:
    """The sentence with the one that it leans on, and those that lean on it or bound it."""
    said = [text[start:end] for start, end in spans]
    first = last = i
    if i and _LEANS.match(said[i]) and same_line(text, spans[i - 1], spans[i]):
        first = i - 1
    while last + 1 < len(spans) and same_line(text, spans[last], spans[last + 1]):
        if not (
            _LEANS.match(said[last + 1]) or _BOUNDS.match(said[last + 1]) or len(said[last]) < SHORT_CHARS
        ):
            break
        last += 1
    return first, last


def refers_back(sentence: str) -> bool:
    """Whether it says little without the sentence before it: "Others pay $60.", "Not after that date."."""
    return bool(_LEANS.match(sentence) or _BOUNDS.match(sentence) or _REFERS.search(sentence))


def _with_paragraph(text: str, spans: Sequence[Span], first: int, last: int) -> tuple[int, int]:
    """These sentences with the next ones of their line, then those before, while they are short enough; but
    none begins with what leans on the one before."""
    while last + 1 < len(spans) and same_line(text, spans[last], spans[last + 1]):
        if spans[last + 1][1] - spans[first][0] > PARAGRAPH_CHARS:
            break
        last += 1
    while first and same_line(text, spans[first - 1], spans[first]):
        leans = _LEANS.match(text, spans[first][0])
        if spans[last][1] - spans[first - 1][0] > PARAGRAPH_CHARS and not leans:
            break
        first -= 1
    return first, last


def _bounded(text: str, spans: Sequence[Span], first: int, last: int, i: int) -> Unit:
    """From the one sentence to the other, less what is too much: the end first, then what is before `i`."""
    every = {line_start(text, span) for span in spans[first : last + 1]}
    while last > i and spans[last][1] - spans[first][0] > MOST_CHARS:
        last -= 1
    while first < i and spans[last][1] - spans[first][0] > MOST_CHARS:
        first += 1
    kept = {line_start(text, span) for span in spans[first : last + 1]}
    return Unit(spans[first][0], spans[last][1], len(every - kept))

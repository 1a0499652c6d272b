"""The lines of a passage, each a block of its page, and which of its sentences stand next to each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from server.models import Passage

# From which character to which one of a text it goes.
Span = tuple[int, int]
# The lines of a text by where they begin.
Lines = Mapping[int, str]

# So many characters part two sentences that stand next to each other.
MOST_BETWEEN = 2
_ENDS = re.compile(r"[.!?…:;,][\"'”’)\]]*$")


def line_spans(text: str) -> list[Span]:
    """From where to where its lines go that are not empty."""
    return [one.span() for one in re.finditer(r"[^\n]+", text)]


def line_start(text: str, span: Span) -> int:
    """Where the line begins in which a sentence stands."""
    return text.rfind("\n", 0, span[0]) + 1


def line_of(text: str, span: Span) -> str:
    """The line in which a sentence stands."""
    end = text.find("\n", span[1])
    return text[line_start(text, span) : end if end >= 0 else len(text)]


def has_end(line: str) -> bool:
    """Whether a line ends as a sentence or a lead does; a label and an item may not."""
    return _ENDS.search(line) is not None


def next_to(text: str, one: Span, other: Span) -> bool:
    """Whether nothing is between two; what is not shown of a passage are spaces in its place."""
    between = text[one[1] : other[0]]
    return len(between) <= MOST_BETWEEN and not between.strip()


def same_line(text: str, one: Span, other: Span) -> bool:
    """Whether the other one follows in the same line."""
    return next_to(text, one, other) and "\n" not in text[one[1] : other[0]]


def run_around(spans: Sequence[Span], i: int, together: Callable[[Span, Span], bool]) -> tuple[int, int]:
    """The first and last sentence that go together with `i`, each with the next."""
    first = last = i
    while first and together(spans[first - 1], spans[first]):
        first -= 1
    while last + 1 < len(spans) and together(spans[last], spans[last + 1]):
        last += 1
    return first, last


def run_of(text: str, spans: Sequence[Span], i: int, may_be: Callable[[str], bool]) -> tuple[int, int] | None:
    """The first and last sentence of the run next to each other around `i` whose lines all `may_be` in it;
    None where that of `i` may not."""
    if not may_be(line_of(text, spans[i])):
        return None

    def together(one: Span, other: Span) -> bool:
        return next_to(text, one, other) and all(may_be(line_of(text, span)) for span in (one, other))

    return run_around(spans, i, together)


def run_in_block(passage: Passage, spans: Sequence[Span], i: int) -> tuple[int, int]:
    """The first and last sentence next to each other around `i` in its block of the page."""
    begin, end = passage.block_at(spans[i][0])

    def together(one: Span, other: Span) -> bool:
        return next_to(passage.text, one, other) and all(begin <= start < end for start, _ in (one, other))

    return run_around(spans, i, together)


def lines_of(text: str, spans: Sequence[Span], run: tuple[int, int]) -> Lines:
    """The lines in which the sentences from the first to the last of a run stand."""
    return {line_start(text, span): line_of(text, span) for span in spans[run[0] : run[1] + 1]}


def part_around(here: int, begins: Sequence[int], lines: Lines) -> list[int]:
    """Where the lines begin of the part in which that of `here` is, of those parts that begin there; none
    above the first."""
    begin = max((start for start in begins if start <= here), default=None)
    end = min((start for start in begins if start > here), default=max(lines) + 1)
    return [] if begin is None else [start for start in lines if begin <= start < end]


def sentences_in(
    text: str, spans: Sequence[Span], run: tuple[int, int], starts: Sequence[int]
) -> tuple[int, int] | None:
    """The first and last sentence of a run in the lines that begin there; None where none is."""
    inside = [k for k in range(run[0], run[1] + 1) if line_start(text, spans[k]) in starts]
    return (inside[0], inside[-1]) if inside else None

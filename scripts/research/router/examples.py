"""What the router learns from: lines with their ways and parts, and visitors' questions, each of one part."""

from __future__ import annotations

import random
from dataclasses import dataclass

from corpus.routing.lines import LEARNT, Line, read_lines
from corpus.visitors.sets import is_kept_aside, read_page_questions
from server.inference.router import is_word_begin
from server.models.routing import WAYS

# Over these sites each question was written of one place of one page. Of 500 that somebody read 483 are best
# quoted for, so all are learnt as such: ordinary traffic beside lines that are hard on purpose.
OF_SITES = ("ostrander", "wendham", "aldermoor", "calverton", "pellerin", "tamsettferry", "handbook")
# So many of them. With more of those in which something stands that often parts two questions, fewer lines
# are cut that should not be, and fewer that should.
QUESTIONS = 500


@dataclass(frozen=True, slots=True)
class Example:
    """A line, the number of its way in `WAYS`, and of its words, by their first characters: with
    which further questions begin, which are left out by another question, and with which the questions begin
    of which is known whether they leave something out, and those that do."""

    line: str
    way: int
    begins: frozenset[int] = frozenset()
    shared: frozenset[int] = frozenset()
    parts_at: frozenset[int] = frozenset()
    lacks: frozenset[int] = frozenset()

    @property
    def is_shared_known(self) -> bool:
        """Whether it is known which words are left out by others."""
        return bool(self.parts_at)


def examples(rng: random.Random) -> list[Example]:
    """All lines, and questions of the sites."""
    lines = [_example(one) for one in read_lines(LEARNT)]
    asked = [
        row.question for name in OF_SITES for row in read_page_questions(name) if not is_kept_aside(row.url)
    ]
    return lines + [Example(text, WAYS.index("quote")) for text in rng.sample(asked, QUESTIONS)]


def _example(one: Line) -> Example:
    at = [_word_at(one.line, first) for first, _ in one.spans]
    shared = {
        first
        for taken in one.taken
        for begin, end in taken
        for first in range(begin, end)
        if is_word_begin(one.line, first, first + 1)
    }
    lacks = frozenset(first for first, taken in zip(at, one.taken, strict=False) if taken)
    known = frozenset(at) if one.takes else frozenset[int]()
    return Example(one.line, WAYS.index(one.way), frozenset(at[1:]), frozenset(shared), known, lacks)


def _word_at(line: str, place: int) -> int:
    """The first character of the word there: "¿cuándo" begins with its c."""
    return next(i for i in range(place, len(line)) if line[i].isalnum())

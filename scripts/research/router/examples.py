"""What the router learns from: lines with their ways and parts, and visitors' questions, each of one part."""

from __future__ import annotations

import random
from dataclasses import dataclass

from corpus.routing.lines import LEARNT, read_lines
from corpus.visitors.sets import is_kept_aside, read_page_questions
from server.models.routing import WAYS

# Over these sites each question was written of one place of one page; whether it asks back is not known.
OF_SITES = ("ostrander", "wendham", "aldermoor", "calverton", "pellerin", "tamsettferry", "handbook")
# So many of them. With more of those in which something stands that often parts two questions, fewer lines
# are cut that should not be, and fewer that should.
QUESTIONS = 300
NO_WAY = -100  # what PyTorch's cross-entropy leaves out


@dataclass(frozen=True, slots=True)
class Example:
    """A line, the number of its way in `WAYS` or `NO_WAY`, and the characters at which questions begin."""

    line: str
    way: int
    begins: frozenset[int]


def examples(rng: random.Random) -> list[Example]:
    """All lines, and questions of the sites."""
    lines = [
        Example(one.line, WAYS.index(one.way), frozenset(_word_at(one.line, i) for i in one.begins))
        for one in read_lines(LEARNT)
    ]
    asked = [
        row.question for name in OF_SITES for row in read_page_questions(name) if not is_kept_aside(row.url)
    ]
    return lines + [Example(text, NO_WAY, frozenset()) for text in rng.sample(asked, QUESTIONS)]


def _word_at(line: str, place: int) -> int:
    """The first character of the word there: "¿cuándo" begins with its c."""
    return next(i for i in range(place, len(line)) if line[i].isalnum())

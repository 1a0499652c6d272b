"""A post and whose it is: a list of staff has a person's name on one line and what they are on the next.

"Program Director" alone answers nobody who asks for the director, nor does the name without the post.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from server.ask.quoting.lines import Span, has_end, line_start, lines_of, part_around, run_of, sentences_in
from server.lexicons import any_of, lexicon
from server.models.table_rows import read_row

# A line of such a list has no more characters, and what is told of one person no more lines.
LINE_CHARS, MOST_LINES = 140, 4
# So many people at least stand below each other.
LEAST_PEOPLE = 2

_POSTS = lexicon("contacts").part("posts")
_POST = re.compile(rf"\b(?:{any_of(_POSTS['named'])})\b", re.IGNORECASE)
_NO_PERSON = re.compile(rf"\b(?:{any_of(_POSTS['no_person'])})\b", re.IGNORECASE)
_NAME = re.compile(
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms)\.? )?[A-Z][a-z'’-][\w'’.-]*(?: (?:[A-Z][\w'’-]*\.?|de|la|van|von|del|di)){1,3}"
    r"(?:,? (?:Ph\.?D|Ed\.?D|M\.?[A-Z]{1,3}|J\.?D|Jr|Sr|II|III)\.?)*"
)


def is_post(line: str) -> bool:
    """Whether a line says what somebody is: "Program Coordinator"."""
    return _POST.search(line) is not None


def is_person(line: str) -> bool:
    """Whether it may be a person's name and nothing else; that of a place, an office or a post is none."""
    return _NAME.fullmatch(line.strip()) is not None and not (is_post(line) or _NO_PERSON.search(line))


def post_around(text: str, spans: Sequence[Span], i: int) -> tuple[int, int] | None:
    """The first and last sentence of what a list of people says of one of them, around the sentence `i`; None
    where it stands in no such list, or no post is told of whom it is said of."""
    run = run_of(text, spans, i, _may_be_told)
    if run is None:
        return None
    lines = lines_of(text, spans, run)
    people = [
        start for start, below in pairwise(lines) if is_person(lines[start]) and not is_person(lines[below])
    ]
    here = line_start(text, spans[i])
    own = part_around(here, people, lines)[:MOST_LINES]
    if len(people) < LEAST_PEOPLE or here not in own or not any(is_post(lines[start]) for start in own):
        return None
    return sentences_in(text, spans, run, own)


def _may_be_told(line: str) -> bool:
    return len(line) <= LINE_CHARS and not has_end(line) and not read_row(line)

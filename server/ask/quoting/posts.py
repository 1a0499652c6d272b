"""A post and whose it is: a list of staff has a person's name on one line and what they are on the next.

"Program Director" alone answers nobody who asks for the director, nor does the name without the post.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from server.ask.quoting.lines import Span, has_end, line_start, lines_of, part_around, run_of, sentences_in
from server.lexicons import any_of, lexicon
from server.models.table_rows import read_row

# A line of such a list has no more characters, and what is told of one person no more lines.
LINE_CHARS, MOST_LINES = 140, 4
# So many people at least stand below each other.
LEAST_PEOPLE = 2

_POSTS = lexicon("contacts").part("posts")
_HELD: dict[str, str] = dict(_POSTS.part("held"))
_OTHER = re.compile(rf"\b(?:{any_of(_POSTS['other'])})\W+(?:\w+\W+){{0,2}}$", re.IGNORECASE)
_OFFICE = re.compile(rf"(?:['’]s)?\s+(?:{any_of(_POSTS['office'])})\b", re.IGNORECASE)
_POST = re.compile(rf"\b(?:{any_of(_POSTS['named'])})\b", re.IGNORECASE)
_NO_PERSON = re.compile(rf"\b(?:{any_of(_POSTS['no_person'])})\b", re.IGNORECASE)
_NAME = re.compile(
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms)\.? )?[A-Z][a-z'’-][\w'’.-]*(?: (?:[A-Z][\w'’-]*\.?|de|la|van|von|del|di)){1,3}"
    r"(?:,? (?:Ph\.?D|Ed\.?D|M\.?[A-Z]{1,3}|J\.?D|Jr|Sr|II|III)\.?)*"
)


@dataclass(frozen=True, slots=True)
class AskedPost:
    """The post that is asked about, as pages have it, and the other words of the question: of what it is."""

    post: re.Pattern[str]
    of: str


def is_post(line: str) -> bool:
    """Whether a line says what somebody is: "Program Coordinator"."""
    return _POST.search(line) is not None


def is_person(line: str) -> bool:
    """Whether it may be a person's name and nothing else; that of a place, an office or a post is none."""
    return _NAME.fullmatch(line.strip()) is not None and not (is_post(line) or _NO_PERSON.search(line))


def post_in(words: str) -> AskedPost | None:
    """The post that words name: "stats chair", "dean of ics"; None likewise, and for its office."""
    for said, held in _HELD.items():
        if found := re.search(rf"\b(?:{said})\b", words, re.IGNORECASE):
            if is_another(found):
                return None
            left = f"{words[: found.start()]} {words[found.end() :]}"
            return AskedPost(re.compile(rf"\b(?:{held})\b", re.IGNORECASE), left)
    return None


def is_of_another(asked: AskedPost, text: str) -> bool:
    """Whether a text tells of the post by no more than another one: the associate provost, the provost's
    assistant."""
    found = list(asked.post.finditer(text))
    return bool(found) and all(map(is_another, found))


def is_another(held: re.Match[str]) -> bool:
    """Whether what stands around a post makes it another one, or what belongs to it: "vice chair", "dean's
    office assistant"."""
    before = _OTHER.search(held.string, 0, held.start())
    return before is not None or _OFFICE.match(held.string, held.end()) is not None


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

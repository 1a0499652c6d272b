"""Families of kinds of people: which of them a question names, and which a passage is for.

A university says one thing to graduate students and another to undergraduates; the two are kinds of one
family (`corpus/lexicons/families.toml`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain

from server.lexicons import Lexicon, lexicon
from server.models import Passage

_WORD = r"(?<!\w)(?:{})(?!\w)"
_HERE, _PEOPLE = "\0", "students?|applicants?|people|estudiantes?"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of people. `named` shows in a heading that what is below it is for them, `asked` in a question
    that they are meant; `audience` is what a page's own kind calls them, "" where it does not know them."""

    name: str
    family: str
    named: re.Pattern[str]
    asked: tuple[re.Pattern[str], ...]
    audience: str = ""

    def is_asked(self, text: str) -> bool:
        """Whether a question, or another line of its visitor, names them."""
        return any(pattern.search(text) for pattern in self.asked)


@cache
def families() -> Mapping[str, tuple[Kind, ...]]:
    """The families with their kinds, in the lexicon's order."""
    words = lexicon("families")
    return {
        family: tuple(_kind(words.part(family), family, name) for name in words[family]) for family in words
    }


def _kind(words: Lexicon, family: str, name: str) -> Kind:
    own = words.part(name)
    audience = own.get("audience", "")
    asked = [own.pattern("asked", _WORD)]
    if audience:
        asked.append(lexicon("page_kinds").part("for").pattern(audience, _WORD))
    return Kind(name, family, own.pattern("named", _WORD), tuple(asked), audience)


def _every_kind() -> Iterator[Kind]:
    return chain.from_iterable(families().values())


def names_a_kind(text: str) -> bool:
    """Whether a line says for whom it is asked, by any kind of any family."""
    return any(kind.is_asked(text) for kind in _every_kind())


def without_kinds(text: str) -> str:
    """A line without the words that say for whom it is asked: "for grad students" is "for"."""
    for pattern in (pattern for kind in _every_kind() for pattern in kind.asked):
        text = pattern.sub(_HERE, text)
    return re.sub(rf"{_HERE}(?:\s+(?:{_PEOPLE})(?!\w))?", "", text)


def kinds_for(passage: Passage, kinds: tuple[Kind, ...]) -> frozenset[str]:
    """The kinds of one family that a passage is for, by the nearest heading above it that names any, else by
    its page; none: it is for everyone, as far as can be told."""
    for words in (*reversed(passage.heading.split(" › ")), passage.title):
        if found := frozenset(kind.name for kind in kinds if kind.named.search(words)):
            return found
    return frozenset(kind.name for kind in kinds if kind.audience and kind.audience in passage.audiences)

"""What every reader of facts is written with: a value and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

Value_co = TypeVar("Value_co", covariant=True)

DASH = r"(?:-|–|—|‐|‑|−)"


@dataclass(frozen=True, slots=True)
class Found(Generic[Value_co]):
    """A value and the characters that said it."""

    value: Value_co
    start: int
    end: int


def listed(words: str) -> list[str]:
    """The words of a text, for long lists of them."""
    return words.split()


def alternatives(words: Iterable[str]) -> str:
    """A pattern that matches any of the words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with these spans hidden behind characters that no pattern matches, everything else in
    place.
    """
    pieces, done = [], 0
    for start, end in sorted(spans):
        if end > done:
            begin = max(start, done)
            pieces += [text[done:begin], "\0" * (end - begin)]
            done = end
    return "".join([*pieces, text[done:]])

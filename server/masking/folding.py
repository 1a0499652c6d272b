"""A text as masking reads it: what phones and word processors write by themselves is put in plain characters.

Dashes of every kind are "-", runs of spaces one space, full-width and other digits 0 to 9, and characters
without width are gone. What is found in it has its place in the original.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_SPACES = "\t\u00a0"  # and whatever else Unicode calls a space, but for the ends of lines
_DASHES = "\u2212\u2043\u02d7\u2796"  # minus, hyphen bullet, modifier letter minus, heavy minus
_LONG_DASHES = "\u2013\u2014\u2015"  # which sentences have, too
_DOTS = "\u00b7\u2022\u2219\u22c5\u2027\u3002"  # middle dot, bullets, dot operator, ideographic full stop
_SLASHES = "\u2044\u2215"
_QUOTES = "\u2018\u2019\u02bc"
_NO_WIDTH = re.compile("[\ufe00-\ufe0f\u034f\u20e3]")  # variation selectors, joiner, a keycap's frame


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` to be searched; character `i` of it stood in the original from `starts[i]` to `ends[i]`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where that piece of `text`, which is not empty, stands in the original."""
        return self.starts[start], self.ends[end - 1]


def as_written(text: str) -> Folded:
    """The text itself, with 0 to 9 in place of the digits of other scripts ("٣" is 3)."""
    plain = text if text.isascii() else re.sub(r"\d", lambda digit: str(int(digit[0])), text)
    return Folded(plain, range(len(text)), range(1, len(text) + 1))


def copies_of(text: str) -> tuple[Folded, ...]:
    """What is searched: the text in plain characters; where a character without width parts a number from a
    word ("0110|please"), also with spaces there."""
    plain = folded(text)
    if text.isascii():
        return (plain,)
    parted = folded(text, parted=True)
    return (plain,) if parted.text == plain.text else (plain, parted)


def folded(text: str, *, parted: bool = False) -> Folded:
    """The text in plain characters; digits of any script are 0 to 9.

    `parted`: what has no width is a space where it stands between a number and a word.
    """
    if text.isascii() and "  " not in text and "\t" not in text:
        return as_written(text)
    plain: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for place, character in enumerate(text):
        one = _plain(character)
        may_part = parted if not one else character in _LONG_DASHES
        if may_part and _parts_word_and_number(text, place):
            one = " "
        if one == " " and plain and plain[-1] == " ":
            ends[-1] = place + 1
        elif one:
            plain.append(one)
            starts.append(place)
            ends.append(place + 1)
    return Folded("".join(plain), starts, ends)


def _parts_word_and_number(text: str, place: int) -> bool:
    """Whether a digit stands on one side and two letters on the other: "id–48392", "0110—please"."""
    before, after = text[max(0, place - 2) : place], text[place + 1 : place + 3]
    return (before[-1:].isdigit() and len(after) == 2 and after.isalpha()) or (
        after[:1].isdigit() and len(before) == 2 and before.isalpha()
    )


@lru_cache(maxsize=4_096)
def _plain(character: str) -> str:
    """The plain character for it; "" where it has no width."""
    category = unicodedata.category(character)
    if category == "Cf" or _NO_WIDTH.match(character):
        return ""
    if category == "Zs" or character in _SPACES:
        return " "
    if category == "Nd":
        return str(unicodedata.digit(character))
    same = unicodedata.normalize("NFKC", character)
    one = same if len(same) == 1 else character
    if unicodedata.category(one) == "Pd" or one in _DASHES:
        return "-"
    for likes, plain in ((_DOTS, "."), (_SLASHES, "/"), (_QUOTES, "'")):
        if one in likes:
            return plain
    return one

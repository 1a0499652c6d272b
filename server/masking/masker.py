"""Masker of one conversation, over texts folded to plain characters; and helpers for masked texts.

What phones and word processors write by themselves is put in plain characters first: dashes of every kind are
"-", runs of spaces one space, full-width and other digits 0 to 9, and characters without width are gone. What
is found in it has its place in the original.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from server.masking.checks import plain_digits
from server.masking.offices import Found, as_address, span_of
from server.masking.patterns import PATTERNS, Pattern
from server.models import Site

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
    """The text itself, with 0 to 9 in place of the digits of other scripts."""
    return Folded(plain_digits(text), range(len(text)), range(1, len(text) + 1))


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
        return Folded(text, range(len(text)), range(1, len(text) + 1))
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
    """The plain character that stands for this one; "" where it has no width."""
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


# A mask, as it stands in a text; a visitor who types one masks nothing.
_MASK = re.compile(r"\[((?!\d)[\w][\w -]{0,30}) ([0-9]{1,4})\]")
MOST_TYPED = 999  # a greater number in a mask is a visitor's own, and the next ones do not go on from it
# What is masked may lay bare what an earlier pattern would have found: "802555-0110.555-0110".
MOST_PASSES = 8


class Masker:
    """Masks one conversation: the same address or number has the same mask wherever it stands in it.

    What is `official`, the site's own contacts, is left. With `remembered`, a keyed hash, nothing of what
    was masked is kept but that, once it is told to `forget`.
    """

    def __init__(
        self,
        patterns: Sequence[Pattern] = PATTERNS,
        *,
        official: Collection[str] = (),
        remembered: Callable[[str], str] | None = None,
    ) -> None:
        self._patterns = patterns
        self._kinds = {pattern.kind for pattern in patterns}
        self._official = {_alike(one) for one in official}
        self._remembered = remembered
        self._masks: dict[str, str] = {}
        self._said: dict[str, str] = {}
        self._numbers: Counter[str] = Counter()

    def masked(self, text: str) -> str:
        """`I am ana@example.edu` → `I am [e-mail 1]`. Masks that stand in it already keep their numbers."""
        for mask in self._masks_in(text):
            if int(mask[2]) <= MOST_TYPED:
                self._numbers[mask[1]] = max(self._numbers[mask[1]], int(mask[2]))
        for _ in range(MOST_PASSES):
            before = text
            copies = copies_of(text)
            for pattern in self._patterns:
                masked = self._without(pattern, text, copies)
                if masked != text:
                    text, copies = masked, copies_of(masked)
            if text == before:
                break
        return text

    def masked_turns(self, turns: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """(role, text) turns: the user's `masked`, the assistant's `echoed`.

        What an assistant is said to have said before the user said anything is no answer, and is `masked`.
        """
        masked: list[tuple[str, str]] = []
        for role, text in turns:
            is_answer = role != "user" and any(one == "user" for one, _ in masked)
            masked.append((role, self.echoed(text) if is_answer else self.masked(text)))
        return tuple(masked)

    def echoed(self, text: str) -> str:
        """The text with only that masked which was masked before: an answer may repeat what a visitor wrote.

        The site's own addresses and numbers in it stay, for they are what the visitor asked for.
        """
        said = sorted(self._said, key=len, reverse=True)
        if not said:
            return text
        shape = re.compile("|".join(f"({_whole(own)})" for own in said), re.IGNORECASE)
        copy = folded(text)
        return _replaced(
            text,
            [
                (*copy.span(*found.span()), self._said[said[(found.lastindex or 1) - 1]])
                for found in shape.finditer(copy.text)
            ],
        )

    def forget(self) -> None:
        """Drop the masked texts; their hashes still give the same masks, but nothing is `echoed`."""
        self._said.clear()

    def _masks_in(self, text: str) -> Iterator[re.Match[str]]:
        return (mask for mask in _MASK.finditer(text) if mask[1] in self._kinds)

    def _without(self, pattern: Pattern, text: str, copies: Sequence[Folded]) -> str:
        """The text with what one pattern finds in its copies masked; masks that stand in it are left."""
        taken = bytearray(len(text))
        for mask in self._masks_in(text):
            taken[slice(*mask.span())] = b"\1" * len(mask[0])
        masked: list[tuple[int, int, str]] = []
        for copy in (*copies, as_written(text)) if pattern.as_written else copies:
            for found in pattern.shape.finditer(copy.text):
                if not self._is_personal(pattern, found):
                    continue
                start, end = copy.span(*span_of(found))
                if 1 not in taken[start:end]:
                    taken[start:end] = b"\1" * (end - start)
                    masked.append((start, end, copy.text[slice(*span_of(found))]))
        return _replaced(text, [(a, b, self._mask_of(pattern.kind, own)) for a, b, own in sorted(masked)])

    def _is_personal(self, pattern: Pattern, found: Found) -> bool:
        """Whether the match is not empty, not the site's own, and passes its pattern's check."""
        start, end = span_of(found)
        return start < end and _alike(found.string[start:end]) not in self._official and pattern.holds(found)

    def _mask_of(self, kind: str, own: str) -> str:
        key = _alike(own)
        if self._remembered:
            key = self._remembered(key)
        if key not in self._masks:
            self._numbers[kind] += 1
            self._masks[key] = f"[{kind} {self._numbers[kind]}]"
        self._said[folded(own).text or own] = self._masks[key]
        return self._masks[key]


def masker_for(
    patterns: Sequence[Pattern],
    sites: Callable[[], Iterable[Site]],
    remembered: Callable[[str], str] | None = None,
) -> Masker:
    """A masker that leaves what these sites say to turn to."""
    official = [one for site in sites() for one in site.own_contacts]
    return Masker(patterns, official=official, remembered=remembered)


def in_every_text(change: Callable[[str], str], value: Any) -> Any:
    """JSON with all its texts changed, but not its keys."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: in_every_text(change, one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [in_every_text(change, one) for one in value]
    return value


def without_masks(text: str) -> str:
    """A masked text with a space in place of every mask."""
    return _SHIPPED.sub(" ", text)


def _replaced(text: str, spans: Sequence[tuple[int, int, str]]) -> str:
    """The text with other words in place of its spans, which are in their order."""
    pieces, done = [], 0
    for start, end, other in spans:
        pieces += [text[done:start], other]
        done = end
    return "".join([*pieces, text[done:]])


def _alike(own: str) -> str:
    """A key that is the same for all spellings of one number: (802) 555-0110 and 802.555.0110.

    In an e-mail address signs count: j.doe and jdoe may be two people.
    """
    plain = as_address(folded(own).text.casefold())
    return plain if "@" in plain else re.sub(r"\W", "", plain)


def _whole(own: str) -> str:
    """A pattern of just that: a number is not found within a longer one."""
    before = r"(?<!\d)" if own[0].isdecimal() else ""
    after = r"(?!\d)" if own[-1].isdecimal() else ""
    return before + re.escape(own) + after


_SHIPPED = re.compile(r"\[(?:" + "|".join(sorted({re.escape(p.kind) for p in PATTERNS})) + r") [0-9]{1,4}\]")

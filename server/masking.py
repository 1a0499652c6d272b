"""Personal data in visitors' words, put out of sight: e-mail addresses, telephone numbers, long numbers.

What counts is a table of `Pattern`s; another kind is another row of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of personal data. `kind` stands in the mask; `holds` looks twice at what `shape` has found."""

    kind: str
    shape: re.Pattern[str]
    holds: Callable[[str], bool] = lambda _found: True


# A day ("2026-03-01", "3/1/2026"), a year ("2026/27"): what a question about deadlines is full of.
_DAY = r"(?:(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)?\d\d)"
_YEAR = r"(?:(?:19|20)\d\d(?:[-/](?:19|20)?\d\d)?)"
_DATES = re.compile(rf"\s*(?:{_DAY}|{_YEAR})(?:[\s/.-]+(?:{_DAY}|{_YEAR}))*\s*")


def _is_phone(found: str) -> bool:
    """Seven digits and more, unless they are days or years."""
    digits = sum(character.isdigit() for character in found)
    return 7 <= digits <= 15 and not _DATES.fullmatch(found)


# An earlier pattern's finds are no longer there for a later one.
PATTERNS: tuple[Pattern, ...] = (
    Pattern("e-mail", re.compile(r"(?<![\w.+%'-])[\w.+%'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")),
    Pattern("number", re.compile(r"(?<![\w.,])(?:\d[ -]?){12,18}\d(?!\w)")),
    Pattern("phone", re.compile(r"(?<!\w)(?:\+|\(|00)?\d(?:[ ().\u00a0/-]{0,2}\d){5,17}(?!\w)"), _is_phone),
    Pattern("number", re.compile(r"(?<![\w.,])[A-Za-z]{0,2}\d{6,}(?!\w)")),
)


class Masker:
    """Masks one conversation: the same address or number has the same mask wherever it stands in it."""

    def __init__(self, patterns: Sequence[Pattern] = PATTERNS) -> None:
        self._patterns = patterns
        self._masks: dict[str, str] = {}

    def masked(self, text: str) -> str:
        """`I am ana@example.edu` → `I am [e-mail 1]`."""
        for pattern in self._patterns:
            text = pattern.shape.sub(partial(self._mask, pattern), text)
        return text

    def echoed(self, text: str) -> str:
        """The text with only that masked which was masked before: an answer may repeat what a visitor wrote.

        The site's own addresses and numbers in it stay, for they are what the visitor asked for.
        """
        for own in sorted(self._masks, key=len, reverse=True):
            text = text.replace(own, self._masks[own])
        return text

    def _mask(self, pattern: Pattern, match: re.Match[str]) -> str:
        found = match.group()
        if not pattern.holds(found):
            return found
        if found not in self._masks:
            number = 1 + sum(mask.startswith(f"[{pattern.kind} ") for mask in self._masks.values())
            self._masks[found] = f"[{pattern.kind} {number}]"
        return self._masks[found]


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
    return _MASK.sub(" ", text)


_MASK = re.compile(r"\[(?:" + "|".join(sorted({re.escape(p.kind) for p in PATTERNS})) + r") \d+\]")

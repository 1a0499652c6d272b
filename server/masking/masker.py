"""Masks one conversation, and what can be done with masked texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from server.masking.found import span_of
from server.masking.patterns import PATTERNS, Pattern

# A mask, as it stands in a text; a visitor who types one masks nothing.
_MASK = re.compile(r"\[((?!\d)[\w][\w -]{0,30}) (\d{1,4})\]")


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
        for mask in _MASK.finditer(text):
            if mask[1] in self._kinds:
                self._numbers[mask[1]] = max(self._numbers[mask[1]], int(mask[2]))
        for pattern in self._patterns:
            text = pattern.shape.sub(partial(self._mask, pattern), text)
        return text

    def echoed(self, text: str) -> str:
        """The text with only that masked which was masked before: an answer may repeat what a visitor wrote.

        The site's own addresses and numbers in it stay, for they are what the visitor asked for.
        """
        for own in sorted(self._said, key=len, reverse=True):
            text = text.replace(own, self._said[own])
        return text

    def forget(self) -> None:
        """Keeps no more than is needed to mask the same alike: nothing is `echoed` that was said before."""
        self._said.clear()

    def _mask(self, pattern: Pattern, found: re.Match[str]) -> str:
        start, end = (place - found.start() for place in span_of(found))
        whole = found.group()
        own = whole[start:end]
        if _alike(own) in self._official or not pattern.holds(found):
            return whole
        return whole[:start] + self._mask_of(pattern.kind, own) + whole[end:]

    def _mask_of(self, kind: str, own: str) -> str:
        key = _alike(own)
        if self._remembered:
            key = self._remembered(key)
        if key not in self._masks:
            self._numbers[kind] += 1
            self._masks[key] = f"[{kind} {self._numbers[kind]}]"
        self._said[own] = self._masks[key]
        return self._masks[key]


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


def _alike(own: str) -> str:
    """The same for all ways to write one thing: (802) 555-0110 and 802.555.0110."""
    return re.sub(r"[^\w@]", "", own.casefold())


_SHIPPED = re.compile(r"\[(?:" + "|".join(sorted({re.escape(p.kind) for p in PATTERNS})) + r") \d{1,4}\]")

"""Numbers of a question that lie in a range: "45 credits" means the line of "30–59", not "60 and more".

A table of refunds, of groups for registration or of scholarships is one of ranges, and no word of a question
names its row. A reader marks the first of them that looks like an answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from server.academic_terms import days_in
from server.ask.conversation.phrases import FUNCTION_WORDS
from server.lexicons import lexicon

_LEXICON = lexicon("ranges")
_ALONE = r"(?<![\w$€£.,:/-])(?:{})(?![\w/]|[.,:]\d|\s?[ap]\.?m\b)"
_BETWEEN, _FROM, _OVER, _UP_TO, _UNDER = (
    _LEXICON.pattern(name, _ALONE) for name in ("between", "from", "over", "up_to", "under")
)
_ASKED = re.compile(
    r"(?<![\w$€£.,:/#-])\d{1,4}(?:\.\d{1,2})?(?![\d:/$€£]|[.,]\d|\s?[ap]\.?m\b|-\d)", re.IGNORECASE
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORD = re.compile(r"[^\W\d_]{2,}")
_DASHES = str.maketrans("–—−", "---")
# Words are of one kind if they begin alike: "scored" and "Score", "years" and "year".
LIKE = 4


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of a question, and the nearest words before and `beside` it that tell what is counted."""

    number: float
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NumberRange:
    """From the one number to the other, each within it or, where it is `open`, not."""

    least: float = -math.inf
    most: float = math.inf
    is_open: bool = False

    def has(self, number: float) -> bool:
        """Whether a number lies in it."""
        if self.is_open:
            return self.least < number < self.most
        return self.least <= number <= self.most


def range_of(text: str) -> NumberRange | None:
    """The first range that a short text names, a row's first cell or an item's label; None: it names none.

    Days of a month are none, nor are times, years and prices.
    """
    text = text.translate(_DASHES)
    if days_in(text):
        return None
    if (found := _BETWEEN.search(text)) and not _YEAR.fullmatch(found[1]):
        least, most = float(found[1]), float(found[2])
        return NumberRange(least, most) if least <= most else None
    for pattern, is_least, is_open in (
        (_FROM, True, False),
        (_OVER, True, True),
        (_UP_TO, False, False),
        (_UNDER, False, True),
    ):
        if found := pattern.search(text):
            end = float(next(filter(None, found.groups())))
            least, most = (end, math.inf) if is_least else (-math.inf, end)
            return NumberRange(least, most, is_open)
    return None


def place_in_ranges(numbers: Sequence[Counted], keys: Sequence[str], about: Iterable[str] = ()) -> int | None:
    """The place of the one key in whose range a number of the question lies; None: of none, or of several.

    What stands beside the number must be what the keys or the texts `about` them count: "45 credits".
    """
    if not numbers:
        return None
    ranges = [range_of(key) for key in keys]
    if sum(one is not None for one in ranges) < 2:
        return None
    counted = _beginnings(" ".join((*keys, *about)))
    found: set[int] = set()
    for one in numbers:
        if counted & _beginnings(" ".join(one.beside)):
            found |= {i for i, own in enumerate(ranges) if own and own.has(one.number)}
    return found.pop() if len(found) == 1 else None


def numbers_in(question: str) -> tuple[Counted, ...]:
    """A question's plain numbers; a day of a month, a time, a price or a year is none."""
    text = question.translate(_DASHES)
    for day in reversed(days_in(text)):
        text = text[: day.start] + " " * (day.end - day.start) + text[day.end :]
    found: list[Counted] = []
    for match in _ASKED.finditer(text):
        if _YEAR.fullmatch(match[0]):
            continue
        before, behind = _telling(text[: match.start()]), _telling(text[match.end() :])
        found.append(Counted(float(match[0]), (*before[-1:], *behind[:1])))
    return tuple(found)


def _telling(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.casefold() not in FUNCTION_WORDS]


def _beginnings(text: str) -> set[str]:
    return {word.casefold()[:LIKE] for word in _WORD.findall(text)}

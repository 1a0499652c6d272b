"""Times of day: 5 p.m. = 5:00 PM = 17:00, noon, 10 at night; "1–4 p.m." says both of its ends."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from server.ask.checking.spans import DASH, Found

_DAY, _HALF_DAY = 24 * 60, 12 * 60

_CLOCK = re.compile(
    r"""(?<![\w.,:$€£/])(?:
        (?P<word>noon|midday|midnight)\b
        | (?P<hour>[01]?\d|2[0-4])(?P<minute>:[0-5]\d)?(?P<clock>[ ]?o['’]clock)?
          (?:[ ]?(?:(?P<a>a\.m\.?|am\b)|(?P<p>p\.m\.?|pm\b))
            |[ ](?:(?P<morning>in[ ]the[ ]morning)|(?P<later>in[ ]the[ ](?:afternoon|evening)|at[ ]night))\b)?
          (?![\w%]|[:/.,]\d))""",
    re.VERBOSE | re.IGNORECASE,
)
_TO = re.compile(rf"\s?(?:{DASH}|to|until|till|through)\s?", re.IGNORECASE)
_AND = re.compile(r"\sand\s")


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day in minutes since midnight; two of them where the text leaves open which half of the
    day.
    """

    minutes: frozenset[int]

    def bears_out(self, claimed: Time) -> bool:
        """Whether the same time may be meant."""
        return bool(self.minutes & claimed.minutes)

    @property
    def hours(self) -> frozenset[int]:
        """A full hour as a clock may show it (17:00: 5 and 17); empty when there are minutes."""
        full = {minutes // 60 for minutes in self.minutes if minutes % 60 == 0}
        return frozenset(full | {hour % 12 or 12 for hour in full})


@dataclass(frozen=True, slots=True)
class _Said:
    """What may be a time; `sure` when its own words make it one, or the other end of its range does."""

    minutes: frozenset[int]
    sure: bool


def times(text: str) -> list[Found[Time]]:
    """Every time of the text, in order; both ends of "1–4 p.m."."""
    said = [Found(_said(match), match.start(), match.end()) for match in _CLOCK.finditer(text)]
    for i in range(len(said) - 1):
        if _joined(text, said[i], said[i + 1]):
            said[i], said[i + 1] = _as_range(said[i], said[i + 1])
    return [Found(Time(one.value.minutes), one.start, one.end) for one in said if one.value.sure]


def _said(match: re.Match[str]) -> _Said:
    if match["word"]:
        return _Said(frozenset((0 if match["word"].lower() == "midnight" else _HALF_DAY,)), True)
    hour, minute = int(match["hour"]), int((match["minute"] or ":0")[1:])
    early = hour % 12 * 60 + minute
    if not 0 < hour <= 12:
        minutes = frozenset((hour % 24 * 60 + minute,))
    elif match["a"] or match["morning"] or (hour == 12 and (match["later"] or "").endswith("night")):
        minutes = frozenset((early,))
    elif match["p"] or match["later"]:
        minutes = frozenset((early + _HALF_DAY,))
    else:
        minutes = frozenset((early, early + _HALF_DAY))
    sure = any(match[mark] for mark in ("minute", "clock", "a", "p", "morning", "later"))
    return _Said(minutes, sure)


def _joined(text: str, one: Found[_Said], other: Found[_Said]) -> bool:
    """Whether two times are the ends of a range; "between 3 and 5 p.m." is one where "3 and 5" is not."""
    if not (one.value.sure or other.value.sure):
        return False
    if _TO.fullmatch(text, one.end, other.start):
        return True
    return bool(_AND.fullmatch(text, one.end, other.start)) and other.value.sure


def _as_range(one: Found[_Said], other: Found[_Said]) -> tuple[Found[_Said], Found[_Said]]:
    """Both are times; a first end with two readings takes the one that is nearer to the last."""
    first, last = one.value.minutes, other.value.minutes
    if len(first) == 2 and len(last) == 1:
        [end] = last
        first = frozenset((min(first, key=lambda start: (end - start - 1) % _DAY),))
    return replace(one, value=_Said(first, True)), replace(other, value=_Said(last, True))

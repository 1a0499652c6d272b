"""Numbers as people write them: 1,200; $2.1 million; twenty-five; a hundred and eighty; third; half."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from server.ask.checking.spans import Found, alternatives, listed

_ONES = listed("one two three four five six seven eight nine")
_TEENS = listed("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
_TENS = listed("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINAL_ONES = listed("first second third fourth fifth sixth seventh eighth ninth")
_ORDINAL_TEENS = listed(
    """
    tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
    """
)
_ORDINAL_TENS = listed("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth")
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_SHORT_SCALES = {"k": 1000, "m": 10**6, "bn": 10**9}

_SMALL = {"zero": 0, "dozen": 12}
_SMALL |= {word: i for i, word in enumerate(_ONES, 1)} | {word: i for i, word in enumerate(_TEENS, 10)}
_SMALL |= {word: 10 * i for i, word in enumerate(_TENS, 2)}
_ORDINAL = {word: i for i, word in enumerate(_ORDINAL_ONES, 1)}
_ORDINAL |= {word: i for i, word in enumerate(_ORDINAL_TEENS, 10)}
_ORDINAL |= {word: 10 * i for i, word in enumerate(_ORDINAL_TENS, 2)}

_UP_TO_99 = (
    f"(?:(?:{alternatives(_TENS)})[- ](?:{alternatives([*_ONES, *_ORDINAL_ONES])})"
    f"|{alternatives([*_SMALL, *_ORDINAL])})"
)
_UP_TO_999 = rf"(?:(?:{_UP_TO_99}|an?)\shundred(?:(?:\sand)?\s{_UP_TO_99})?|{_UP_TO_99})"
_IN_WORDS = (
    rf"(?:(?:{_UP_TO_999}|an?)\s(?:thousand|million|billion)(?:,?(?:\sand)?\s{_UP_TO_999})?|{_UP_TO_999})"
)
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_FRACTIONS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5}
_FIGURE = re.compile(
    rf"""(?<![\w.,])(?<!\d[:/])(?:
        (?P<parts>(?:an?|one|two|three|four)[ -])?
          (?P<fraction>half|halves|thirds|quarters?|fifths|third(?=\ of\b))\b
        | (?P<digits>{_DIGITS})(?:(?P<suffix>st|nd|rd|th)\b|\s?(?P<scale>{alternatives(_SCALES)})\b
            |(?P<short>[kKmM]|bn)\b)?
        | (?P<words>{_IN_WORDS})\b
        | (?P<times>once|twice)\b
    )(?![\w]|[.,:/]\d)""",
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number; `share`: it is a part of a whole, in percent; `worded`: it was not written in digits."""

    amount: Decimal
    ordinal: bool = False
    share: bool = False
    worded: bool = False


def figures(text: str) -> Iterator[Found[Figure]]:
    """Every number of the text, whatever it counts."""
    for match in _FIGURE.finditer(text):
        yield Found(_figure(match), match.start(), match.end())


def _figure(match: re.Match[str]) -> Figure:
    if match["fraction"]:
        return _fraction(match)
    if match["digits"]:
        scale = _SCALES.get((match["scale"] or "").lower(), 0) or _SHORT_SCALES.get(
            (match["short"] or "").lower(), 1
        )
        return Figure(Decimal(match["digits"].replace(",", "")) * scale, ordinal=bool(match["suffix"]))
    if match["times"]:
        return Figure(Decimal(1 if match["times"].lower() == "once" else 2), worded=True)
    words = _WORD.findall(match["words"].lower())
    return Figure(Decimal(_worded(words)), ordinal=words[-1] in _ORDINAL, worded=True)


def _fraction(match: re.Match[str]) -> Figure:
    parts = (match["parts"] or "one").strip(" -").lower()
    whole = _FRACTIONS[match["fraction"].lower()]
    percent = Decimal(100 * _SMALL.get(parts, 1)) / whole
    return Figure(percent.quantize(Decimal("0.1")), share=True, worded=True)


def _worded(words: list[str]) -> int:
    """The value of number words: below a scale word they add up, a scale word multiplies."""
    total = current = 0
    for word in words:
        if word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES:
            total, current = total + (current or 1) * _SCALES[word], 0
        else:
            current += _SMALL.get(word, _ORDINAL.get(word, 0))
    return total + current

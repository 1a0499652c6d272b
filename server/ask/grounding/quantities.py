"""Numbers as people write them: 1,200; $2.1 million; twenty-five; a hundred and eighty; third; half."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from server.ask.grounding.spans import DASH, Span, alternatives
from server.lexicons import lexicon

_LEXICON = lexicon("checking").part("quantities")
_ONES, _TEENS, _TENS = map(_LEXICON.listed, ("ones", "teens", "tens"))
_ORDINAL_ONES, _ORDINAL_TEENS, _ORDINAL_TENS = map(
    _LEXICON.listed, ("ordinal_ones", "ordinal_teens", "ordinal_tens")
)
_SCALES, _SHORT_SCALES = _LEXICON.part("scales"), _LEXICON.part("short_scales")

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
_FRACTIONS = _LEXICON.part("fractions")
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


def figures(text: str) -> Iterator[Span[Figure]]:
    """Every number of the text, whatever it counts."""
    for match in _FIGURE.finditer(text):
        yield Span(_figure(match), match.start(), match.end())


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


# Seconds for what has a fixed length, months for what has not; the two are never compared.
_SECONDS, _MONTHS = _LEXICON.part("seconds"), _LEXICON.part("months")
_CURRENCIES, _CENTS = _LEXICON.part("currencies"), _LEXICON.part("cents")
_KINDS_OF_DAY, _EACH = _LEXICON.words("kinds_of_day"), _LEXICON.words("each")
_TIME_UNIT = rf"(?:(?:{alternatives(_KINDS_OF_DAY)})[ ])?(?P<time>{alternatives([*_SECONDS, *_MONTHS])})s?\b"
_BEFORE = re.compile(r"(?P<currency>US\$|[$€£])\s?$", re.IGNORECASE)
_AFTER = re.compile(
    rf"""(?:[ ]?(?P<percent>%|(?:percent|per[ ]cent|pct)\b)
      | [ -]?(?P<currency>dollars?|bucks?|euros?|pounds?|USD|EUR|GBP)\b
      | [ ]?(?P<cents>cents?\b|¢|pence\b)
      | [ -]?{_TIME_UNIT})""",
    re.VERBOSE | re.IGNORECASE,
)
# What joins the two ends of a range, the second of which names the unit of both.
_RANGE = re.compile(rf"\s*(?:{DASH}|to|or)\s*", re.IGNORECASE)

_RATE = re.compile(
    rf"(?:(?:[- ][\w-]++){{0,2}}?[ ](?:an?|per|each|every)[ ]|[ ]?/[ ]?)(?:academic[ ]|full[ ]|school[ ])?"
    rf"(?P<unit>{alternatives(_EACH)})s?\b"
    r"|(?:[- ][\w-]++){0,2}?[ ](?P<adverb>hourly|daily|nightly|weekly|monthly|yearly|annually)\b",
    re.IGNORECASE,
)
_RATE_BEFORE = re.compile(
    rf"\b(?:per|each|every)[ ](?P<unit>{alternatives(_EACH)})s?(?:[ ]\([^)]*\))?:?[ ](?:US\$|[$€£])?$"
    r"|\b(?P<adverb>hourly|daily|weekly|monthly|yearly|annual)[ ][\w ]{1,20}:?[ ](?:US\$|[$€£])?$",
    re.IGNORECASE,
)
_ADVERBS: Mapping[str, str] = _LEXICON.part("adverbs")
_SAME_RATE: Mapping[str, str] = _LEXICON.part("same_rate")
# "one" and "a" before a unit count; before anything else they are little words.
_INDEFINITE = re.compile(
    rf"\b(?:within|in|for|of|about|around|lasts?|takes?|after|half)[ ](?P<one>an?)[ -]{_TIME_UNIT}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its unit.

    `amount` is as written; `size` in the unit's own measure (seconds, months, a currency's unit, percent).
    `unit`: "" none, "s", "months", "$", "€", "£", "%" or "th" for an ordinal. `per`: of what it is a rate.
    `loose`: too common a word to be demanded ("one", "once", "a week"); it can still bear out another.
    """

    amount: Decimal
    size: Fraction
    unit: str = ""
    per: str = ""
    loose: bool = False

    def bears_out(self, claimed: Quantity) -> bool:
        """Whether a page that says this says what is claimed."""
        if self.per and claimed.per and self.per != claimed.per:
            return False
        if self.unit == claimed.unit:
            return self.size == claimed.size
        return (not self.unit or not claimed.unit) and self.amount == claimed.amount


def quantities(text: str) -> list[Span[Quantity]]:
    """Every quantity of the text, in order; both ends of a range."""
    found = [_quantity(text, figure) for figure in figures(text)]
    return sorted([*_ranged(text, found), *_indefinite(text)], key=lambda one: one.start)


def _quantity(text: str, figure: Span[Figure]) -> Span[Quantity]:
    before = _BEFORE.search(text, max(0, figure.start - 4), figure.start)
    after = _AFTER.match(text, figure.end)
    amount, start, end = figure.value.amount, figure.start, figure.end
    unit, factor = _unit(figure.value, before, after)
    if before:
        start = before.start()
    elif after and unit != "th":
        end = after.end()
    per = _rate(text, start, end)
    loose = figure.value.worded and amount == 1 and not unit
    return Span(Quantity(amount, Fraction(amount) * factor, unit, per, loose), start, end)


_MONEY = frozenset(_CURRENCIES.values())


def _unit(figure: Figure, before: re.Match[str] | None, after: re.Match[str] | None) -> tuple[str, Fraction]:
    """The unit, and its size in the measure that quantities are compared in."""
    if before and not figure.share:
        return _CURRENCIES[before["currency"].lower()], Fraction(1)
    if figure.share or figure.ordinal:
        return "%" if figure.share else "th", Fraction(1)
    return _named_unit(after) if after else ("", Fraction(1))


def _named_unit(match: re.Match[str]) -> tuple[str, Fraction]:
    if match["percent"]:
        return "%", Fraction(1)
    if match["currency"] or match["cents"]:
        word = (match["currency"] or match["cents"]).lower().removesuffix("s")
        return (_CENTS[word], Fraction(1, 100)) if match["cents"] else (_CURRENCIES[word], Fraction(1))
    time = match["time"].lower()
    return ("s", Fraction(_SECONDS[time])) if time in _SECONDS else ("months", Fraction(_MONTHS[time]))


def _rate(text: str, start: int, end: int) -> str:
    match = _RATE.match(text, end) or _RATE_BEFORE.search(text, max(0, start - 40), start)
    if not match:
        return ""
    if match["adverb"]:
        return _ADVERBS.get(match["adverb"].lower(), "day")
    unit = match["unit"].lower()
    return _SAME_RATE.get(unit, unit)


def _ranged(text: str, found: Sequence[Span[Quantity]]) -> Iterator[Span[Quantity]]:
    """The same, a bare end of a range ("3–5 days", "$500–1,500") having the unit of its other end."""
    for before, one, after in zip((None, *found), found, (*found[1:], None), strict=False):
        if not one.value.unit and after and after.value.unit != "th" and _joined(text, one, after):
            yield replace(one, value=_with_unit(one.value, after.value))
        elif not one.value.unit and before and before.value.unit in _MONEY and _joined(text, before, one):
            yield replace(one, value=_with_unit(one.value, before.value))
        else:
            yield one


def _joined(text: str, one: Span[Quantity], other: Span[Quantity]) -> bool:
    return _RANGE.fullmatch(text, one.end, other.start) is not None


def _with_unit(bare: Quantity, other: Quantity) -> Quantity:
    factor = other.size / Fraction(other.amount) if other.amount else Fraction(1)
    return Quantity(bare.amount, Fraction(bare.amount) * factor, other.unit, bare.per or other.per, False)


def _indefinite(text: str) -> Iterator[Span[Quantity]]:
    """The "a week" of "within a week"."""
    for match in _INDEFINITE.finditer(text):
        unit, factor = _unit(Figure(Decimal(1)), None, _AFTER.match(text, match.end("one")))
        yield Span(Quantity(Decimal(1), factor, unit, loose=True), match.start("one"), match.end())

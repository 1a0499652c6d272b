"""Numbers with what they count: $25 = 25 dollars, 48 hours = two days, 54% = 54 percent, 30 cents = $0.30.

A quantity is as exact as its text: "25" says less than "$25", so a page's "$25" bears out a bare 25, and a
bare 25 (in a table, under "Price") bears out "$25"; but "25 hours" never bears out "25 days".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from server.ask.checking.figures import Figure, figures
from server.ask.checking.spans import DASH, Found, alternatives, listed

# Seconds for what has a fixed length, months for what has not; the two are never compared.
_SECONDS = {"second": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600, "day": 86400, "night": 86400}
_SECONDS |= {"week": 604800, "wk": 604800}
_MONTHS = {"month": 1, "year": 12, "yr": 12}
_CURRENCIES = {"$": "$", "€": "€", "£": "£", "us$": "$", "usd": "$", "dollar": "$", "buck": "$"}
_CURRENCIES |= {"eur": "€", "euro": "€", "gbp": "£", "pound": "£"}
_CENTS = {"cent": "$", "¢": "$", "pence": "£"}

_KINDS_OF_DAY = "working|business|calendar|consecutive|academic|school|class|full|straight|more|other|whole"
_TIME_UNIT = rf"(?:(?:{_KINDS_OF_DAY})[ ])?(?P<time>{alternatives([*_SECONDS, *_MONTHS])})s?\b"
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

_EACH = listed(
    """
    second minute hour day night week month year term semester quarter session credit course class person
    page side sheet visit item foot inch mile gram copy meal game student guest member unit ticket ride
    trip time piece weekend person apiece installment instalment period game book lesson sample
    """
)
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
_ADVERBS = {"hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month"}
_ADVERBS |= {"yearly": "year", "annually": "year", "annual": "year"}
_SAME_RATE = {"night": "day", "semester": "term", "copy": "page", "side": "page", "sheet": "page"}
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


def quantities(text: str) -> list[Found[Quantity]]:
    """Every quantity of the text, in order; both ends of a range."""
    found = [_quantity(text, figure) for figure in figures(text)]
    return sorted([*_ranged(text, found), *_indefinite(text)], key=lambda one: one.start)


def _quantity(text: str, figure: Found[Figure]) -> Found[Quantity]:
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
    return Found(Quantity(amount, Fraction(amount) * factor, unit, per, loose), start, end)


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


def _ranged(text: str, found: Sequence[Found[Quantity]]) -> Iterator[Found[Quantity]]:
    """The same, a bare end of a range ("3–5 days", "$500–1,500") having the unit of its other end."""
    for before, one, after in zip((None, *found), found, (*found[1:], None), strict=False):
        if not one.value.unit and after and after.value.unit != "th" and _joined(text, one, after):
            yield replace(one, value=_with_unit(one.value, after.value))
        elif not one.value.unit and before and before.value.unit in _MONEY and _joined(text, before, one):
            yield replace(one, value=_with_unit(one.value, before.value))
        else:
            yield one


def _joined(text: str, one: Found[Quantity], other: Found[Quantity]) -> bool:
    return _RANGE.fullmatch(text, one.end, other.start) is not None


def _with_unit(bare: Quantity, other: Quantity) -> Quantity:
    factor = other.size / Fraction(other.amount) if other.amount else Fraction(1)
    return Quantity(bare.amount, Fraction(bare.amount) * factor, other.unit, bare.per or other.per, False)


def _indefinite(text: str) -> Iterator[Found[Quantity]]:
    """The "a week" of "within a week"."""
    for match in _INDEFINITE.finditer(text):
        unit, factor = _unit(Figure(Decimal(1)), None, _AFTER.match(text, match.end("one")))
        yield Found(Quantity(Decimal(1), factor, unit, loose=True), match.start("one"), match.end())

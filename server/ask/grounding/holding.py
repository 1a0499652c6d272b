"""Whether a source holds a fact, and which of its own facts say so."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from server.ask.grounding.contacts import Url, normal_url
from server.ask.grounding.dates import Day, Term, Time, Weekdays, Years
from server.ask.grounding.facts import Fact, Value
from server.ask.grounding.names import Code, Name
from server.ask.grounding.quantities import Quantity
from server.ask.grounding.source import Source


def facts_for(claimed: Fact, source: Source) -> list[Fact] | None:
    """The facts of a source that bear out the claimed one, none where its words do; None: it is not in it."""
    value = claimed.value
    if isinstance(value, Name):
        return [] if source.names.has(value) else None
    if isinstance(value, Url):
        return _addresses(value, source)
    found = [fact for fact in source.facts if bears_out(fact.value, value)]
    if found:
        return found if _year_is_told(value, found, source) else None
    if isinstance(value, Weekdays):
        return _together(value, source)
    return _spelt_out(value, source) if isinstance(value, Code) else None


def bears_out(found: Value, claimed: Value) -> bool:
    """Whether a fact of a source says what is claimed, also where the two are written as different kinds."""
    if type(found) is type(claimed):
        same: Any = found
        return bool(same.bears_out(claimed))
    if isinstance(claimed, Quantity):
        return _is_number_of(found, claimed)
    if isinstance(claimed, Time):
        return isinstance(found, Quantity) and not found.unit and found.amount in claimed.hours
    if isinstance(claimed, Years):
        return claimed.years == _years_of(found)
    if isinstance(claimed, Weekdays):
        return isinstance(found, Day) and claimed.days == {found.known_weekday}
    return False


def _is_number_of(found: Value, claimed: Quantity) -> bool:
    """A bare number may be the hour of a time, a year, a room's number; "the 14th" a day of a month."""
    if isinstance(found, Day):
        return claimed.unit in ("", "th") and found.day == claimed.amount
    if claimed.unit:
        return False
    if isinstance(found, Time):
        return claimed.amount in found.hours
    if isinstance(found, Code):
        return found.ident.endswith(str(claimed.amount))
    return isinstance(found, Years) and claimed.amount in found.years


def _years_of(found: Value) -> tuple[int, ...]:
    if isinstance(found, Quantity) and not found.unit:
        return (int(found.amount),)
    year = found.year if isinstance(found, Day | Term) else None
    return () if year is None else (year,)


def _year_is_told(claimed: Value, found: list[Fact], source: Source) -> bool:
    """A claimed year must stand beside the day or the season, or at least in the same source."""
    if not isinstance(claimed, Day | Term) or claimed.year is None:
        return True
    beside = {fact.value.year for fact in found if isinstance(fact.value, Day | Term)}
    told = {year for fact in source.facts for year in _all_years(fact.value)}
    return claimed.year in beside | told


def _all_years(value: Value) -> tuple[int, ...]:
    return (
        value.years if isinstance(value, Years) else _years_of(value) if isinstance(value, Day | Term) else ()
    )


def _together(claimed: Weekdays, source: Source) -> list[Fact] | None:
    """Several days may be told one by one: "Saturday … Sunday …" for "weekends"."""
    parts = [
        fact for fact in source.facts if isinstance(fact.value, Weekdays) and fact.value.days & claimed.days
    ]
    told = {day for fact in parts if isinstance(fact.value, Weekdays) for day in fact.value.days}
    return parts if claimed.days <= told else None


def _spelt_out(claimed: Code, source: Source) -> list[Fact] | None:
    """Room 22 where a source has "Office: 22", and the words of the label somewhere."""
    if not claimed.ident.isdigit() or not all(word in source.names for word in claimed.label):
        return None
    number = [
        fact
        for fact in source.facts
        if isinstance(fact.value, Quantity)
        and not fact.value.unit
        and fact.value.amount == int(claimed.ident)
    ]
    return number or None


def _addresses(claimed: Url, source: Source) -> list[Fact] | None:
    """A link must be the cited page's own address; a bare host may also stand in its text."""
    if source.passage and normal_url(source.passage.url) == claimed.address:
        return []
    return [fact for fact in source.facts if claimed.bare and fact.value == claimed] or None


_FREE = re.compile(
    r"(?<![\w-])free(?!-|\s+(?:to|of|from|time|will|speech|throws?)\b)\b|\b(?:gratis|gratuit[oa]s?)\b",
    re.IGNORECASE,
)
# How a page says that there is nothing to pay.
_NOTHING_TO_PAY = re.compile(
    r"\bfree\b|\bgratis\b|\bgratuit[oa]s?\b|\bsin (?:costo|coste|cargo)\b"
    r"|\b(?:no|without)(?: \w+)? (?:charges?|costs?|fees?)\b|[$€£]0(?![\d.,]\d)"
    r"|\b(?:not|n['’]t)(?: \w+)? (?:charged?|cost|billed?|pay)\b"
    r"|\b(?:nothing|none|covered|complimentary|waive[ds]?|included|at no)\b",
    re.IGNORECASE,
)


def free_unheard_of(claim: Source, sources: Sequence[Source]) -> str | None:
    """The word by which a sentence gives away something, where no source says anything of the kind."""
    said = _FREE.search(claim.text)
    if said is None or any(_NOTHING_TO_PAY.search(source.text) for source in sources):
        return None
    return said.group()


# It must have this much of the withheld sentence's words, by rarity, and be no essay.
LEAST_SHARE = 0.4
MAX_CHARS = 320
_FACT_WEIGHT = 4.0


@dataclass(frozen=True, slots=True)
class Nearest:
    """A sentence of a source, and the share (0 to 1) of the other's words and facts that stand in it."""

    source: Source
    text: str
    share: float


def nearest_sentence(
    claim: Source, sources: Sequence[Source], weights: Mapping[str, float], but: Collection[str] = ()
) -> Nearest | None:
    """The nearest sentence that is none of `but`; None when nothing is near."""
    found = [one for source in sources for one in _candidates(claim, source, weights) if one.text not in but]
    best = max(found, key=lambda one: one.share, default=None)
    return best if best and best.share >= LEAST_SHARE else None


def _candidates(claim: Source, source: Source, weights: Mapping[str, float]) -> list[Nearest]:
    places = [
        [fact.start for fact in facts_for(claimed, source) or ()]
        for claimed in claim.facts
        if not isinstance(claimed.value, Name)
    ]
    words = {token.stem: weights.get(token.stem, 0.0) for token in claim.tokens}
    total = sum(words.values()) + _FACT_WEIGHT * len(places)
    found = []
    for start, end in source.spans:
        text = source.text[start:end]
        if start < source.body or len(text) > MAX_CHARS or text.endswith(("?", ":")):
            continue
        inside = {token.stem for token in source.tokens if start <= token.start < end}
        score = sum(weight for stem, weight in words.items() if stem in inside)
        score += _FACT_WEIGHT * sum(any(start <= at < end for at in starts) for starts in places)
        found.append(Nearest(source, text, score / total if total else 0.0))
    return found

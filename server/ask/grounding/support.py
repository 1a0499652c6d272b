"""Whether a source holds a fact, which of its own facts say so, and how well sources support a sentence as
a whole.

A sentence's support is one score out of its words, their order, and what the cross-encoder makes of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from server.ask.grounding.dates import Day, SeasonTerm, Time, Weekdays, Years
from server.ask.grounding.evidence import EvidenceModel
from server.ask.grounding.names import Code, Name
from server.ask.grounding.quantities import Quantity
from server.ask.grounding.source import Fact, Source, Value
from server.ask.grounding.spans import Url, normal_url
from server.ask.ports import CrossEncoder
from server.lexicons import lexicon


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
    year = found.year if isinstance(found, Day | SeasonTerm) else None
    return () if year is None else (year,)


def _year_is_told(claimed: Value, found: list[Fact], source: Source) -> bool:
    """A claimed year must stand beside the day or the season, or at least in the same source."""
    if not isinstance(claimed, Day | SeasonTerm) or claimed.year is None:
        return True
    beside = {fact.value.year for fact in found if isinstance(fact.value, Day | SeasonTerm)}
    told = {year for fact in source.facts for year in _all_years(fact.value)}
    return claimed.year in beside | told


def _all_years(value: Value) -> tuple[int, ...]:
    return (
        value.years
        if isinstance(value, Years)
        else _years_of(value)
        if isinstance(value, Day | SeasonTerm)
        else ()
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


_LEXICON = lexicon("checking").part("free")
_FREE, _NOTHING_TO_PAY = _LEXICON.pattern("said"), _LEXICON.pattern("nothing_to_pay")


def free_unheard_of(claim: Source, sources: Sequence[Source]) -> str | None:
    """The word by which a sentence gives away something, where no source says anything of the kind."""
    said = _FREE.search(claim.text)
    if said is None or any(_NOTHING_TO_PAY.search(source.text) for source in sources):
        return None
    return said.group()


# It must have this much of the withheld sentence's words, by rarity, and be no essay.
LEAST_SHARE = 0.4
MAX_CHARS = 320
# A fact counts like a rather rare word.
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


# The first whose measures are all known is believed. Fitted by scripts/research/writing/fit_check.py, on
# claims that people judged; the biases put the threshold at one half.
MODELS = (
    EvidenceModel(-1.9, {"words": 3.83, "order": 4.21, "relevance": 0.34}),
    EvidenceModel(-3.49, {"words": 4.58, "order": 5.1}),
)
# The highest at which no set of claims held out lost more than 5 percent of those that are supported.
THRESHOLD = 0.5
# A sentence of few words without a fact must have this much of them in its sources; one of a single word must
# have its words in this much of their order.
FEW_WORDS, LEAST_WORDS, LEAST_ORDER = 3, 0.65, 0.5


@dataclass(frozen=True, slots=True)
class Support:
    """How well the sources support the sentence, 0 to 1, and the measures behind it."""

    score: float
    measures: Mapping[str, float]


def support_of(
    claim: Source, sources: Sequence[Source], weights: Mapping[str, float], reader: CrossEncoder | None
) -> Support:
    """By the model that fits what could be measured; without a cross-encoder the words alone decide."""
    measures = {"words": word_share(claim, sources, weights), "order": order_share(claim, sources)}
    if reader is not None:
        measures |= read_measures(claim, sources, reader)
    model = next(model for model in MODELS if set(model.weights) <= set(measures))
    return Support(model(measures), measures)


def says_too_little(claim: Source, weights: Mapping[str, float], measures: Mapping[str, float]) -> bool:
    """Whether a sentence has so few words that count that their likeness proves nothing.

    "Tuition is free." has half its words in any passage about tuition.
    """
    if any(not isinstance(fact.value, Name) for fact in claim.facts):
        return False
    counted = sum(weight > 0 for weight in weights.values())
    if counted <= 1:
        return measures["order"] < LEAST_ORDER
    return counted <= FEW_WORDS and measures["words"] < LEAST_WORDS


def word_share(claim: Source, sources: Sequence[Source], weights: Mapping[str, float]) -> float:
    """The share of a sentence's words, by rarity, and of its facts that stand anywhere in the sources."""
    total = found = 0.0
    facts = [fact for fact in claim.facts if not isinstance(fact.value, Name)]
    for fact in facts:
        total += _FACT_WEIGHT
        found += _FACT_WEIGHT * any(facts_for(fact, source) is not None for source in sources)
    for token in _outside(claim):
        weight = weights.get(token, 0.0)
        total += weight
        found += weight * any(token in source.by_stem for source in sources)
    return found / total if total else 0.0


def order_share(claim: Source, sources: Sequence[Source]) -> float:
    """The longest run of a sentence's words that one sentence of the sources has in the same order, as a
    share.

    Words may be left out between them (the longest common subsequence; ROUGE-L's recall, Lin 2004).
    """
    words = _outside(claim)
    if not words:
        return 0.0
    return max((_common(words, other) for source in sources for other in source.sentences), default=0) / len(
        words
    )


def read_measures(claim: Source, sources: Sequence[Source], reader: CrossEncoder) -> dict[str, float]:
    """What a cross-encoder makes of the sentence and each source, the best of them.

    `relevance` is the log-odds that it answers the sentence, read as a question; `supported` and
    `contradicted` (0 to 1) are there where the model judges claims.
    """
    readings = reader.read(claim.text, [(source.lead, source.text[source.body :]) for source in sources])
    measures = {"relevance": max(reading.log_odds for reading in readings)}
    verdicts = [reading.verdict for reading in readings if reading.verdict is not None]
    if verdicts:
        best = max(verdicts, key=lambda verdict: verdict.supported)
        measures |= {"supported": best.supported, "contradicted": best.contradicted}
    return measures


def _outside(claim: Source) -> list[str]:
    """The stems of a sentence's words that belong to no fact but a name."""
    spans = [(fact.start, fact.end) for fact in claim.facts if not isinstance(fact.value, Name)]
    return [t.stem for t in claim.tokens if not any(start <= t.start < end for start, end in spans)]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    before = [0] * (len(other) + 1)
    for word in one:
        row = [0]
        for j, match in enumerate(other, 1):
            row.append(before[j - 1] + 1 if word == match else max(before[j], row[-1]))
        before = row
    return before[-1]

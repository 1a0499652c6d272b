"""How well a sentence as a whole is supported by the passages it cites: one score out of three measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.ask.confidence import EvidenceModel
from server.ask.grounding.holding import facts_for
from server.ask.grounding.names import Name
from server.ask.grounding.source import Source
from server.ask.ports import CrossEncoder

# A fact counts like a rather rare word.
_FACT_WEIGHT = 4.0


# Fitted by scripts/research/fit_check.py, on claims that people judged. The biases put the threshold at one
# half.
READ = EvidenceModel(-2.56, {"words": 4.12, "order": 4.63, "relevance": 0.15})
UNREAD = EvidenceModel(-3.49, {"words": 4.55, "order": 5.15})
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
        measures["relevance"] = relevance(claim, sources, reader)
    model = UNREAD if reader is None else READ
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


def relevance(claim: Source, sources: Sequence[Source], reader: CrossEncoder) -> float:
    """The highest log-odds that a source answers the sentence, read as a question."""
    pairs = [(source.lead, source.text[source.body :]) for source in sources]
    return max(reading.log_odds for reading in reader.read(claim.text, pairs))


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

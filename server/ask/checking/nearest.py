"""What the passages do say: their own sentence that is nearest to one that was withheld."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from server.ask.checking.holding import facts_for
from server.ask.checking.names import Name
from server.ask.checking.source import Source

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

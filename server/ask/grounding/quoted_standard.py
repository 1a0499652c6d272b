"""What a written answer must have to be shown in the place of the quoted one: what that answers with.

The answer stands where the reader marked it, or else in the best quoted sentence: its facts of a kind that
the question asks for, and where there are none, that sentence's words. What is marked may be "no", or the
name of what was asked about, and many a sentence that answers something else has that.
"""

from __future__ import annotations

from collections.abc import Sequence

from server.ask.grounding.check_sentence import Evidence
from server.ask.grounding.source import Fact, FactKind, Source
from server.ask.grounding.support import facts_for
from server.ask.quoting.score import AnswerPlace

# The facts that a kind of answer consists of (corpus/lexicons/answer_types.toml).
KINDS: dict[str, frozenset[FactKind]] = {
    "e-mail": frozenset({"e-mail"}),
    "phone": frozenset({"phone"}),
    "money": frozenset({"money"}),
    "hours": frozenset({"time"}),
    "time": frozenset({"date", "time", "term", "year", "weekday", "number"}),
    "number": frozenset({"number"}),
    "person": frozenset({"name"}),
    "place": frozenset({"name", "code"}),
}
# Where it answers with no fact, the written one must have so much of its words, by rarity.
LEAST_WORDS = 0.5


class QuotedStandard:
    """A written answer meets it when it has the facts and words by which the quoted one answers."""

    def __init__(self, place: AnswerPlace, grounds: Evidence) -> None:
        self._grounds = grounds
        self._facts = _facts_of(place, grounds)
        self._weights = grounds.weights(place.sentence or place.key)

    def met_by(self, shown: Sequence[str]) -> bool:
        """Whether these sentences, taken together, have all of its facts, or without any enough words."""
        written = Source(" ".join(shown), self._grounds.words)
        if self._facts:
            return all(facts_for(fact, written) is not None for fact in self._facts)
        total = sum(self._weights.values())
        found = sum(weight for stem, weight in self._weights.items() if stem in written.by_stem)
        return found >= LEAST_WORDS * total if total else bool(written.tokens)


def _facts_of(place: AnswerPlace, grounds: Evidence) -> list[Fact]:
    """What was marked, and where that has none of a kind that was asked for, the sentence's own of it."""
    asked = frozenset[FactKind]().union(*(KINDS.get(name, frozenset()) for name in place.kinds))
    facts = [fact for fact in Source(place.marked, grounds.words).facts if not _is_loose(fact)]
    if not asked or any(fact.kind in asked for fact in facts):
        return facts
    own = Source(place.sentence, grounds.words).facts
    return facts + [fact for fact in own if fact.kind in asked and not _is_loose(fact)]


def _is_loose(fact: Fact) -> bool:
    """Little words ("once") are written in many ways."""
    return bool(getattr(fact.value, "loose", False))

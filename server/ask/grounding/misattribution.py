"""Whether a fact stands beside what it is said of: the fee of another row is in the passage too.

For every fact of a sentence, each place where a passage has it is compared with the places of other facts of
its kind: how near are the sentence's other words and facts? A word in the same clause counts in full, one in
another cell, sentence or line less and less; the subject of a table row is near to each of its cells. Two
facts of a kind that the sentence names both are astray when they would fit better exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from server.ask.grounding.names import Name, plain_words
from server.ask.grounding.quantities import Quantity
from server.ask.grounding.source import Fact, Place, Source
from server.ask.grounding.support import bears_out, facts_for

# What each step away costs, as an exponent.
_LEAD, _SUBJECT, _LINE, _SENTENCE, _CELL, _CLAUSE, _WORD = 0.5, 0.1, 1.2, 0.9, 0.8, 0.2, 0.015
# In the sentence itself, what stands with a fact counts more than what stands in another clause.
_OWN_CLAUSE, _OWN_WORD = 0.7, 0.03
_FACT_WEIGHT = 4.0
# What names a column or a row rather than filling it changes places with nothing.
_FIXED = frozenset(("name", "term", "weekday", "year"))
# By how much nearer (0 to 1) a rival must stand, and how much two facts must gain by an exchange.
RIVAL_MARGIN, EXCHANGE_MARGIN = 0.06, 0.08
# A name or a year has many neighbours of its kind that mean nothing by it.
LOOSE_MARGIN, _LOOSE = 0.25, frozenset(("name", "year"))


@dataclass(frozen=True, slots=True)
class Misattribution:
    """A fact that stands elsewhere in the passage, while `rival` stands where the sentence puts it.

    `own` and `near` (0 to 1) say how near the sentence's words are to each.
    """

    fact: Fact
    rival: str
    own: float
    near: float


@dataclass(frozen=True, slots=True)
class _Item:
    """A word or fact of the sentence: how much it counts here, and where it stands in the source."""

    weight: float
    places: Sequence[Place]


def misattributed(
    claim: Source, sources: Sequence[Source], weights: Mapping[str, float]
) -> list[Misattribution]:
    """The facts of a sentence whose surroundings in the sources are those of another fact."""
    views = [_View(claim, source, weights) for source in sources]
    misplaced = [one for fact in claim.facts if (one := _outdone(fact, views))]
    return misplaced or [one for view in views for one in view.exchanged()]


def _outdone(fact: Fact, views: Sequence[_View]) -> Misattribution | None:
    """The fact, if another that the sentence does not name fits its place better, in whichever source."""
    own = max((view.own(fact) for view in views), default=0.0)
    near, rival = max((view.rival(fact) for view in views), default=(0.0, ""))
    margin = LOOSE_MARGIN if fact.kind in _LOOSE else RIVAL_MARGIN
    return Misattribution(fact, rival, round(own, 3), round(near, 3)) if own and near - own > margin else None


class _View:
    """A sentence's facts as one source shows them."""

    def __init__(self, claim: Source, source: Source, weights: Mapping[str, float]) -> None:
        self._claim, self._source, self._weights = claim, source, weights
        self._bearing = {
            fact: found for fact in claim.facts if (found := facts_for(fact, source)) is not None
        }
        self._items = {fact: list(self._items_for(fact)) for fact in self._bearing}

    def own(self, fact: Fact) -> float:
        """How near the sentence's words are to the fact's best place; 0 when the source does not hold it."""
        return max((self._near(fact, place) for place in self._places(fact)), default=0.0)

    def rival(self, fact: Fact) -> tuple[float, str]:
        """How near they are to the best of the other facts that might be meant, and its text."""
        if fact not in self._bearing:
            return 0.0, ""
        roles = {place.subject for place in self._places(fact)}
        others = [
            (self._source.place_at(other.start), other.text)
            for other in self._source.facts
            if self._is_rival(fact, other)
        ]
        scores = ((self._near(fact, place), text) for place, text in others if place.subject in roles)
        return max(scores, default=(0.0, ""))

    def exchanged(self) -> Iterator[Misattribution]:
        """Pairs of the sentence's facts that would fit better in each other's place."""
        for one, other in combinations(self._bearing, 2):
            if one.kind not in _FIXED and _alike(one, other) and one.value != other.value:
                here, there = self._places(one), self._places(other)
                kept = self._best(one, here) + self._best(other, there)
                moved = self._best(one, there) + self._best(other, here)
                if moved - kept > EXCHANGE_MARGIN:
                    yield Misattribution(one, other.text, round(kept / 2, 3), round(moved / 2, 3))

    def _best(self, fact: Fact, places: Sequence[Place]) -> float:
        return max((self._near(fact, place) for place in places), default=0.0)

    def _places(self, fact: Fact) -> list[Place]:
        """Where the source has the fact; of a name, where its rarest word stands."""
        if fact not in self._bearing:
            return []
        if isinstance(fact.value, Name):
            return self._name_places(fact.value)
        return [self._source.place_at(found.start) for found in self._bearing[fact]]

    def _name_places(self, name: Name) -> list[Place]:
        by_word: dict[str, list[Place]] = {}
        for token in self._source.tokens:
            for word in plain_words(token.word):
                by_word.setdefault(word, []).append(token.place)
        return min((by_word.get(word, []) for word in name.needed), key=len, default=[])

    def _is_rival(self, fact: Fact, other: Fact) -> bool:
        """Another fact of its kind, which the sentence does not name; a name of which it has no word."""
        if not _alike(fact, other):
            return False
        if isinstance(other.value, Name):
            return not any(word in self._claim.names for word in other.value.words)
        return not any(bears_out(other.value, claimed.value) for claimed in self._claim.facts)

    def _items_for(self, fact: Fact) -> Iterator[_Item]:
        """The sentence's words outside its facts, and its facts of other kinds."""
        here = self._claim.place_at(fact.start)
        covered = [(one.start, one.end) for one in self._claim.facts if one is fact or one.kind != "name"]
        for token in self._claim.tokens:
            weight = self._weights.get(token.stem, 0.0)
            places = self._source.by_stem.get(token.stem, ())
            if weight and places and not any(start <= token.start < end for start, end in covered):
                yield _Item(weight * _closeness(here, token.place), places)
        for other, found in self._bearing.items():
            if found and not _alike(fact, other):
                places = [self._source.place_at(one.start) for one in found]
                yield _Item(_FACT_WEIGHT * _closeness(here, self._claim.place_at(other.start)), places)

    def _near(self, fact: Fact, place: Place) -> float:
        items = self._items[fact]
        total = sum(item.weight for item in items)
        near = sum(item.weight * max(math.exp(-_steps(place, at)) for at in item.places) for item in items)
        return near / total if total else 0.0


def _alike(one: Fact, other: Fact) -> bool:
    if one.kind != other.kind:
        return False
    if isinstance(one.value, Quantity) and isinstance(other.value, Quantity):
        return one.value.unit == other.value.unit
    if isinstance(one.value, Name) and isinstance(other.value, Name):
        return min(len(one.value.words), len(other.value.words)) > 1
    return True


def _closeness(one: Place, other: Place) -> float:
    """Of two places in the sentence, 0 to 1."""
    if one.subject or other.subject:
        return math.exp(-_SUBJECT)
    clauses = abs(one.clause - other.clause) + abs(one.cell - other.cell)
    return math.exp(-_OWN_CLAUSE * min(clauses, 3) - _OWN_WORD * min(abs(one.count - other.count), 20))


def _steps(one: Place, other: Place) -> float:
    """How far apart two places of a source are."""
    if one.line == 0 or other.line == 0:
        return _LEAD
    if one.line != other.line:
        return _LINE + 0.2 * min(abs(one.line - other.line), 5)
    if one.subject or other.subject:
        return _SUBJECT
    words = _WORD * min(abs(one.count - other.count), 30)
    if one.sentence != other.sentence:
        return _SENTENCE + words
    cells, clauses = abs(one.cell - other.cell), abs(one.clause - other.clause)
    return _CELL * min(cells, 1) + _CLAUSE * min(clauses, 4) + words

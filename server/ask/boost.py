"""Boosting: passages of the term that the question means, and pages that editors prefer or pin, come first.

A boost does not filter: a page that names no term may answer as well as one that does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from server.academic_terms import Term, parse_term, preference, terms_asked
from server.ask.context import TermOptions
from server.ask.ports import SearchIndex, Vector
from server.ask.rules import bare, begins
from server.ask.trace import OpenStep, TraceLog
from server.models import Candidate, Hit
from server.models.curation import Favour


def boost_terms(
    question: str,
    candidates: Sequence[Candidate],
    known: Collection[str],
    options: TermOptions,
    step: OpenStep,
) -> list[Candidate]:
    """The candidates, best first, each with its `preference`. `known` are the snapshot's terms.

    A snapshot that speaks of nothing but the past is taken as it was on its last day: what is over there is
    what is over beside its newest term.
    """
    asked = terms_asked(question, options.day())
    as_of = _as_of(known, options.day())
    ranked = sorted(
        (_weighed(candidate, asked, as_of, options.weight) for candidate in candidates),
        key=lambda candidate: -candidate.score,
    )
    step.notes = {"terms": [term.name for term in asked], "as_of": as_of.isoformat()}
    step.ranking = [Hit(candidate.passage.chunk_id, candidate.score) for candidate in ranked]
    return ranked


def _as_of(known: Collection[str], today: date) -> date:
    """Today, or the last day of the newest known term if that is over."""
    return min(today, max((parse_term(name).end for name in known), default=today))


def _weighed(candidate: Candidate, asked: Sequence[Term], as_of: date, weight: float) -> Candidate:
    liked = preference(asked, [parse_term(name) for name in candidate.passage.terms], as_of)
    if not liked:
        return candidate
    score = candidate.score + weight * liked * abs(candidate.score)
    return replace(candidate, score=score, preference=round(liked, 3))


StemsOf = Callable[[Sequence[str]], list[set[str]]]

# So many passages of a pinned page are read; a preferred one may have so much less evidence than the best.
PASSAGES = 3


@dataclass(frozen=True, slots=True)
class BoostedPages:
    """The rules that a question calls for, and the addresses they mean."""

    rules: tuple[Favour, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rules)

    def pins(self, url: str) -> bool:
        """Whether that page is pinned."""
        return any(rule.kind == "pin" and bare(url) == bare(rule.page) for rule in self.rules)

    def has(self, url: str) -> bool:
        """Whether that page is preferred or pinned."""
        return self.pins(url) or any(rule.kind == "prefer" and begins(url, rule.page) for rule in self.rules)


def boosted_pages(
    question: str, topics: Collection[str], rules: Sequence[Favour], stems_of: StemsOf
) -> BoostedPages:
    """The rules that a question calls for, by what it sounds like or by all words of a phrase."""
    if not rules:
        return BoostedPages()
    phrases = [rule.phrase or "" for rule in rules]
    asked, *wanted = stems_of([question, *phrases])
    called = (
        rule
        for rule, words in zip(rules, wanted, strict=True)
        if (rule.topic in topics if rule.topic else bool(words) and words <= asked)
    )
    return BoostedPages(tuple(called))


def boost_pages(  # noqa: PLR0913, PLR0917  (a question, its vector, and all it is looked up in)
    text: str,
    vector: Vector | None,
    candidates: Sequence[Candidate],
    boosted: BoostedPages,
    index: SearchIndex,
    trace: TraceLog,
    step: OpenStep,
) -> list[Candidate]:
    """The candidates with the pinned pages' best passages first, then the preferred ones, then the others."""
    own = _pinned(text, vector, candidates, boosted, index, trace)
    taken = {candidate.passage.chunk_id for candidate in own}
    rest = [one for one in candidates if one.passage.chunk_id not in taken]
    preferred = [one for one in rest if boosted.has(one.passage.url)][:PASSAGES]
    taken |= {candidate.passage.chunk_id for candidate in preferred}
    ranked = [*own, *preferred, *(one for one in rest if one.passage.chunk_id not in taken)]
    step.ranking = [Hit(one.passage.chunk_id, one.score) for one in ranked]
    step.notes = {**step.notes, "rules": [rule.id for rule in boosted.rules]}
    return ranked


def _pinned(  # noqa: PLR0913, PLR0917
    text: str,
    vector: Vector | None,
    candidates: Sequence[Candidate],
    boosted: BoostedPages,
    index: SearchIndex,
    trace: TraceLog,
) -> list[Candidate]:
    """The best passages of the pinned pages, whether or not the search brought them."""
    ids = [page.page_id for page in index.snapshot.page_facts if boosted.pins(page.url)]
    if not ids:
        return []
    chunks = np.flatnonzero(np.isin(index.snapshot.chunk_pages, ids)).tolist()
    best = index.vector.scores(vector, chunks) if vector is not None else _by_words(text, chunks, index)
    hits = best[:PASSAGES]
    found = {one.passage.chunk_id: one for one in candidates}
    passages = index.snapshot.passages([hit.chunk_id for hit in hits])
    trace.add_passages(passages)
    score = max((one.score for one in candidates), default=0.0)
    cosines = {hit.chunk_id: hit.score if vector is not None else None for hit in hits}
    return [
        found.get(hit.chunk_id) or Candidate(passages[hit.chunk_id], score, cosines[hit.chunk_id])
        for hit in hits
    ]


def _by_words(text: str, chunks: Sequence[int], index: SearchIndex) -> list[Hit]:
    """Those of the chunks that share a word with the question, best first, then the others."""
    own = set(chunks)
    matching = [hit for hit in index.keyword.search(text, 1, chunks) if hit.chunk_id in own]
    known = {hit.chunk_id for hit in matching}
    return [*matching, *(Hit(one, 0.0) for one in chunks if one not in known)]

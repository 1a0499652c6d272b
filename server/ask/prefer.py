"""The step after the search: of passages about different terms, those that the question means come first.

It prefers, it does not filter: a page that names no term may answer as well as one that does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

from server.ask.trace import TraceLog
from server.records import Candidate, Hit
from server.terms import Term, parse_term, preference, terms_asked


@dataclass(frozen=True, slots=True)
class TermOptions:
    """`weight` is the share of a candidate's score that the right term adds and the wrong one takes; `today`
    None: the day it is."""

    weight: float = 0.1
    today: date | None = None

    def day(self) -> date:
        """Today."""
        return self.today or date.today()


def prefer(
    question: str,
    candidates: Sequence[Candidate],
    known: Collection[str],
    options: TermOptions,
    log: TraceLog,
) -> list[Candidate]:
    """The candidates, best first, each with its `preference`. `known` are the snapshot's terms.

    A snapshot that speaks of nothing but the past is taken as it was on its last day: what is over there is
    what is over beside its newest term.
    """
    with log.step("prefer") as step:
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

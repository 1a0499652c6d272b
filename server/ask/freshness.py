"""The step after the answer: how new its sources are, and which of them may not hold any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from server.academic_terms import Term, current_term, day_of, parse_term
from server.ask.ports import ChangedSince
from server.models import Caution, Citation, Freshness, Passage

LONG_BEFORE = timedelta(days=365)


def freshness(
    citations: Sequence[Citation],
    passages: Iterable[Passage],
    today: date,
    changed: ChangedSince,
    asked: Sequence[Term] = (),
) -> Freshness:
    """How new the citations are. `passages` are those the answer was made of, in any order.

    `asked` are the terms that the question names (`terms.terms_asked`): who asks about the past is not warned
    of it.
    """
    known = list(passages)
    newest = as_of(citations, today)
    cautions: list[Caution] = []
    for citation in citations:
        cautions += _past_term(citation, known, today, asked)
        cautions += _changed(citation, changed)
        cautions += _older(citation, newest)
    return Freshness(newest, tuple(cautions))


def as_of(citations: Sequence[Citation], today: date) -> str | None:
    """The newest day that the cited pages say they were changed on, or else the newest they were read on.

    A page's date that is still to come is a mistake of the page's.
    """
    for stamps in (
        [citation.last_modified for citation in citations],
        [citation.fetched_at for citation in citations],
    ):
        days = [day for day in map(day_of, stamps) if day and day <= today]
        if days:
            return max(days).isoformat()
    return None


def _past_term(
    citation: Citation, passages: Sequence[Passage], today: date, asked: Sequence[Term]
) -> Iterator[Caution]:
    """Every term of the cited passage is over, and the question was not about one of them."""
    terms = sorted(parse_term(name) for name in _terms_of(citation, passages))
    now = current_term(today)
    if not terms or any(term.end >= now.start for term in terms):
        return
    if not any(wanted.affinity(term) for wanted in asked for term in terms):
        yield Caution("past_term", citation.n, max(terms, key=lambda term: term.end).name)


def _terms_of(citation: Citation, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Those of the passage that the quote was taken from: of the same page and heading, with its words."""
    own = [p for p in passages if p.url == citation.url and p.heading == citation.heading]
    quoting = [passage for passage in own if citation.quote in passage.text]
    return next((passage.terms for passage in quoting or own), ())


def _changed(citation: Citation, changed: ChangedSince) -> Iterator[Caution]:
    """By the day the snapshot's own copy was read; without one nothing is known."""
    if citation.fetched_at and changed(citation.url, citation.fetched_at):
        yield Caution("changed", citation.n)


def _older(citation: Citation, newest: str | None) -> Iterator[Caution]:
    """What the newest source is as of says nothing of one that is much older."""
    day, newest_day = day_of(citation.last_modified), day_of(newest)
    if day and newest_day and newest_day - day > LONG_BEFORE:
        yield Caution("older", citation.n)

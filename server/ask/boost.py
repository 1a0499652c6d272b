"""Boosting: passages of the term, kind of page and audience that a question means come forward, and pages
that editors prefer or pin come first.

A boost does not filter: a page that names no term may answer as well as one that does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

import numpy as np

from server.academic_terms import (
    Term,
    dated_days,
    day_of,
    has_ended,
    parse_term,
    preference,
    terms_asked,
    terms_in_url,
    terms_named,
)
from server.ask.context import AskOptions
from server.ask.conversation.asked_time import MEANS_PAST
from server.ask.course_codes import course_fits
from server.ask.ports import SearchIndex, Vector
from server.ask.rules import bare, begins
from server.ask.trace import OpenStep, TraceLog
from server.lexicons import lexicon
from server.models import Candidate, Citation, Hit, Passage
from server.models.curation import Favour, PageLabel

# Where a question names no audience, a page for others than undergraduates loses so much of the weight.
FOR_OTHERS = 0.2
# What a page about the very course gains, and one about another loses.
COURSE = {1: 0.1, 0: 0.0, -1: -0.4}
# Of these one is at one stage.
_STAGES = frozenset({"undergraduate", "graduate", "alumni", "staff"})
# A page for these suits anyone who names no other stage.
_ANYONE = frozenset({"undergraduate", "prospective"})
# What a question may name that is no page's audience: that whoever asks is a student here already. Pages for
# these alone are then for others.
ENROLLED, _NOT_YET = "enrolled", frozenset({"prospective", "transfer"})
# What `for_audience` says of a page for people at another stage.
OTHER_STAGE = -1.0
# What a page gains that an earlier question of the line was answered from.
CITED = 0.15
# News of more than so long ago is of another time: its prices are old, its "tonight" is over.
NEWS_LASTS = timedelta(days=365)
_OF_A_TIME = frozenset({"news", "event", "archived"})
# A form is as good a page as any that only tells.
_PLAIN = frozenset({"reference", "form"})


@dataclass(frozen=True, slots=True)
class SoughtPages:
    """Which pages a question asks for: of which terms, kinds and audiences; `as_of` counts as today, and
    `past` says that the past is meant."""

    terms: tuple[Term, ...]
    as_of: date
    kinds: frozenset[str] = frozenset()
    audiences: frozenset[str] = frozenset()
    past: bool = False


def boost(  # noqa: PLR0913, PLR0917  (a question, and all that says what it means)
    question: str,
    candidates: Sequence[Candidate],
    known: Collection[str],
    day: date,
    options: AskOptions,
    labels: Sequence[PageLabel],
    step: OpenStep,
) -> list[Candidate]:
    """The candidates, best first, those that suit the question forward. `known` are the snapshot's terms,
    `day` is today where the site is.

    A snapshot that speaks of nothing but the past is taken as it was on its last day: what is over there is
    what is over beside its newest term. `labels` are what editors say pages are.
    """
    sought = SoughtPages(
        terms_asked(question, day),
        _as_of(known, day),
        _named("asked", question),
        _named("for", question),
        MEANS_PAST.search(question) is not None,
    )
    labelled = labeller(labels)
    changes: dict[str, dict[str, float]] = {}
    ranked, by_editors = [], []
    courses = course_fits(question, [one.passage for one in candidates])
    for candidate, course in zip(candidates, courses, strict=True):
        own = candidate.passage
        passage = labelled(own)
        moved, change = _weighed(replace(candidate, course=course), sought, options, passage)
        ranked.append(moved)
        if change:
            changes[str(own.chunk_id)] = change
        if passage is not own:
            by_editors.append(own.chunk_id)
    ranked.sort(key=lambda candidate: -candidate.score)
    step.notes = {
        "terms": [term.name for term in sought.terms],
        "as_of": sought.as_of.isoformat(),
        "kinds": sorted(sought.kinds),
        "audiences": sorted(sought.audiences),
        "changes": changes,
    } | ({"labelled": by_editors} if by_editors else {})
    step.ranking = [Hit(candidate.passage.chunk_id, candidate.score) for candidate in ranked]
    return ranked


def boost_cited(
    candidates: Sequence[Candidate], cited: Iterable[Citation], step: OpenStep
) -> list[Candidate]:
    """The candidates, those of pages forward that an earlier question of the line was answered from.

    A line is about one matter more often than not.
    """
    urls = {one.url for one in cited}
    moved = (
        replace(one, score=one.score * (1 + CITED)) if one.passage.url in urls else one for one in candidates
    )
    ranked = sorted(moved, key=lambda one: -one.score)
    step.notes = {**step.notes, "cited": sorted(urls)}
    step.ranking = [Hit(one.passage.chunk_id, one.score) for one in ranked]
    return ranked


def _as_of(known: Collection[str], today: date) -> date:
    """Today, or the last day of the newest known term if that is over."""
    return min(today, max((parse_term(name).end for name in known), default=today))


def _weighed(
    candidate: Candidate, sought: SoughtPages, options: AskOptions, passage: Passage
) -> tuple[Candidate, dict[str, float]]:
    """The candidate with its new score, and the shares of it that it gained or lost, by what suits."""
    term, audience = _of_term(passage, sought), for_audience(passage.audiences, sought.audiences)
    suits = {
        "term": options.terms.weight * term,
        "kind": options.boosts.kind * of_kind(passage.kind, sought.kinds),
        "audience": options.boosts.audience * audience,
        "course": COURSE[candidate.course],
    }
    change = {name: round(share, 4) for name, share in suits.items() if share}
    stale, other = _is_stale(passage, sought), "audience" in change and audience == OTHER_STAGE
    score = candidate.score + sum(suits.values()) * abs(candidate.score)
    return replace(candidate, score=score, preference=round(term, 3), stale=stale, other_stage=other), change


def _is_stale(passage: Passage, sought: SoughtPages) -> bool:
    """Whether it is news of long ago, an event of then, what the site has put away, or what held until a term
    that has begun, where neither these nor a term is asked for. Who asks for events means those to come."""
    is_sought = sought.past if passage.kind == "event" else passage.kind in sought.kinds
    if sought.terms or is_sought:
        return False
    if has_ended(passage.section, sought.as_of):
        return True
    if passage.kind not in _OF_A_TIME:
        return False
    if passage.kind == "archived":
        return True
    if passage.kind == "news":
        latest = day_of(passage.last_modified)
    else:
        latest = max(dated_days(f"{passage.title}\n{passage.heading}\n{passage.text}"), default=None)
    return latest is not None and sought.as_of - latest > NEWS_LASTS


def _of_term(passage: Passage, sought: SoughtPages) -> float:
    """How well the passage's terms suit, −1 to 1.

    Where none is asked for, what is over steps back only if it is one of a series: its page is named by its
    term. A rule of 2019 that still holds is not over because it says so.
    """
    liked = preference(sought.terms, [parse_term(name) for name in passage.terms], sought.as_of)
    if not liked or sought.terms:
        return liked
    return liked if terms_named(passage.title) or terms_in_url(passage.url) else 0.0


def of_kind(kind: str, asked: Collection[str]) -> int:
    """1 for a page of a kind that is asked for, −1 for one that answers only what is asked so, else 0."""
    if kind in asked:
        return 1
    return 0 if kind in _PLAIN else -1


def for_audience(audiences: Collection[str], named: Collection[str]) -> float:
    """1 for a page for an audience that is named, −1 for one for people at another stage, 0 for anyone's.

    Who has a major to change or a class to drop (`ENROLLED`) is past the stage of applicants. A page for who
    is from abroad, a parent or of a stage that nobody has named steps back a little: whoever asks may be so
    and not say it.
    """
    if not set(named).isdisjoint(audiences):
        return 1.0
    stages = _STAGES.intersection(audiences)
    if stages and not _STAGES.isdisjoint(named):
        return OTHER_STAGE
    if ENROLLED in named and audiences and _NOT_YET.issuperset(audiences) and _NOT_YET.isdisjoint(named):
        return OTHER_STAGE
    return 0.0 if "undergraduate" in stages or _ANYONE.issuperset(audiences) else -FOR_OTHERS


def _named(part: str, question: str) -> frozenset[str]:
    """What a question names of a part of the lexicon."""
    return frozenset(name for name, pattern in _patterns(part).items() if pattern.search(question))


@cache
def _patterns(part: str) -> dict[str, re.Pattern[str]]:
    entries = lexicon("page_kinds").part(part)
    return {name: entries.pattern(name, r"(?<!\w)(?:{})(?!\w)") for name in entries}


def labeller(labels: Sequence[PageLabel]) -> Callable[[Passage], Passage]:
    """Gives a passage the kind and audiences that editors say its page has.

    A label of one address goes before one of several.
    """
    of_page = {bare(label.page): label for label in labels}
    beginnings = [label for label in labels if label.page.endswith("*")]

    def labelled(passage: Passage) -> Passage:
        url = bare(passage.url)
        found = of_page.get(url) or next((one for one in beginnings if url.startswith(one.page[:-1])), None)
        if found is None:
            return passage
        return replace(
            passage,
            kind=found.kind or passage.kind,
            audiences=passage.audiences if found.audiences is None else found.audiences,
        )

    return labelled if labels else lambda passage: passage


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

"""Refusal: what became of the questions of a line; of those that stay open, a sentence of plain language, the
closest pages, and whom to ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from server.ask.boost import BoostedPages
from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.phrases import content_words, words_of
from server.ask.conversation.turns import unresolved
from server.ask.quoting.score import expected_answer_types
from server.ask.scope import ScopeVerdict
from server.messages.catalogue import Texts, fill
from server.models import (
    Candidate,
    Citation,
    ClosestPage,
    Contact,
    Narrowing,
    Phrase,
    PlainContact,
    RefusalReason,
    Site,
    Tier,
)

CLOSEST_PAGES = 3
# Of several questions that are refused, the visitor is told the reason that leaves the most hope.
_REASONS: tuple[RefusalReason, ...] = ("no_evidence", "off_topic", "unsafe")


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """What was retrieved for one question: as it was searched, best passages first, its scope verdict,
    the topics it sounds like, likeliest first, and the other university it is about.

    `hints`: of a page (its URL) the words that come closest to an answer, where none is given. `own`: the
    question as the visitor puts it, where it was searched spelled out (usual.py).
    """

    question: str
    candidates: tuple[Candidate, ...] = ()
    topics: tuple[str, ...] = ()
    verdict: ScopeVerdict = "in_scope"
    boosted: BoostedPages = field(default_factory=BoostedPages)
    another: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)
    own: str = ""


@dataclass(frozen=True, slots=True)
class PartOutcome:
    """What became of one question: who answered it, or why nobody did; and what was found for it.

    `seems`: it was shown passages that seem to answer it. `confidence`: how likely its answer is right, where
    that was weighed. `quote_reason`: why the pages are quoted though a language model was there to write.
    `is_above`: what was found best for it is of a section from which another question is answered.
    """

    part: ContextualizedQuestion
    answerer: str = ""
    reason: RefusalReason | None = None
    degraded: str | None = None
    found: RetrievalResult | None = None
    seems: bool = False
    confidence: float | None = None
    quote_reason: str | None = None
    is_above: bool = False

    def beside(self, cited: Iterable[Citation]) -> PartOutcome:
        """It beside what the questions of its line are answered from."""
        best = self.found.candidates[0].passage if self.found and self.found.candidates else None
        sections = {(one.url, one.heading) for one in cited}
        return replace(self, is_above=best is not None and (best.url, best.heading) in sections)

    @property
    def verdict(self) -> ScopeVerdict:
        """Whether it is the site's business."""
        return self.found.verdict if self.found else "in_scope"

    @property
    def another(self) -> str:
        """The other university that it is about, if it is."""
        return self.found.another if self.found else ""


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What became of the whole line; `question` is what was asked, as it stands alone; `narrow` what is asked
    back."""

    answerer: str
    question: str = ""
    reason: RefusalReason | None = None
    degraded: str | None = None
    found: RetrievalResult | None = None
    seems: bool = False
    confidence: float | None = None
    quote_reason: str | None = None
    narrow: Narrowing | None = None

    @property
    def tier(self) -> Tier:
        """How sure the visitor may be of it."""
        return "refusal" if self.reason else "seems" if self.seems else "answer"

    @property
    def refused_topics(self) -> tuple[str, ...]:
        """What a refused question is about; what is off topic is about none of the site's topics."""
        return self.found.topics if self.found and self.reason == "no_evidence" else ()


def reason_of(verdict: ScopeVerdict) -> RefusalReason:
    """Why a question that does not pass is refused."""
    return "no_evidence" if verdict == "unlikely" else "off_topic"


def most_hopeful(refused: Sequence[PartOutcome]) -> PartOutcome:
    """The refused question whose reason is given for all."""
    return min(refused, key=lambda one: _REASONS.index(one.reason or "no_evidence"))


def refusal_line(one: PartOutcome, texts: Texts) -> str:
    """The sentence for a whole refusal."""
    if one.reason == "off_topic":
        if one.another:
            return fill(texts.refused_elsewhere, university=one.another)
        return texts.refused_closed if one.verdict == "closed" else texts.refused_off_topic
    return texts.refused_unsafe if one.reason == "unsafe" else texts.refused_no_evidence


def closing_lines(
    parts: Sequence[PartOutcome], left: Sequence[str], texts: Texts, *, helped: bool, shown: str = ""
) -> list[str]:
    """What is said after the answers: of the questions that were refused, and of those beyond the limit.

    Where all were refused it is one sentence; none after help lines, nor of what may be `shown` already or
    only says what another one is about. Of what is told best in a section that is cited for another question
    it is not said that there is no answer: it may well stand above.
    """
    refused = [one for one in parts if one.reason]
    lines: list[str] = []
    if refused and len(refused) == len(parts):
        if not helped:
            lines.append(refusal_line(most_hopeful(refused), texts))
    else:
        away = [one.part.asked for one in refused if one.reason != "no_evidence"]
        lines += _naming(texts.left_out, away, texts)
        answered = [one.part for one in parts if not one.reason]
        missing = [
            one
            for one in refused
            if one.reason == "no_evidence"
            and not (may_be_told(one.part.asked, shown) or _is_part_of(one.part.asked, answered))
        ]
        lines += _naming(texts.nothing_surer, [one.part.asked for one in missing if one.is_above], texts)
        lines += _naming(texts.missing, [one.part.asked for one in missing if not one.is_above], texts)
    return [*lines, *_naming(texts.too_many_questions, left, texts)]


def may_be_told(asked: str, shown: str) -> bool:
    """Whether what is shown may answer a question that goes on from another: "has she got a phone" beside a
    telephone. It has a value of each kind that is asked for, by which no more can be told."""
    kinds = expected_answer_types(asked)
    return bool(kinds and unresolved(asked)) and all(kind.looks.search(shown) for kind in kinds)


def _is_part_of(asked: str, answered: Iterable[ContextualizedQuestion]) -> bool:
    """Whether it only says what another question is about, which was answered with its words: the "japan
    exchange" of "japan exchange - how many spots"."""
    own = {word.key for word in content_words(asked)}
    return bool(own) and any(
        own <= {word.key for word in words_of(one.question)} for one in answered if one.asked != asked
    )


def _naming(message: str, parts: Sequence[str], texts: Texts) -> list[str]:
    """What is said of some of the questions, by their words; nothing of none."""
    if not parts:
        return []
    return [fill(message, questions=texts.listed([part.lstrip(" ¿¡").rstrip(" ?.!") for part in parts]))]


def is_refusal(text: str, languages: Iterable[Texts]) -> bool:
    """Whether an earlier answer was a whole refusal, in whichever language: there is none to doubt."""
    return text.startswith(tuple(line for texts in languages for line in texts.refusals()))


def closest_pages(found: RetrievalResult | None) -> tuple[ClosestPage, ...]:
    """Up to three different pages, pinned ones first and then the best."""
    if found is None:
        return ()
    pages: dict[str, ClosestPage] = {}
    for candidate in sorted(found.candidates, key=lambda one: not found.boosted.pins(one.passage.url)):
        url = candidate.passage.url
        pages.setdefault(url, ClosestPage(url, candidate.passage.title, found.hints.get(url, "")))
    return tuple(pages.values())[:CLOSEST_PAGES]


def contacts_for(site: Site | None, topics: Iterable[str]) -> tuple[PlainContact, ...]:
    """Whom to ask: the contacts of the likeliest topic that has any, or else the site's own."""
    if site is None:
        return ()
    known = (site.topic(name) for name in topics)
    contacts = next((topic.contacts for topic in known if topic and topic.contacts), site.contacts)
    return tuple(_plain(contact, site.content_language) for contact in contacts)


def _plain(contact: Contact, lang: str) -> PlainContact:
    def said(words: Phrase) -> str:
        return words.said_in(lang)

    return PlainContact(said(contact.label), contact.email, contact.phone, contact.url, said(contact.hours))


def summed_up(parts: Sequence[PartOutcome], *, is_helped: bool) -> LineOutcome:
    """One outcome of all questions. Help lines with nothing found beside them are no refusal."""
    answered = [one for one in parts if not one.reason]
    question = " ".join(one.found.question if one.found else one.part.question for one in parts)
    if not answered and (is_helped or not parts):
        return LineOutcome("help", question)
    main = answered[0] if answered else most_hopeful(parts)
    found = main.found or next((one.found for one in parts if one.found), None)
    outcome = LineOutcome(
        main.answerer or "extractive",
        question,
        degraded=next((one.degraded for one in parts if one.degraded), None),
        found=found,
        seems=all(one.seems for one in answered),
        confidence=main.confidence,
        quote_reason=next((one.quote_reason for one in parts if one.quote_reason), None),
    )
    return outcome if answered else replace(outcome, reason=main.reason)

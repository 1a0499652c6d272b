"""Refusal: what became of the questions of a line; of those that stay open, a sentence of plain language, the
closest pages, and whom to ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from server.ask.boost import BoostedPages
from server.ask.contextualize import ContextualizedQuestion
from server.ask.scope import ScopeVerdict
from server.models import Candidate, ClosestPage, Contact, Phrase, PlainContact, RefusalReason, Site

CLOSEST_PAGES = 3

NOT_FOUND = "I could not find this on the university's pages. These pages come closest."
UNSAFE = "I cannot help with that. I only answer questions from the university's own pages."


# Of several questions that are refused, the visitor is told the reason that leaves the most hope.
_REASONS: tuple[RefusalReason, ...] = ("no_evidence", "off_topic", "unsafe")


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """What was retrieved for one question: as it was searched, best passages first, its scope verdict,
    the topics it sounds like, likeliest first, and the other university it is about."""

    question: str
    candidates: tuple[Candidate, ...] = ()
    topics: tuple[str, ...] = ()
    verdict: ScopeVerdict = "in_scope"
    boosted: BoostedPages = field(default_factory=BoostedPages)
    another: str = ""


@dataclass(frozen=True, slots=True)
class PartOutcome:
    """What became of one question: who answered it, or why nobody did; and what was found for it.

    `is_said`: the visitor has read something for it although it was refused.
    """

    part: ContextualizedQuestion
    answerer: str = ""
    reason: RefusalReason | None = None
    degraded: str | None = None
    found: RetrievalResult | None = None
    is_said: bool = False

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
    """What became of the whole line; `question` is what was asked, as it stands alone."""

    answerer: str
    question: str = ""
    reason: RefusalReason | None = None
    degraded: str | None = None
    found: RetrievalResult | None = None

    @property
    def refused_topics(self) -> tuple[str, ...]:
        """What a refused question is about; what is off topic is about none of the site's topics."""
        return self.found.topics if self.found and self.reason == "no_evidence" else ()


def most_hopeful(refused: Sequence[PartOutcome]) -> PartOutcome:
    """The refused question whose reason is given for all."""
    return min(refused, key=lambda one: _REASONS.index(one.reason or "no_evidence"))


def refusal_line(reason: RefusalReason, verdict: ScopeVerdict, site_name: str, another: str = "") -> str:
    """The sentence for a whole refusal; `another` is the university that was asked about instead."""
    if reason == "off_topic":
        return another_line(another, site_name) if another else off_topic_line(verdict, site_name)
    return UNSAFE if reason == "unsafe" else NOT_FOUND


def closing_lines(
    parts: Sequence[PartOutcome], left: Sequence[str], site_name: str, *, helped: bool
) -> list[str]:
    """What is said after the answers: of the questions that were refused, and of those beyond the limit.

    Where all were refused it is one sentence; none after help lines or some of an answer.
    """
    refused = [one for one in parts if one.reason]
    lines: list[str] = []
    if refused and len(refused) == len(parts):
        if not (helped or any(one.is_said for one in parts)):
            one = most_hopeful(refused)
            lines.append(refusal_line(one.reason or "no_evidence", one.verdict, site_name, one.another))
    else:
        away = [one.part.asked for one in refused if one.reason != "no_evidence"]
        lines.append(out_of_scope_line(away, site_name))
        lines.append(missing_line([one.part.asked for one in refused if one.reason == "no_evidence"]))
    return [line for line in (*lines, left_line(left)) if line]


def missing_line(parts: Sequence[str]) -> str:
    """What is said of the questions that stay open beside others that were answered; empty for none."""
    if not parts:
        return ""
    return f"I could not find an answer to {_quoted(parts)} on the university's pages."


def out_of_scope_line(parts: Sequence[str], site_name: str) -> str:
    """What is said of the parts that belong elsewhere; empty for none."""
    if not parts:
        return ""
    return f"I can only answer questions about {site_name}, so I leave out {_quoted(parts)}."


def left_line(parts: Sequence[str]) -> str:
    """What is said of the questions beyond the limit; empty for none."""
    if not parts:
        return ""
    return f"That was a lot at once: please ask {_quoted(parts)} again by itself."


def off_topic_line(verdict: ScopeVerdict, site_name: str) -> str:
    """What a visitor is told; empty for a question that passes."""
    if verdict == "off_topic":
        return f"That is outside what I can help with: I only answer questions about {site_name}."
    if verdict == "closed":
        return f"I can only help with {site_name}. Ask me about it, and we go on from there."
    return ""


def another_line(another: str, site_name: str) -> str:
    """What a visitor is told who asks about another university."""
    return f"I only answer questions about {site_name}, and this one is about {another}."


def _quoted(parts: Sequence[str]) -> str:
    return " and ".join(f"“{part.rstrip(' ?.!')}”" for part in parts)


_OFF_TOPIC = tuple(
    line.partition("\0")[0]
    for line in (off_topic_line("off_topic", "\0"), off_topic_line("closed", "\0"), another_line("", "\0"))
)


def is_refusal(text: str) -> bool:
    """Whether an earlier answer was one of these lines and nothing else, so that there is none to doubt."""
    return text.strip() in (NOT_FOUND, UNSAFE) or text.startswith(_OFF_TOPIC)


def closest_pages(found: RetrievalResult | None) -> tuple[ClosestPage, ...]:
    """Up to three different pages, pinned ones first and then the best."""
    if found is None:
        return ()
    pages: dict[str, ClosestPage] = {}
    for candidate in sorted(found.candidates, key=lambda one: not found.boosted.pins(one.passage.url)):
        pages.setdefault(candidate.passage.url, ClosestPage(candidate.passage.url, candidate.passage.title))
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

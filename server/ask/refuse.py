"""Refusal: a sentence of plain language, the closest pages, and whom to ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from server.ask.decompose import left_line, out_of_scope_line
from server.ask.outcome import PartOutcome, most_hopeful
from server.ask.scope import ScopeVerdict, off_topic_line
from server.models import Candidate, ClosestPage, Contact, Phrase, PlainContact, RefusalReason, Site

CLOSEST_PAGES = 3

NOT_FOUND = "I could not find this on the university's pages. These pages come closest."
UNSAFE = "I cannot help with that. I only answer questions from the university's own pages."
NOTHING_MORE = "I could not find more about this on the university's pages."


def refusal_line(reason: RefusalReason, verdict: ScopeVerdict, site_name: str) -> str:
    """The sentence for a whole refusal."""
    if reason == "off_topic":
        return off_topic_line(verdict, site_name)
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
            lines.append(refusal_line(one.reason or "no_evidence", one.verdict, site_name))
    else:
        away = [one.part.asked for one in refused if one.reason != "no_evidence"]
        lines.append(out_of_scope_line(away, site_name))
        lines.append(missing_line([one.part.asked for one in refused if one.reason == "no_evidence"]))
    return [line for line in (*lines, left_line(left)) if line]


def missing_line(parts: Sequence[str]) -> str:
    """What is said of the questions that stay open beside others that were answered; empty for none."""
    if not parts:
        return ""
    named = " and ".join(f"“{part.rstrip(' ?.!')}”" for part in parts)
    return f"I could not find an answer to {named} on the university's pages."


def is_refusal(text: str) -> bool:
    """Whether an earlier answer was one of these lines and nothing else, so that there is none to doubt."""
    return text.strip() in (NOT_FOUND, UNSAFE) or text.startswith(_OFF_TOPIC)


_OFF_TOPIC = tuple(off_topic_line(verdict, "\0").partition("\0")[0] for verdict in ("off_topic", "closed"))


def closest_pages(candidates: Iterable[Candidate]) -> tuple[ClosestPage, ...]:
    """Up to three different pages, best first."""
    pages: dict[str, ClosestPage] = {}
    for candidate in candidates:
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

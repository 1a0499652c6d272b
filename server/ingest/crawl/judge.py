"""What a reply means: a page to keep, nothing new, gone, moved, or not for us."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace

from server.ingest.crawl.fetch import PAGE_TYPES, Reply
from server.ingest.crawl.links import PageFacts, read_facts, robots_words
from server.ingest.crawl.nouns import Copy, Outcome, Queued
from server.ingest.crawl.store import now_iso
from server.ingest.crawl.urls import normalise

HTML_TYPES = frozenset(("text/html", "application/xhtml+xml"))
RETRY_STATUSES = frozenset((408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A URL's outcome with what it brought; `text_key` is None for what has no text."""

    outcome: Outcome
    copy: Copy | None = None
    facts: PageFacts | None = None
    target: str | None = None

    @property
    def text_key(self) -> str | None:
        """What tells this page's text from another's."""
        if self.facts is not None and self.facts.text_key:
            return self.facts.text_key
        return self.copy.body_hash if self.copy else None


def judge(item: Queued, reply: Reply, agent: str) -> Verdict:
    """The verdict on any reply but 304, whose page is the copy we hold."""
    status = reply.status
    if 300 <= status < 400:
        return _moved(reply)
    if status in (404, 410) and item.body_hash is not None:
        return Verdict(Outcome("gone", f"http {status}", "The page has been taken away.", status))
    if not 200 <= status < 300:
        return Verdict(Outcome("failed", f"http {status}", f"The server answered {status}.", status))
    kind = page_type(reply)
    if kind is None:
        named = reply.content_type or "binary data"
        return Verdict(Outcome("skipped", "type", f"{named} is not read.", status))
    facts = facts_of(reply, agent)
    copy = _copy(reply, kind, facts)
    known = copy.body_hash == item.body_hash
    outcome = Outcome("unchanged" if known else "fetched", status=status)
    return Verdict(outcome.cut(facts.cut), copy, facts)


def _moved(reply: Reply) -> Verdict:
    location = reply.headers.get("location")
    target = normalise(location, reply.url) if location else None
    if target is None:
        return Verdict(Outcome("failed", "redirect", "A redirect to nowhere.", reply.status))
    return Verdict(Outcome("redirect", None, f"Leads to {target}", reply.status), target=target)


def page_type(reply: Reply) -> str | None:
    """The media type by header and first bytes, or None when it is not one that we keep."""
    kind, start = reply.content_type, reply.body[:1024]
    if kind and kind not in PAGE_TYPES:
        return None
    if start.startswith(b"%PDF-"):
        return "application/pdf"
    if b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    if kind == "application/pdf":
        return None
    return kind or ("text/html" if b"<" in start else "text/plain")


def facts_of(reply: Reply, agent: str) -> PageFacts:
    """Links and robots words of a page, those of its `X-Robots-Tag` header among them."""
    told = robots_words(reply.headers.get("x-robots-tag", ""), agent)
    if page_type(reply) not in HTML_TYPES:
        return PageFacts(robots=told)
    facts = read_facts(reply.body, reply.url, reply.charset, agent)
    return replace(facts, robots=facts.robots | told)


def _copy(reply: Reply, kind: str, facts: PageFacts) -> Copy:
    digest = hashlib.sha256(reply.body).hexdigest()
    return Copy(
        content_type=kind,
        headers=json.dumps(dict(reply.headers)),
        etag=reply.headers.get("etag"),
        last_modified=reply.headers.get("last-modified"),
        body=reply.body,
        body_hash=digest,
        text_key=facts.text_key or digest,
        canonical=facts.canonical,
        noindex="noindex" in facts.robots,
        fetched_at=now_iso(),
        text_hash=facts.text_hash or digest,
    )

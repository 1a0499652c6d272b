"""A TOML file of entries of one kind, such as `[[rule]]`, whose values are strings."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from server.errors import BadInputError
from server.ingest.documents.read import PLAIN, document_type
from server.ingest.extract.charset import looks_binary
from server.ingest.informative import says_something
from server.ingest.near_duplicates import NearDuplicates
from server.models import Document, Drop, SourcePage
from server.toml_files import read_entries

_KEYS = frozenset({"reason", "prefix", "pattern", "why"})
_REASON = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Rule:
    """Pages whose address has this prefix, or this pattern in it, are left out for this reason.

    A prefix that begins with `/` is one of the path, on any host; another is one of the whole URL.
    A pattern is a regular expression, searched for in the path and query.
    """

    reason: str
    prefix: str | None = None
    pattern: re.Pattern[str] | None = None
    why: str = ""

    def matches(self, url: str) -> bool:
        """Whether a page of this address is left out."""
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if self.prefix is not None:
            return (path if self.prefix.startswith("/") else url).startswith(self.prefix)
        return self.pattern is not None and self.pattern.search(path) is not None

    def __str__(self) -> str:
        named = f"prefix {self.prefix}" if self.prefix is not None else f"pattern for {self.reason}"
        return f"{named}: {self.why}" if self.why else named


def load_rules(path: Path) -> tuple[Rule, ...]:
    """The rules of a file, in its order; a `BadInputError` names the rule that is wrong, counted from 1."""
    entries = read_entries(path, "rule", _KEYS, f"The filter rules {path}", "are")
    return tuple(_rule(name, entry) for name, entry in entries)


def _rule(name: str, entry: Mapping[str, str]) -> Rule:
    reason, prefix, pattern = entry.get("reason", ""), entry.get("prefix"), entry.get("pattern")
    if not _REASON.fullmatch(reason):
        raise BadInputError(f"{name} has the reason {reason!r}; it takes a small word such as archive.")
    if (prefix is None) == (pattern is None) or prefix == "" or pattern == "":
        raise BadInputError(f"{name} takes either a prefix or a pattern.")
    try:
        return Rule(
            reason, prefix, re.compile(pattern, re.IGNORECASE) if pattern else None, entry.get("why", "")
        )
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInputError(f"{name} has a pattern that is no regular expression: {error}.") from None


_TEXT_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/x-html", "text/markdown", *PLAIN})
_NOT_FOUND = re.compile(
    r"\b(?:page|file|document|url|content)\b.{0,20}\b(?:not|n't|cannot be|could not be|no longer)\b.{0,12}"
    r"\b(?:found|exists?|available|here)\b|^(?:error )?404\b|\b404 (?:error|not found)|\bnot found$",
    re.IGNORECASE,
)
_LONGEST_NOT_FOUND = 1500  # a longer page is about something, whatever its heading


class PageFilter:
    """The filters in their order: status, type, duplicates, rules, and whether a short page says anything.

    It remembers the pages it has kept: of two alike the first stays, so the order pages are given in decides,
    and the same order always decides the same. `jaccard` is the share of five-word runs that makes two alike.
    """

    def __init__(self, rules: tuple[Rule, ...], min_chars: int, jaccard: float) -> None:
        self._rules = rules
        self._min_chars = min_chars
        self._kept: dict[bytes, str] = {}  # digest of the text → URL
        self._alike = NearDuplicates(jaccard)
        self.copies: dict[str, str] = {}  # URL of a page left out as one alike → the one kept

    def before_extract(self, page: SourcePage) -> Drop | None:
        """What can be told from the response alone."""
        if page.status != 200:
            return Drop(page.url, "status", f"The server answered {page.status}.")
        kind = (page.content_type or "").partition(";")[0].strip().casefold()
        if document_type(page):
            return None
        if kind and kind not in _TEXT_TYPES:
            return Drop(page.url, "type", f"A page of the type {kind} has no text to read.")
        if page.body[:5] == "%PDF-" or (isinstance(page.body, bytes) and looks_binary(page.body)):
            return Drop(page.url, "type", "What was sent as a page is no text.")
        return None

    def after_extract(self, document: Document) -> Drop | None:
        """What only the text tells; a document that passes is remembered and later ones compared."""
        text = document.text
        if len(text) <= _LONGEST_NOT_FOUND and _says_not_found(document):
            return Drop(document.url, "soft_404", "The page only says that it was not found.")
        digest = hashlib.sha256(" ".join(text.casefold().split()).encode()).digest()
        if text and digest in self._kept:
            self.copies[document.url] = self._kept[digest]
            return Drop(document.url, "duplicate", f"The same text as {self._kept[digest]}.")
        like = self._alike.like(text, document.title, document.url)
        if like.url is not None:
            self.copies[document.url] = like.url
            return Drop(document.url, "near_duplicate", f"Nearly the same text as {like.url}.")
        for rule in self._rules:
            if rule.matches(document.url):
                return Drop(document.url, rule.reason, f"Left out by the rule with the {rule}")
        if len(text) < self._min_chars and not says_something(document):
            detail = (
                f"{len(text)} characters of main text, under {self._min_chars}, without a fact or sentence."
            )
            return Drop(document.url, "short", detail)
        self._kept[digest] = document.url
        self._alike.keep(document.url, like)
        return None


def _says_not_found(document: Document) -> bool:
    heading = next((path[0] for section in document.sections if (path := section.heading_path)), "")
    return bool(_NOT_FOUND.search(document.title) or _NOT_FOUND.search(heading))

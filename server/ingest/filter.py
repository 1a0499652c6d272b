"""Which pages are worth indexing; each one that is not keeps the reason."""

import hashlib
import re

from server.ingest.extracting.charset import looks_binary
from server.ingest.likeness import LikePages
from server.ingest.rules import Rule
from server.records import Document, Drop, SourcePage

_TEXT_TYPES = frozenset(
    {"text/html", "application/xhtml+xml", "text/plain", "text/markdown", "text/csv", "text/x-html"}
)
_NOT_FOUND = re.compile(
    r"\b(?:page|file|document|url|content)\b.{0,20}\b(?:not|n't|cannot be|could not be|no longer)\b.{0,12}"
    r"\b(?:found|exists?|available|here)\b|^(?:error )?404\b|\b404 (?:error|not found)|\bnot found$",
    re.IGNORECASE,
)
_LONGEST_NOT_FOUND = 1500  # a longer page is about something, whatever its heading


class PageFilter:
    """The filters in their order: status, type, duplicates, rules, length.

    It remembers the pages it has kept: of two alike the first stays, so the order pages are given in decides,
    and the same order always decides the same. `jaccard` is the share of five-word runs that makes two alike.
    """

    def __init__(self, rules: tuple[Rule, ...], min_chars: int, jaccard: float) -> None:
        self._rules = rules
        self._min_chars = min_chars
        self._kept: dict[bytes, str] = {}  # digest of the text → URL
        self._alike = LikePages(jaccard)

    def before_extract(self, page: SourcePage) -> Drop | None:
        """What can be told from the response alone."""
        if page.status != 200:
            return Drop(page.url, "status", f"The server answered {page.status}.")
        kind = (page.content_type or "").partition(";")[0].strip().casefold()
        head = page.body[:5]
        if kind == "application/pdf" or head in (b"%PDF-", "%PDF-"):
            return Drop(page.url, "pdf", "PDF files are kept by the crawler but not read yet.")
        if kind and kind not in _TEXT_TYPES:
            return Drop(page.url, "type", f"A page of the type {kind} has no text to read.")
        if isinstance(page.body, bytes) and looks_binary(page.body):
            return Drop(page.url, "type", "What was sent as a page is no text.")
        return None

    def after_extract(self, document: Document) -> Drop | None:
        """What only the text tells; a document that passes is remembered and later ones compared."""
        text = document.text
        if len(text) <= _LONGEST_NOT_FOUND and _says_not_found(document):
            return Drop(document.url, "soft_404", "The page only says that it was not found.")
        digest = hashlib.sha256(" ".join(text.casefold().split()).encode()).digest()
        if text and digest in self._kept:
            return Drop(document.url, "duplicate", f"The same text as {self._kept[digest]}.")
        like = self._alike.like(text)
        if like.url is not None:
            return Drop(document.url, "near_duplicate", f"Nearly the same text as {like.url}.")
        for rule in self._rules:
            if rule.matches(document.url):
                return Drop(document.url, rule.reason, f"Left out by the rule with the {rule}")
        if len(text) < self._min_chars:
            return Drop(
                document.url, "short", f"{len(text)} characters of main text, under {self._min_chars}."
            )
        self._kept[digest] = document.url
        self._alike.keep(document.url, like)
        return None


def _says_not_found(document: Document) -> bool:
    heading = next((path[0] for section in document.sections if (path := section.heading_path)), "")
    return bool(_NOT_FOUND.search(document.title) or _NOT_FOUND.search(heading))

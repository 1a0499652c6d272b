"""Pages that are empty until a browser has run their scripts."""

from __future__ import annotations

import re

from server.models import Document, SourcePage

# With less text than this, in characters, a page that says it needs scripts is taken at its word.
LEAST_TEXT = 250
_ROOTS = "root|app|main-app|__next|__nuxt|___gatsby|svelte|ember-app|react-root"
_EMPTY_ROOT = re.compile(
    rf"<(?:div|main|section)\b[^<>]*\bid=[\"']?(?:{_ROOTS})[\"']?[^<>]*>\s*</|<(?:app-root|ng-app)\b[^<>]*>\s*</",
    re.IGNORECASE,
)
_ASKS_FOR_SCRIPTS = re.compile(
    r"<noscript\b[^<>]*>(?:(?!</noscript).){0,2000}?"
    r"\b(?:enable|activate|turn on|requires?|requiere|needs?|necesita|habilit\w+|activ\w+)\b"
    r"(?:(?!</noscript).){0,200}?javascript",
    re.IGNORECASE | re.DOTALL,
)


def needs_browser(page: SourcePage, document: Document) -> bool:
    """Whether the page has next to no text, and an empty place that scripts fill or a word that they must."""
    return page.is_html and len(document.text) < LEAST_TEXT and asks_for_browser(page.body)


def asks_for_browser(body: bytes | str) -> bool:
    """Whether the HTML has an empty place that scripts fill, or says that they must; it may have text."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    return bool(_EMPTY_ROOT.search(text) or _ASKS_FOR_SCRIPTS.search(text))

"""Which terms a page and each of its chunks speak of, and whether the site has put the page away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from server.academic_terms import Term, terms_in, terms_in_url
from server.models import Chunk, Document

_ARCHIVED_URL = re.compile(r"/(?:archives?|archived)(?:/|$)", re.IGNORECASE)
_ARCHIVED_TITLE = re.compile(r"^\W*archived?\b|\(archived?\)|\[archived?\]", re.IGNORECASE)


def with_terms(document: Document, chunks: Sequence[Chunk]) -> tuple[Document, tuple[Chunk, ...]]:
    """The page and its chunks with their terms.

    A chunk speaks of what its nearest heading that names a term names, and below none of what its text does:
    a spring's dates have the registration for fall among them. One that names nothing speaks of what the
    page's title and address name, for a calendar says its year once.
    """
    above = {term.name: term for term in (*terms_in(document.title), *terms_in_url(document.url))}
    own = [_of_headings(chunk) or terms_in(chunk.text) for chunk in chunks]
    everywhere = sorted({*above.values(), *(term for terms in own for term in terms)})
    page = replace(document, terms=_names(everywhere), archived=is_archived(document))
    whole = _names(sorted(above.values()))
    return page, tuple(
        replace(chunk, terms=_names(terms) or whole) for chunk, terms in zip(chunks, own, strict=True)
    )


def _of_headings(chunk: Chunk) -> tuple[Term, ...]:
    return next(filter(None, map(terms_in, reversed(chunk.heading_path))), ())


def is_archived(document: Document) -> bool:
    """Whether the page's address or title calls it an archive."""
    path, title = urlsplit(document.url).path, document.title
    return bool(_ARCHIVED_URL.search(path) or _ARCHIVED_TITLE.search(title))


def _names(terms: Sequence[Term]) -> tuple[str, ...]:
    return tuple(term.name for term in terms)

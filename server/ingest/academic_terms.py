"""Which terms a page and each of its chunks speak of, and whether the site has put the page away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from server.academic_terms import Term, terms_in, terms_in_url, terms_named
from server.lexicons import lexicon
from server.models import Chunk, Document

_LEXICON = lexicon("page_kinds").part("put_away")
_ADDRESS, _TITLE = _LEXICON.pattern("address", r"/(?:{})(?:/|$)"), _LEXICON.pattern("title")
_SAID = _LEXICON.pattern("said", r"\b(?:{})\b")
# A page says at its top, or in its description, that it is put away.
OPENING_CHARS = 300


def with_terms(document: Document, chunks: Sequence[Chunk]) -> tuple[Document, tuple[Chunk, ...]]:
    """The page and its chunks with their terms.

    A chunk speaks of what its nearest heading that names a term names, and below none of what its text does:
    a spring's dates have the registration for fall among them. One that names nothing speaks of what the
    page's title and address name, for a calendar says its year once.
    """
    above = {term.name: term for term in (*terms_named(document.title), *terms_in_url(document.url))}
    own = [_of_headings(chunk) or terms_in(chunk.text) for chunk in chunks]
    everywhere = sorted({*above.values(), *(term for terms in own for term in terms)})
    page = replace(document, terms=_names(everywhere), archived=is_archived(document))
    whole = _names(sorted(above.values()))
    return page, tuple(
        replace(chunk, terms=_names(terms) or whole) for chunk, terms in zip(chunks, own, strict=True)
    )


def _of_headings(chunk: Chunk) -> tuple[Term, ...]:
    return next(filter(None, map(terms_named, reversed(chunk.heading_path))), ())


def is_archived(document: Document) -> bool:
    """Whether the page's address or title calls it an archive, or the page says so itself."""
    path, title = urlsplit(document.url).path, document.title
    in_short, opening = document.description, document.text[:OPENING_CHARS]
    is_called = _ADDRESS.search(path) or any(map(_TITLE.search, (title, in_short)))
    return bool(is_called or any(map(_SAID.search, (in_short, opening))))


def _names(terms: Sequence[Term]) -> tuple[str, ...]:
    return tuple(term.name for term in terms)

"""What lines of a page that become data have in common: the headings and terms above, and their chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from server.academic_terms import Term, terms_in_url, terms_named
from server.models import Chunk, Document, Section
from server.models.deadlines import DataLine


def context_of(document: Document, section: Section) -> str:
    """The page's title and the headings above, each once."""
    return " › ".join(dict.fromkeys((document.title, *section.heading_path)))


def terms_above(document: Document, section: Section) -> tuple[Term, ...]:
    """The terms that the nearest heading names, or else the page's title and address."""
    of_page = (*terms_named(document.title), *terms_in_url(document.url))
    return tuple(next(filter(None, map(terms_named, reversed(section.heading_path))), of_page))


def in_chunks(lines: Iterable[DataLine], chunks: Sequence[Chunk]) -> Iterator[DataLine]:
    """Each with the first chunk that has its line; those that no chunk has are left out."""
    for one in lines:
        chunk = chunk_of(one.line, chunks)
        if chunk is not None:
            yield replace(one, chunk_id=chunk)


def chunk_of(line: str, chunks: Sequence[Chunk]) -> int | None:
    """The ordinal of the first chunk that has the line; None where none does."""
    return next((chunk.ordinal for chunk in chunks if line in chunk.text), None)

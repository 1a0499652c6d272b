"""A larger site than there is: copies of a snapshot's pages that no search can take for one and the same.

A copy has its page's title, headings, topic and dates. Its sentences are dealt out anew among all pages of
that copy, so that its passages have the site's words in other company, and it has a made-up word of its
own, so that the vocabulary grows with the pages. Its vectors are its page's, each turned by one fixed angle
towards the vector of another passage: so they lie where texts of this kind lie, and no two are the same.
Nothing is embedded.

What this cannot show: a real site ten times as large speaks of more things. Here every subject is there as
often as there are copies, so every posting list grows by the multiple (a real site's rare words stay rare),
the passages near a question come in families of copies, and text and vector of a copy do not speak of the
same. Time, memory and the graph's recall can be read off it; whether answers are found cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from server.models import Chunk, Document
from server.sentences import sentences

Vectors = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Page = tuple[Document, tuple[Chunk, ...]]

BATCH_PAGES = 500
SEED = 20_250_101
# XX
COPY_COSINE = 0.8
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]


@dataclass(frozen=True, slots=True)
class GrowthSource:
    """The pages of a snapshot with their chunks, a unit vector for each chunk in the same order, and the
    topic and sub-topic of each page by URL."""

    pages: Sequence[Page]
    vectors: Vectors
    topics: Mapping[str, tuple[str | None, str | None]]


def grown(site: GrowthSource, multiple: int, seed: int = SEED) -> Iterator[tuple[list[Page], Vectors]]:
    """The site itself and `multiple` − 1 copies, in batches of pages with their vectors.

    The same for the same seed.
    """
    yield from _batches(site.pages, site.vectors)
    parts = [_sentences(chunk.text) for _, chunks in site.pages for chunk in chunks]
    round_of_all = np.random.default_rng(seed).permutation(len(site.vectors))
    for copy in range(1, multiple):
        random = np.random.default_rng([seed, copy])
        texts = iter(dealt_anew(parts, random))
        pages = [_copied(page, copy, _made_up_word(random), texts) for page in site.pages]
        yield from _batches(pages, turned(site.vectors, site.vectors[partners(round_of_all, copy)]))


def grown_topics(site: GrowthSource, multiple: int) -> dict[str, tuple[str | None, str | None]]:
    """The topics of the pages that `grown` yields, by URL."""
    return {_url(url, copy): topic for copy in range(multiple) for url, topic in site.topics.items()}


def turned(vectors: Vectors, towards: Vectors, cosine: float = COPY_COSINE) -> Vectors:
    """Unit vectors at this cosine from `vectors`: each turned towards its partner, in the plane of both.

    Both have shape (n, dims) and rows of unit length. A row that points where its partner does stays.
    """
    across = towards - np.einsum("ij,ij->i", vectors, towards)[:, None] * vectors
    length = np.linalg.norm(across, axis=1, keepdims=True)
    sine = np.sqrt(1 - cosine**2)
    moved = cosine * vectors + sine * across / np.maximum(length, 1e-6)
    found = np.where(length > 1e-3, moved, vectors).astype(np.float32)
    unit: Vectors = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def dealt_anew(parts: Sequence[Sequence[str]], random: np.random.Generator) -> list[str]:
    """Texts of as many sentences each as before, drawn from the sentences of all of them."""
    every = [sentence for of_text in parts for sentence in of_text]
    drawn = iter(random.permutation(len(every)))
    return [" ".join(every[next(drawn)] for _ in of_text) for of_text in parts]


def partners(round_of_all: Ids, copy: int) -> Ids:
    """For each member of the round the one so many places on: another one, and in each copy another."""
    places = 1 + (copy - 1) % max(len(round_of_all) - 1, 1)
    partners = np.empty_like(round_of_all)
    partners[round_of_all] = np.roll(round_of_all, -places)
    return partners


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def _made_up_word(random: np.random.Generator) -> str:
    """Letters alone, as the index wants its vocabulary."""
    return "".join(_SYLLABLES[i] for i in random.integers(len(_SYLLABLES), size=5))


def _copied(page: Page, copy: int, word: str, texts: Iterator[str]) -> Page:
    document, chunks = page
    url = _url(document.url, copy)
    copied = tuple(replace(chunk, url=url, text=f"{next(texts)} {word}") for chunk in chunks)
    return replace(document, url=url), copied


def _url(url: str, copy: int) -> str:
    return f"{url}{'&' if '?' in url else '?'}copy={copy}" if copy else url


def _batches(pages: Sequence[Page], vectors: Vectors) -> Iterator[tuple[list[Page], Vectors]]:
    first = 0
    for start in range(0, len(pages), BATCH_PAGES):
        batch = list(pages[start : start + BATCH_PAGES])
        end = first + sum(len(chunks) for _, chunks in batch)
        yield batch, vectors[first:end]
        first = end

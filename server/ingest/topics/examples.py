"""What the classifiers learn from: chunks, sentences, and questions made of titles and headings."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from server.models import Chunk
from server.sentences import sentences

Vector = npt.NDArray[np.float32]
K = TypeVar("K")
T = TypeVar("T")

# How visitors ask for what a title or a heading names; which form a text gets is drawn by its hash.
_TITLE_FORMS = (
    "{title}",
    "what is {title}?",
    "where do I find {title}",
    "tell me about {title}",
    "how does {title} work?",
    "I have a question about {title}",
)
_HEADING_FORMS = (
    "{heading}",
    "{heading} {title}",
    "what are the {heading} for {title}?",
    "how do I find out about {heading}?",
    "where is the {heading}",
    "when is {heading}?",
    "how much is {heading}",
    "who can help me with {heading}?",
    "do you have {heading}?",
)
_SENTENCE_WORDS = range(5, 41)
_HEADING_WORDS = range(1, 15)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A chunk of the site with its unit vector."""

    chunk: Chunk
    vector: Vector


class ChunkSample:
    """At most `most` chunks of a site, the same whatever the order they come in, with all its parts in it.

    Of a part (a first directory) with many chunks only so many are kept that the whole fits.
    """

    def __init__(self, most: int = 8000) -> None:
        self._most = most
        self._parts: dict[str, list[Excerpt]] = defaultdict(list)
        self._size = 0

    def add(self, chunks: Sequence[Chunk], vectors: npt.NDArray[np.float32]) -> None:
        """Some chunks and the unit vector of each."""
        for chunk, vector in zip(chunks, vectors, strict=True):
            self._parts[_part(chunk.url)].append(Excerpt(chunk, vector.copy()))
        self._size += len(chunks)
        if self._size > 2 * self._most:
            self._thin()

    def excerpts(self) -> list[Excerpt]:
        """The sample, in an order of its own."""
        self._thin()
        return sorted((e for part in self._parts.values() for e in part), key=_draw)

    def _thin(self) -> None:
        kept = evenly(self._parts, self._most, _draw)
        self._parts = defaultdict(list, kept)
        self._size = sum(map(len, kept.values()))


def made_questions(chunk: Chunk) -> list[str]:
    """Questions that the chunk's page answers, from its title and its heading."""
    title = chunk.title.partition(" | ")[0].partition(" – ")[0].strip()
    heading = chunk.heading_path[-1].strip() if chunk.heading else ""
    made = [_form(_TITLE_FORMS, title, title)] if title else []
    if heading.endswith("?"):
        made.append(heading)
    elif len(heading.split()) in _HEADING_WORDS:
        made.append(_form(_HEADING_FORMS, title, heading))
    return made


def a_sentence(chunk: Chunk) -> list[str]:
    """One sentence of the chunk's text, of a usual length; none where it has none."""
    texts = [chunk.text[start:end] for start, end in sentences(chunk.text)]
    fit = [text for text in texts if len(text.split()) in _SENTENCE_WORDS]
    return [min(fit, key=draw)] if fit else []


def evenly(groups: dict[K, list[T]], most: int, order: Callable[[T], int]) -> dict[K, list[T]]:
    """At most `most` members of all groups together: the first of each by `order`, as many of each as fit."""
    sizes = [len(members) for members in groups.values()]
    cap = max(sizes, default=0)
    while cap > 1 and sum(min(size, cap) for size in sizes) > most:
        cap -= max(1, cap // 50)
    return {
        name: sorted(members, key=order)[:cap] if len(members) > cap else members
        for name, members in groups.items()
    }


def draw(text: str) -> int:
    """A number that looks random, the same for the same text in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def _form(forms: Sequence[str], title: str, heading: str) -> str:
    form = forms[draw(f"{title}\n{heading}") % len(forms)]
    return form.format(title=title, heading=heading)


def _draw(excerpt: Excerpt) -> int:
    return draw(f"{excerpt.chunk.url}#{excerpt.chunk.ordinal}")


def _part(url: str) -> str:
    return urlsplit(url).path.partition("/")[2].partition("/")[0]

"""A made-up site of three sections, and an embedder that gives each a direction of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from server.ingest.topics.examples import Excerpt, Vector
from server.models import Chunk

DIMS = 12
SITE = "https://example.edu"
SECTIONS = ("library", "housing", "sports")
GENERAL = tuple(f"weather number {i}" for i in range(20))


def vector_of(text: str) -> Vector:
    """A unit vector: mostly the direction of the section the text names, and a little of its own."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")
    vector = np.random.default_rng(seed).normal(scale=0.15, size=DIMS)
    for axis, word in enumerate((*SECTIONS, "weather", "north", "south")):
        vector[axis] += word in text.casefold()
    unit: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


def embed(texts: Sequence[str]) -> Vector:
    """A vector for each text."""
    return np.stack([vector_of(text) for text in texts])


def a_chunk(section: str, page: int, ordinal: int = 0, part: str = "") -> Chunk:
    """A chunk of a page of a section."""
    url = "/".join(filter(None, (SITE, section, part, f"{page}.html")))
    text = f"The {section} {part} has its hours, and room {page} of them opens {ordinal} hours later."
    heading = f"{section} {part} opening {ordinal}"
    return Chunk(url, ordinal, f"{section} page {page}", (f"{section} page {page}", heading), text)


def excerpts_of(chunks: Sequence[Chunk]) -> list[Excerpt]:
    """The chunks with their vectors."""
    return [Excerpt(chunk, vector_of(chunk.indexed_text)) for chunk in chunks]


def a_site() -> list[Chunk]:
    """Five pages of three chunks in each section; the library's lie in two parts."""
    return [
        a_chunk(section, page, ordinal, ("north", "south")[page % 2] if section == "library" else "")
        for section in SECTIONS
        for page in range(5)
        for ordinal in range(3)
    ]

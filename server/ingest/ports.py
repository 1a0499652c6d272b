"""What an index run needs of others: an embedder, a builder, and the search room's tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from server.models import Chunk, Document, Drop

Vectors = npt.NDArray[np.float32]
TokenVectors = npt.NDArray[np.int8]
# A text's unit vector of shape (dims,), and its words' as they are stored, (tokens, token dims).
Encoded = tuple[Vectors, TokenVectors]


class PassageEmbedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def dims(self) -> int:
        """The length of a vector."""
        ...

    @property
    def token_dims(self) -> int:
        """The length of a word's vector; 0: it makes none."""
        ...

    def encode_passages(self, texts: Sequence[str]) -> Sequence[Encoded]:
        """For each text its vector, and those of its words."""
        ...


class Builder(Protocol):
    """Writes the index file of a new snapshot."""

    def add(
        self,
        pages: Sequence[tuple[Document, Sequence[Chunk]]],
        vectors: Vectors,
        tokens: Sequence[TokenVectors],
    ) -> None:
        """Pages with their chunks, and a vector and the words' vectors for each chunk in order."""
        ...

    def add_drops(self, drops: Sequence[Drop]) -> None:
        """Pages that were left out."""
        ...

    def set_topics(self, topics: Mapping[str, tuple[str | None, str | None]]) -> None:
        """The topic and sub-topic of pages added before, by URL."""
        ...

    def set_anchors(self, anchors: Mapping[str, Sequence[str]]) -> None:
        """The link texts that point to pages added before, by URL, the most frequent first."""
        ...

    def set_nearer(self, nearer: Mapping[str, int]) -> None:
        """How many pages are nearer to the front door than pages added before, by URL."""
        ...

    def finish(self) -> tuple[int, int]:
        """Write everything; how many pages and chunks."""
        ...


@dataclass(frozen=True, slots=True)
class Built:
    """What an index run has built; `created_at` is ISO 8601, UTC."""

    name: str
    created_at: str
    parameters: Mapping[str, Any]
    pages: int
    chunks: int
    dropped: Mapping[str, int]


# Texts → the vectors that are at hand, by position.
KnownVectors = Callable[[Sequence[str]], Mapping[int, Encoded]]


class SnapshotTools(Protocol):
    """What the search room offers to one who builds a snapshot."""

    def builder(self, folder: Path, dims: int) -> AbstractContextManager[Builder]:
        """A builder that writes into `folder`."""
        ...

    def known_vectors(self) -> AbstractContextManager[KnownVectors]:
        """Looks up vectors of texts that the live snapshot holds and the same embedder embedded."""
        ...

    def manifest(self, built: Built, checks: Mapping[str, float], files: Mapping[str, str]) -> dict[str, Any]:
        """The JSON object of `manifest.json`; `files` are the hashes of what else is in the folder."""
        ...

    def fingerprints(self, folder: Path) -> dict[str, str]:
        """The hash of every other file in a snapshot's folder, by its name; reads them all."""
        ...

    def verify(self, folder: Path) -> dict[str, float]:
        """The checks' results; `SnapshotError` when one fails."""
        ...

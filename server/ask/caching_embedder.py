"""An embedder for one question, which meets the same texts at several steps."""

from __future__ import annotations

from collections.abc import Sequence

from server.ask.ports import EmbeddingModel, Vector


class CachingEmbedder:
    """An embedder that embeds each text of one question once."""

    def __init__(self, embedder: EmbeddingModel) -> None:
        self._embedder = embedder
        self._known: dict[str, tuple[Vector, Vector]] = {}
        self.is_word = embedder.is_word

    def embed_question(self, text: str) -> Vector:
        """A unit vector of shape (dims,)."""
        return self.encode_question(text)[0]

    def encode_question(self, text: str) -> tuple[Vector, Vector]:
        """Its vector, and those of its words."""
        if text not in self._known:
            self._known[text] = self._embedder.encode_question(text)
        return self._known[text]

    def embed_questions(self, texts: Sequence[str]) -> Vector:
        """Shape (len(texts), dims); these are not kept."""
        return self._embedder.embed_questions(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """Shape (len(texts), dims); these are not kept."""
        return self._embedder.embed_passages(texts)

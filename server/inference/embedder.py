"""Texts to unit vectors: tokenise, batch by length, run, pool, normalise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding

from server.inference.cards import EmbedderCard
from server.inference.model import Ids, Model, batches, padded

Vectors = npt.NDArray[np.float32]

# A batch costs (texts × longest) tokens, so texts of like length go together and a batch is bounded by that
# product. 2,048 was the fastest of 512 to 8,192 on two cores, and needs a tenth of the memory of the last.
BATCH_TOKENS = 2048


class Embedder(Model[EmbedderCard]):
    """A bi-encoder from a model folder. Thread-safe."""

    def __init__(self, folder: Path, threads: int = 0) -> None:
        super().__init__(folder, EmbedderCard, threads)

    def embed_question(self, text: str) -> Vectors:
        """One question as a unit vector of shape (dims,)."""
        vector: Vectors = self._embed([self.card.query_prefix + text])[0]
        return vector

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dims), in the order of `texts`."""
        return self._embed([self.card.query_prefix + text for text in texts])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dims), in the order of `texts`."""
        return self._embed([self.card.passage_prefix + text for text in texts])

    def count_tokens(self, texts: Sequence[str]) -> int:
        """How many tokens the model would see, special ones included."""
        return sum(len(encoding.ids) for encoding in self._encode(texts))

    def is_word(self, word: str) -> bool:
        """Whether the lower-case word is common enough to have a token of its own."""
        return self._tokenizer.token_to_id(word) is not None

    @property
    def dims(self) -> int:
        """The length of a vector."""
        return self.card.dims

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        return self._tokenizer.encode_batch_fast(list(texts))

    def _embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), self.card.dims), dtype=np.float32)
        encodings = self._encode(texts)
        for batch in batches([len(encoding.ids) for encoding in encodings], BATCH_TOKENS):
            feeds = padded([encodings[i] for i in batch], self._pad)
            hidden = self._session().run(feeds)[0]
            vectors[batch] = pool(hidden, feeds["attention_mask"], self.card.pooling, self.card.normalize)
        return vectors


def pool(hidden: Vectors, mask: Ids, pooling: str, normalize: bool) -> Vectors:
    """Token states (batch, tokens, dims) to a vector each: the first token's, or the mean of the unmasked."""
    if pooling == "cls":
        vectors = hidden[:, 0]
    else:
        weights = mask[:, :, None].astype(np.float32)
        vectors = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    if normalize:
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return vectors

"""Late interaction: each of a question's words against all words of a passage, the best match of each counted
(ColBERT's MaxSim, Khattab & Zaharia 2020).

A snapshot holds the unit vectors of its passages' words, a byte a component: `tokens.i8` with the words of
chunk after chunk, and `token_offsets.i64` with the row where each chunk's begin, and the end. The first is
mapped: scoring reads what it scores. A snapshot made before there were any has neither; of a model without a
projection no chunk has words.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt

from server.errors import SnapshotError

TOKENS_FILE = "tokens.i8"
OFFSETS_FILE = "token_offsets.i64"

TokenVectors = npt.NDArray[np.int8]
NONE: TokenVectors = np.empty((0, 0), np.int8)
Vectors = npt.NDArray[np.float32]


class TokenWriter:
    """Writes the two files, chunk after chunk; `OSError` when the disk is full. `close` it at the end."""

    def __init__(self, folder: Path) -> None:
        self._files = ExitStack()
        self._rows = self._files.enter_context((folder / TOKENS_FILE).open("xb"))
        self._offsets = self._files.enter_context((folder / OFFSETS_FILE).open("xb"))
        self._end = 0
        self._put_offset()

    def add(self, chunks: Sequence[TokenVectors]) -> None:
        """The words of further chunks, each of shape (tokens, token dims), all of one width."""
        for tokens in chunks:
            self._rows.write(np.ascontiguousarray(tokens).data)
            self._end += len(tokens)
            self._put_offset()

    def close(self) -> None:
        """Let go of the files."""
        self._files.close()

    def _put_offset(self) -> None:
        self._offsets.write(np.array([self._end], "<i8").data)


class TokenIndex:
    """The words' vectors of one snapshot's chunks. Thread-safe: nothing in it changes.

    `offsets` has a chunk's first row at its id, `rows` the components of all words. Without a folder, or of
    one without the files, it has no words of any chunk and scores none.
    """

    def __init__(self, folder: Path | None = None, chunks: int = 0) -> None:
        self.offsets, self.rows = _read(folder, chunks) if folder else (np.zeros(1, np.int64), NONE)

    def __bool__(self) -> bool:
        return bool(len(self.rows))

    def of(self, chunk_id: int) -> TokenVectors:
        """A chunk's words as they are stored; shape (tokens, token dims)."""
        return self.rows[self.offsets[chunk_id] : self.offsets[chunk_id + 1]] if self else NONE

    def scores(self, question: Vectors, chunk_ids: Sequence[int]) -> dict[int, float]:
        """The sum over a question's words of each one's product with the nearest word of each chunk.

        `question` has a row a word, (tokens, token dims), as long as the word counts; with lengths that add
        up to 1 a score is −1 to 1. A chunk without words is left out, and so is every one where the question
        has none.
        """
        known = [id_ for id_ in chunk_ids if self.offsets[id_] < self.offsets[id_ + 1]] if self else []
        if not known or not len(question) or question.shape[1] != self.rows.shape[1]:
            return {}
        own = [self.of(id_) for id_ in known]
        begins = np.cumsum([0, *(len(tokens) for tokens in own[:-1])])
        stored = np.concatenate(own).astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", stored, stored))
        matches = question @ stored.T / np.maximum(lengths, 1.0)
        sums = np.maximum.reduceat(matches, begins, axis=1).sum(axis=0)
        return dict(zip(known, sums.tolist(), strict=True))


def _read(folder: Path, chunks: int) -> tuple[npt.NDArray[np.int64], TokenVectors]:
    """The rows where chunks begin, and all words' vectors; empty where the files are not there.

    `SnapshotError`: the two do not fit each other, or not so many chunks.
    """
    rows, offsets = folder / TOKENS_FILE, folder / OFFSETS_FILE
    if not offsets.is_file():
        return np.zeros(chunks + 1, np.int64), NONE
    begins = np.fromfile(offsets, "<i8")
    count = int(begins[-1]) if len(begins) else 0
    size = rows.stat().st_size if rows.is_file() else 0
    if (
        len(begins) != chunks + 1
        or (np.diff(begins) < 0).any()
        or size % max(count, 1)
        or (size and not count)
    ):
        raise SnapshotError(f"{TOKENS_FILE} in {folder.name!r} does not have the words of {chunks} chunks.")
    if not size:
        return begins, NONE
    return begins, np.asarray(np.memmap(rows, np.int8, mode="r", shape=(count, size // count)))

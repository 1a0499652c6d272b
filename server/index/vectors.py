"""Nearest neighbours by cosine: the exact scan, or HNSW in a very large snapshot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from server.index.filters import best, chunks_within
from server.index.snapshot import Snapshot
from server.models import Hit, Scope

# DuckDB's HNSW index answers only `ORDER BY array_cosine_distance(…) LIMIT`, and serves a bare distance only:
# with `1 - array_cosine_distance(…)` beside it, it is passed over.
_HNSW = """
SELECT chunk_id, 1 - distance AS cosine FROM (
    SELECT chunk_id, array_cosine_distance(embedding, ?::FLOAT[{dims}]) AS distance FROM vectors
    ORDER BY distance LIMIT ?
) ORDER BY cosine DESC, chunk_id
"""
# Row by row, by NumPy's own loop: as fast as BLAS, whose threads would keep a core from the next question.
_COSINES = "ij,j->i"

Vector = npt.NDArray[np.float32]


class VectorIndex:
    """The vectors of one snapshot."""

    def __init__(self, snapshot: Snapshot, hnsw_from_chunks: int) -> None:
        self._snapshot = snapshot
        self.uses_hnsw = snapshot.manifest.chunks >= hnsw_from_chunks

    def search(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The `limit` chunks nearest to a unit `vector` of shape (dims,), best first. A score is −1 to 1.

        HNSW takes its nearest first and filters afterwards, so within a scope the scan is always exact.
        """
        if within is None and self.uses_hnsw:
            return self.hnsw(vector, limit)
        return self.exact(vector, limit, within)

    def exact(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The true nearest, by looking at every vector."""
        cosines = np.einsum(_COSINES, self._snapshot.vectors, vector)
        if within is None:
            return best(cosines, np.arange(len(cosines), dtype=np.int32), limit)
        ids = chunks_within(self._snapshot, within)
        return best(cosines[ids], ids, limit)

    def hnsw(self, vector: Vector, limit: int) -> list[Hit]:
        """Nearly always the nearest, by the graph (Malkov & Yashunin 2016)."""
        rows = self._snapshot.rows(_HNSW.format(dims=len(vector)), [vector.tolist(), limit])
        return [Hit(*row) for row in rows]

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The cosine of each of these chunks, best first; an unknown one is left out."""
        ids = np.unique(np.asarray(chunk_ids, dtype=np.int32))
        ids = ids[(ids >= 0) & (ids < len(self._snapshot.vectors))]
        return best(np.einsum(_COSINES, self._snapshot.vectors[ids], vector), ids, len(ids))

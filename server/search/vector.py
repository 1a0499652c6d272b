"""Nearest neighbours by cosine: the exact scan, or HNSW in a large snapshot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from server.records import Hit, Scope
from server.search.filters import chunk_condition
from server.search.snapshot import Snapshot

# Vectors have unit length, so the inner product is the cosine. DuckDB's HNSW index answers only
# `ORDER BY array_cosine_distance(…) LIMIT`, so this wording can never be served by it.
_EXACT = """
SELECT chunk_id, array_inner_product(embedding, ?::FLOAT[{dims}]) AS cosine FROM vectors
WHERE {condition} ORDER BY cosine DESC, chunk_id LIMIT ?
"""
# The index serves a bare distance only: with `1 - array_cosine_distance(…)` beside it, it is passed over.
_HNSW = """
SELECT chunk_id, 1 - distance AS cosine FROM (
    SELECT chunk_id, array_cosine_distance(embedding, ?::FLOAT[{dims}]) AS distance FROM vectors
    ORDER BY distance LIMIT ?
) ORDER BY cosine DESC, chunk_id
"""
_SOME = """
SELECT chunk_id, array_inner_product(embedding, ?::FLOAT[{dims}]) AS cosine FROM vectors
WHERE chunk_id IN (SELECT unnest(?::INTEGER[])) ORDER BY cosine DESC, chunk_id
"""

Vector = npt.NDArray[np.float32]


class VectorIndex:
    """The vectors of one snapshot."""

    def __init__(self, snapshot: Snapshot, hnsw_from_chunks: int) -> None:
        self._snapshot = snapshot
        self._dims = snapshot.manifest.dims
        self.uses_hnsw = snapshot.manifest.chunks >= hnsw_from_chunks

    def search(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The `limit` chunks nearest to a unit `vector` of shape (dims,), best first. A score is −1 to 1.

        HNSW takes its nearest first and filters afterwards, so within a scope the scan is always exact.
        """
        if within is None and self.uses_hnsw:
            return self.hnsw(vector, limit)
        return self.exact(vector, limit, within)

    def exact(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The true nearest, by looking at every vector of the scope."""
        condition = chunk_condition(within)
        sql = _EXACT.format(dims=self._dims, condition=condition.sql)
        return self._hits(sql, [vector.tolist(), *condition.parameters, limit])

    def hnsw(self, vector: Vector, limit: int) -> list[Hit]:
        """Nearly always the nearest, by the graph (Malkov & Yashunin 2016)."""
        return self._hits(_HNSW.format(dims=self._dims), [vector.tolist(), limit])

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The cosine of each of these chunks, best first."""
        return self._hits(_SOME.format(dims=self._dims), [vector.tolist(), list(chunk_ids)])

    def _hits(self, sql: str, parameters: list[object]) -> list[Hit]:
        return [Hit(*row) for row in self._snapshot.rows(sql, parameters)]

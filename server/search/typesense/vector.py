"""Nearest neighbours by Typesense."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from server.records import Hit, Scope
from server.search.filters import chunks_within
from server.search.typesense.collection import Collection
from server.search.typesense.connection import Found, TypesenseError
from server.search.typesense.schema import VECTOR
from server.search.vector import Vector, VectorIndex

EF = 500  # how many neighbours HNSW keeps in view, as in the snapshot (search/snapshot.py)


class TypesenseVector:
    """The vector search of one snapshot; cosines of chunks that are known by id come from the snapshot.

    Up to `hnsw_from_chunks` chunks in the scope, Typesense is told to look at every one of them.
    """

    def __init__(self, collection: Collection, index: VectorIndex, hnsw_from_chunks: int) -> None:
        self._collection = collection
        self._index = index
        self._hnsw_from_chunks = hnsw_from_chunks

    def search(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The `limit` chunks of the scope nearest to a unit `vector` of shape (dims,), best first.

        A score is a cosine, 1 less the distance. `TypesenseError` when Typesense does not answer, brings
        chunks from outside the scope, or fewer than there are: HNSW may lose its way in a narrow one.
        """
        numbers = ",".join(f"{x:.8f}" for x in vector.tolist())  # no exponents
        query = f"{VECTOR}:([{numbers}], k:{limit}, ef:{EF}, flat_search_cutoff:{self._hnsw_from_chunks})"
        [found] = self._collection.search([{"q": "*", "vector_query": query}], limit, within)
        self._require_all_of([hit.chunk_id for hit in found], limit, within)
        return sorted((_hit(hit) for hit in found), key=lambda hit: (-hit.score, hit.chunk_id))

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The cosine of each of these chunks, best first."""
        return self._index.scores(vector, chunk_ids)

    def _require_all_of(self, found: Sequence[int], limit: int, within: Scope | None) -> None:
        """What DuckDB makes of the scope counts, whatever Typesense made of its filter."""
        snapshot, there = self._collection.snapshot, self._collection.snapshot.manifest.chunks
        if within is not None:
            inside = chunks_within(snapshot, within)
            there = len(inside)
            outside = len(found) - int(np.isin(found, inside).sum())
            if outside:
                raise TypesenseError(f"brought {outside} chunks from outside the scope", ill=False)
        if len(found) < min(limit, there):
            raise TypesenseError(f"brought {len(found)} of {min(limit, there)} nearest neighbours", ill=False)


def _hit(found: Found) -> Hit:
    if found.distance is None:
        raise TypesenseError("gave an answer that cannot be read")
    return Hit(found.chunk_id, 1.0 - found.distance)

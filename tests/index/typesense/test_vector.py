from __future__ import annotations

import numpy as np
import pytest

from server.index.search import Index
from server.index.typesense.search import Engine, TypesenseVector
from server.models import Scope
from tests.index.typesense.pages import COUNT, QUESTION, VECTORS
from tests.index.typesense.rig import Rig
from tests.index.typesense.stand_in import StandIn


@pytest.fixture(scope="module")
def engine(published: Rig, dressed: Index) -> Engine:
    return published.engine(dressed)


@pytest.mark.parametrize("limit", [1, 10, 250, 251, COUNT])
def test_the_nearest_come_first_with_their_cosines(engine: Engine, limit: int) -> None:
    cosines = VECTORS @ QUESTION
    order = [int(i) for i in np.argsort(-cosines, kind="stable")[:limit]]
    found = engine.vector.search(QUESTION, limit)
    assert [hit.chunk_id for hit in found] == order
    assert [hit.score for hit in found] == pytest.approx([float(cosines[i]) for i in order], abs=1e-5)


def test_cosines_of_chunks_known_by_id_come_from_the_snapshot(
    stand_in: StandIn, rig: Rig, dressed: Index
) -> None:
    engine = rig.engine(dressed)
    assert engine.vector.scores(QUESTION, [3, 1]) == dressed.vector.scores(QUESTION, [3, 1])
    assert stand_in.requests == []


def test_the_whole_scope_is_looked_at_up_to_the_size_from_which_hnsw_is_used(
    stand_in: StandIn, rig: Rig, dressed: Index
) -> None:
    rig.publish(dressed)
    rig.engine(dressed, hnsw_from_chunks=1234).vector.search(QUESTION, 3)
    [search] = stand_in.bodies[-1][1]["searches"]
    assert search["vector_query"].endswith("], k:3, ef:500, flat_search_cutoff:1234)")
    assert "e-" not in search["vector_query"]


def test_fewer_neighbours_than_there_are_is_no_answer(stand_in: StandIn, rig: Rig, dressed: Index) -> None:
    """HNSW may lose its way in a narrow scope; then DuckDB looks at every vector of it."""
    rig.publish(dressed)
    stand_in.lose_neighbours = 3
    found = rig.engine(dressed).vector.search(QUESTION, 10, Scope({"library": ()}))
    assert found.notes == {  # type: ignore[attr-defined]  # vectors are on
        "engine": "duckdb",
        "degraded": "typesense: brought 7 of 10 nearest neighbours",
    }
    assert found == dressed.vector.search(QUESTION, 10, Scope({"library": ()}))


def test_what_lies_outside_the_scope_is_no_answer(stand_in: StandIn, rig: Rig, dressed: Index) -> None:
    """Whatever Typesense makes of a filter, DuckDB's is the one that counts, for words as for vectors."""
    rig.publish(dressed)
    stand_in.ignore_filters = True
    engine, scope = rig.engine(dressed), Scope({"library": ()})
    near, matching = engine.vector.search(QUESTION, 10, scope), engine.keyword.search("door", 10, (), scope)
    assert "chunks from outside the scope" in near.notes["degraded"]  # type: ignore[attr-defined]
    assert near == dressed.vector.search(QUESTION, 10, scope)
    assert {hit.chunk_id for hit in matching} <= {
        hit.chunk_id for hit in dressed.keyword.search("door", COUNT, (), scope)
    }


def test_a_collection_without_vectors_is_no_vector_engine(rig: Rig, dressed: Index) -> None:
    """The setting was changed after the import; `lodge typesense sync` makes up for it."""
    rig.publish(dressed, vectors=False)
    engine = rig.engine(dressed)
    found = engine.vector.search(QUESTION, 5)
    assert "answered 404" in found.notes["degraded"]  # type: ignore[attr-defined]  # vectors are on
    assert found == dressed.vector.search(QUESTION, 5)
    assert engine.keyword.search("door", 1).notes == {"engine": "typesense"}
    rig.publish(dressed, vectors=True)
    assert engine.vector.search(QUESTION, 5).notes == {"engine": "typesense"}  # type: ignore[attr-defined]


def test_by_the_setting_the_vectors_stay_duckdbs(rig: Rig, dressed: Index) -> None:
    engine = rig.engine(dressed, vectors=False)
    assert engine.vector is dressed.vector
    assert isinstance(rig.engine(dressed).vector, TypesenseVector)

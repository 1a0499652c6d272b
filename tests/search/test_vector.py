from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.search.vector import Vector, VectorIndex
from tests.search.small_index import NotingSnapshot, build, unit_vectors

COUNT = 3000
VECTORS = unit_vectors(COUNT, dims=16)
QUESTION: Vector = unit_vectors(1, seed=1, dims=16)[0]
HNSW = "HNSW_INDEX_SCAN"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [f"text number {i}" for i in range(COUNT)]
    return build(tmp_path_factory.mktemp("vector") / "s", texts, VECTORS)


@pytest.fixture
def snapshot(folder: Path) -> NotingSnapshot:
    return NotingSnapshot(folder)


def nearest(limit: int) -> list[int]:
    return [int(i) for i in np.argsort(-(VECTORS @ QUESTION), kind="stable")[:limit]]


def test_the_exact_scan_finds_what_numpy_finds_and_is_never_served_by_hnsw(snapshot: NotingSnapshot) -> None:
    hits = VectorIndex(snapshot, hnsw_from_chunks=0).exact(QUESTION, 20)
    assert [hit.chunk_id for hit in hits] == nearest(20)
    assert [hit.score for hit in hits] == pytest.approx(
        np.sort(VECTORS @ QUESTION)[::-1][:20].tolist(), abs=1e-5
    )
    assert all(HNSW not in plan for plan in snapshot.plans)


def test_hnsw_is_served_by_its_index_and_finds_nearly_the_same(snapshot: NotingSnapshot) -> None:
    vectors = VectorIndex(snapshot, hnsw_from_chunks=0)
    hits = vectors.hnsw(QUESTION, 10)
    assert all(HNSW in plan for plan in snapshot.plans)
    assert len({hit.chunk_id for hit in hits} & set(nearest(10))) >= 9
    exact = {hit.chunk_id: hit.score for hit in vectors.exact(QUESTION, COUNT)}
    assert [hit.score for hit in hits] == pytest.approx([exact[hit.chunk_id] for hit in hits], abs=1e-5)


@pytest.mark.parametrize(("from_chunks", "uses_hnsw"), [(COUNT, True), (COUNT + 1, False)])
def test_a_large_snapshot_is_searched_by_hnsw(
    snapshot: NotingSnapshot, from_chunks: int, uses_hnsw: bool
) -> None:
    hits = VectorIndex(snapshot, from_chunks).search(QUESTION, 5)
    assert len(hits) == 5
    assert all((HNSW in plan) == uses_hnsw for plan in snapshot.plans)


def test_scores_of_chosen_chunks_come_back_for_all_of_them_however_far(snapshot: NotingSnapshot) -> None:
    """HNSW would take its nearest first and filter afterwards, and so lose these."""
    furthest = nearest(COUNT)[-30:]
    hits = VectorIndex(snapshot, hnsw_from_chunks=0).scores(QUESTION, furthest)
    assert [hit.chunk_id for hit in hits] == furthest
    assert all(HNSW not in plan for plan in snapshot.plans)


@pytest.mark.parametrize("limit", [1, 3])
def test_a_small_limit_brings_so_many(snapshot: NotingSnapshot, limit: int) -> None:
    vectors = VectorIndex(snapshot, hnsw_from_chunks=0)
    assert len(vectors.exact(QUESTION, limit)) == len(vectors.hnsw(QUESTION, limit)) == limit


def test_no_chunks_have_no_scores_and_an_unknown_one_is_left_out(snapshot: NotingSnapshot) -> None:
    vectors = VectorIndex(snapshot, hnsw_from_chunks=0)
    assert vectors.scores(QUESTION, []) == []
    assert [hit.chunk_id for hit in vectors.scores(QUESTION, [COUNT + 5, 7])] == [7]

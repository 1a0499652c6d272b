from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.index.search import Vector, VectorIndex
from server.index.snapshot import Snapshot
from tests.index.small_index import NotingSnapshot, build, unit_vectors

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


@pytest.mark.parametrize("limit", [1, 20, COUNT, COUNT + 1])
def test_the_exact_scan_finds_the_nearest_of_all_without_a_query(
    snapshot: NotingSnapshot, limit: int
) -> None:
    hits = VectorIndex(snapshot, hnsw_from_chunks=0).exact(QUESTION, limit)
    assert [hit.chunk_id for hit in hits] == nearest(limit)
    assert [hit.score for hit in hits] == pytest.approx(
        np.sort(VECTORS @ QUESTION)[::-1][:limit].tolist(), abs=1e-5
    )
    assert snapshot.plans == []


def test_of_equally_near_chunks_the_first_are_taken_in_their_order(tmp_path: Path) -> None:
    """Nine copies of one vector and a nearer one: whichever way they are cut, ids decide."""
    vectors = np.repeat(unit_vectors(1, dims=16), 10, axis=0)
    vectors[7] = QUESTION
    index = VectorIndex(Snapshot(build(tmp_path / "s", ["a text"] * 10, vectors)), hnsw_from_chunks=99)
    assert [hit.chunk_id for hit in index.search(QUESTION, 4)] == [7, 0, 1, 2]
    assert [hit.chunk_id for hit in index.scores(QUESTION, [9, 3, 7, 3])] == [7, 3, 9]


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
    assert any(HNSW in plan for plan in snapshot.plans) == uses_hnsw


def test_scores_of_chosen_chunks_come_back_for_all_of_them_however_far(snapshot: NotingSnapshot) -> None:
    """HNSW would take its nearest first, and so lose these."""
    furthest = nearest(COUNT)[-30:]
    hits = VectorIndex(snapshot, hnsw_from_chunks=0).scores(QUESTION, furthest)
    assert [hit.chunk_id for hit in hits] == furthest


@pytest.mark.parametrize("limit", [1, 3])
def test_a_small_limit_brings_so_many(snapshot: NotingSnapshot, limit: int) -> None:
    vectors = VectorIndex(snapshot, hnsw_from_chunks=0)
    assert len(vectors.exact(QUESTION, limit)) == len(vectors.hnsw(QUESTION, limit)) == limit


def test_no_chunks_have_no_scores_and_an_unknown_one_is_left_out(snapshot: NotingSnapshot) -> None:
    vectors = VectorIndex(snapshot, hnsw_from_chunks=0)
    assert vectors.scores(QUESTION, []) == []
    assert [hit.chunk_id for hit in vectors.scores(QUESTION, [COUNT + 5, 7, -1])] == [7]

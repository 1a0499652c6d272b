"""Searches within a scope, over pages of three topics and pages of none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from server.search.build import SnapshotBuilder
from server.search.filters import chunk_condition
from server.search.index import Index
from server.search.keyword import KeywordIndex
from server.search.vector import VectorIndex
from tests.search.small_index import DIMS, NotingSnapshot, a_page, manifest, unit_vectors

COUNT = 400
VECTORS = unit_vectors(COUNT)
QUESTION = unit_vectors(1, seed=1)[0]
LABELS: list[tuple[str | None, str | None]] = [
    ("library", None),
    ("academics", "policies"),
    ("academics", "programs"),
    ("academics", None),
    (None, None),
]


@dataclass(frozen=True)
class TopicScope:
    topics: Mapping[str, Sequence[str]] | None = None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Page i has the label i modulo 5, one chunk, and a word that all share."""
    folder = tmp_path_factory.mktemp("filters") / "s"
    folder.mkdir()
    with SnapshotBuilder(folder, DIMS, threads=1) as builder:
        pages = [a_page(i, f"hours of place {i}") for i in range(COUNT)]
        builder.add(pages[:150], VECTORS[:150])
        builder.add(pages[150:], VECTORS[150:])
        builder.set_topics({page.url: LABELS[i % 5] for i, (page, _) in enumerate(pages)})
        builder.finish()
    table = manifest(folder, pages=COUNT, chunks=COUNT)
    (folder / "manifest.json").write_text(json.dumps(table), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def index(folder: Path) -> Index:
    return Index(folder, threads=1)


SCOPES = [
    (TopicScope(), {0, 1, 2, 3, 4}),
    (TopicScope({"library": ()}), {0, 4}),
    (TopicScope({"academics": ()}), {1, 2, 3, 4}),
    (TopicScope({"academics": ("policies",)}), {1, 3, 4}),
    (TopicScope({"academics": ("policies", "programs"), "library": ()}), {0, 1, 2, 3, 4}),
    (TopicScope({"policies": ()}), {4}),
    (TopicScope({"nowhere'; --": ("x",)}), {4}),
]


@pytest.mark.parametrize(("scope", "labels"), SCOPES)
def test_a_scope_holds_its_topics_and_every_page_without_one(
    index: Index, scope: TopicScope, labels: set[int]
) -> None:
    near = index.vector.search(QUESTION, COUNT, scope)
    matching = index.keyword.search("hours", COUNT, (), scope)
    expected = {i for i in range(COUNT) if i % 5 in labels}
    assert {hit.chunk_id for hit in near} == {hit.chunk_id for hit in matching} == expected


@pytest.mark.parametrize(("scope", "labels"), SCOPES)
def test_the_filter_applies_before_the_ranking(index: Index, scope: TopicScope, labels: set[int]) -> None:
    """The first ten of the scope, which are not those of the first ten that lie in it."""
    order = [int(i) for i in np.argsort(-(VECTORS @ QUESTION), kind="stable") if int(i) % 5 in labels]
    assert [hit.chunk_id for hit in index.vector.search(QUESTION, 10, scope)] == order[:10]
    assert len(index.keyword.search("hours", 10, (), scope)) == 10


def test_a_filtered_search_of_a_large_snapshot_is_the_exact_scan(folder: Path) -> None:
    """HNSW takes its nearest first and filters afterwards: it would bring fewer, or none."""
    snapshot = NotingSnapshot(folder)
    vectors = VectorIndex(snapshot, hnsw_from_chunks=0)
    furthest_first = np.argsort(VECTORS @ QUESTION)
    scope = TopicScope({"library": ()})
    hits = vectors.search(-VECTORS[int(furthest_first[-1])], 50, scope)
    assert len(hits) == 50
    assert all("HNSW_INDEX_SCAN" not in plan for plan in snapshot.plans)
    vectors.search(QUESTION, 5)
    assert "HNSW_INDEX_SCAN" in snapshot.plans[-1]


def test_a_word_weighs_the_same_in_every_scope(index: Index) -> None:
    everywhere = {hit.chunk_id: hit.score for hit in index.keyword.search("place 10", COUNT)}
    within = index.keyword.search("place 10", COUNT, (), TopicScope({"library": ()}))
    assert [hit.score for hit in within] == [everywhere[hit.chunk_id] for hit in within]


def test_chunks_named_beside_the_best_must_lie_in_the_scope(folder: Path) -> None:
    keyword = KeywordIndex(NotingSnapshot(folder))
    hits = keyword.search("hours", 1, [1, 4], TopicScope({"library": ()}))
    assert {hit.chunk_id for hit in hits} >= {4}
    assert 1 not in {hit.chunk_id for hit in hits}


def test_without_a_scope_every_chunk_is_meant() -> None:
    assert chunk_condition(None) == chunk_condition(TopicScope())


def test_the_snapshot_counts_its_topics(index: Index) -> None:
    assert index.snapshot.topics() == {"academics": 240, "library": 80, None: 80}

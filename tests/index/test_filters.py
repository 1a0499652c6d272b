"""Searches within a scope, over pages with and without topics, days and languages."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from server.index.build import SnapshotBuilder
from server.index.search import Index, KeywordIndex, VectorIndex, chunks_within
from server.index.text import TextAnalysis
from server.models import Document, Scope
from tests.index.small_index import DIMS, NotingSnapshot, a_page, manifest, unit_vectors

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


def dressed(page: Document, i: int) -> Document:
    """A page as no other: its language, day and place in the archive follow from its number."""
    lang = ("en", "es", None)[i % 3]
    published, modified = f"{2000 + i % 20}-05-01", f"{2000 + i % 20}-06-15T08:00:00+00:00"
    return replace(
        page,
        lang=lang,
        published=published if i % 4 else None,
        modified=modified if i % 2 else None,
        archived=i % 7 == 0,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Page i has the label i modulo 5, one chunk, and a word that all share."""
    folder = tmp_path_factory.mktemp("filters") / "s"
    folder.mkdir()
    with SnapshotBuilder(folder, DIMS, threads=1) as builder:
        pages = [
            (dressed(page, i), chunks)
            for i, (page, chunks) in enumerate(a_page(i, f"hours of place {i}") for i in range(COUNT))
        ]
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
    (Scope(), {0, 1, 2, 3, 4}),
    (Scope({"library": ()}), {0, 4}),
    (Scope({"academics": ()}), {1, 2, 3, 4}),
    (Scope({"academics": ("policies",)}), {1, 3, 4}),
    (Scope({"academics": ("policies", "programs"), "library": ()}), {0, 1, 2, 3, 4}),
    (Scope({"policies": ()}), {4}),
    (Scope({"nowhere'; --": ("x",)}), {4}),
]


@pytest.mark.parametrize(("scope", "labels"), SCOPES)
def test_a_scope_holds_its_topics_and_every_page_without_one(
    index: Index, scope: Scope, labels: set[int]
) -> None:
    near = index.vector.search(QUESTION, COUNT, scope)
    matching = index.keyword.search("hours", COUNT, (), scope)
    expected = {i for i in range(COUNT) if i % 5 in labels}
    assert {hit.chunk_id for hit in near} == {hit.chunk_id for hit in matching} == expected


def day(i: int) -> str | None:
    """What `dressed` gives page i: its last change, or else its publication."""
    year = 2000 + i % 20
    return f"{year}-06-15" if i % 2 else f"{year}-05-01" if i % 4 else None


PAGES: dict[str, tuple[Scope, Callable[[int], bool]]] = {
    "a host": (Scope(sites=("example.edu",)), lambda i: True),
    "another host": (Scope(sites=("www.example.edu", "'; --")), lambda i: False),
    "a prefix": (Scope(prefix="https://example.edu/12"), lambda i: str(i).startswith("12")),
    "no pattern": (Scope(prefix="https://example.edu/%"), lambda i: False),
    "a language": (Scope(lang="es"), lambda i: i % 3 != 0),
    "since a day": (Scope(since="2010-06-15"), lambda i: (day(i) or "") >= "2010-06-15"),
    "until a day": (Scope(until="2010-06-15"), lambda i: "" < (day(i) or "") <= "2010-06-15"),
    "not archived": (Scope(archived=False), lambda i: i % 7 != 0),
    "all at once": (
        Scope({"library": ()}, lang="en", since="2003-01-01", archived=False),
        lambda i: i % 5 in {0, 4} and i % 3 != 1 and (day(i) or "") >= "2003" and i % 7 != 0,
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_scope_holds_the_pages_that_it_speaks_of(index: Index, name: str) -> None:
    scope, belongs = PAGES[name]
    expected = {i for i in range(COUNT) if belongs(i)}
    near = index.vector.search(QUESTION, COUNT, scope)
    matching = index.keyword.search("hours", COUNT, (), scope)
    assert {hit.chunk_id for hit in near} == {hit.chunk_id for hit in matching} == expected
    assert len(index.vector.search(QUESTION, 5, scope)) == min(5, len(expected))


@pytest.mark.parametrize(("scope", "labels"), SCOPES)
def test_the_filter_applies_before_the_ranking(index: Index, scope: Scope, labels: set[int]) -> None:
    """The first ten of the scope, which are not those of the first ten that lie in it."""
    order = [int(i) for i in np.argsort(-(VECTORS @ QUESTION), kind="stable") if int(i) % 5 in labels]
    assert [hit.chunk_id for hit in index.vector.search(QUESTION, 10, scope)] == order[:10]
    assert len(index.keyword.search("hours", 10, (), scope)) == 10


def test_a_filtered_search_of_a_large_snapshot_is_the_exact_scan(folder: Path) -> None:
    """HNSW takes its nearest first and filters afterwards: it would bring fewer, or none."""
    snapshot = NotingSnapshot(folder)
    vectors = VectorIndex(snapshot, hnsw_from_chunks=0)
    furthest_first = np.argsort(VECTORS @ QUESTION)
    scope = Scope({"library": ()})
    hits = vectors.search(-VECTORS[int(furthest_first[-1])], 50, scope)
    assert len(hits) == 50
    assert all("HNSW_INDEX_SCAN" not in plan for plan in snapshot.plans)
    vectors.search(QUESTION, 5)
    assert "HNSW_INDEX_SCAN" in snapshot.plans[-1]


def test_a_word_weighs_the_same_in_every_scope(index: Index) -> None:
    everywhere = {hit.chunk_id: hit.score for hit in index.keyword.search("place 10", COUNT)}
    within = index.keyword.search("place 10", COUNT, (), Scope({"library": ()}))
    assert [hit.score for hit in within] == [everywhere[hit.chunk_id] for hit in within]


def test_chunks_named_beside_the_best_must_lie_in_the_scope(folder: Path) -> None:
    snapshot = NotingSnapshot(folder)
    keyword = KeywordIndex(snapshot, TextAnalysis(snapshot))
    hits = keyword.search("hours", 1, [1, 4], Scope({"library": ()}))
    assert {hit.chunk_id for hit in hits} >= {4}
    assert 1 not in {hit.chunk_id for hit in hits}


def test_a_scope_without_limits_holds_every_chunk(index: Index) -> None:
    assert chunks_within(index.snapshot, Scope()).tolist() == list(range(COUNT))


def test_the_snapshot_counts_its_topics(index: Index) -> None:
    assert index.snapshot.topics() == {"academics": 240, "library": 80, None: 80}

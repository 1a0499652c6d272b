from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from server.errors import SnapshotError
from server.index.build import verify
from server.index.search import Index
from server.index.snapshot import connect
from tests.index.small_index import build, manifest, opened, unit_vectors

TEXTS = [
    f"The room {word} holds {word} chairs." for word in ("amber", "birch", "cedar", "dune", "elm", "fern")
]


def test_a_good_snapshot_passes_with_full_marks(index: Index) -> None:
    checks = verify(index, min_hnsw_recall=0.95)
    assert checks == {"self_vector": 1.0, "self_keyword": 1.0, "hnsw_recall": 1.0}


@pytest.mark.parametrize("table", ["pages", "chunks", "vectors"])
def test_a_row_too_few_is_an_error(tmp_path: Path, table: str) -> None:
    folder = build(tmp_path / "s", TEXTS)
    with connect(folder / "index.duckdb", read_only=False, threads=1) as connection:
        connection.execute(f"DELETE FROM {table} WHERE rowid = 5")
    with pytest.raises(SnapshotError, match=f"has 5 rows of {table} where 6 were written"):
        verify(Index(folder), min_hnsw_recall=0)


def test_a_row_too_many_is_an_error(tmp_path: Path) -> None:
    folder = build(tmp_path / "s", TEXTS)
    (folder / "manifest.json").write_text(json.dumps(manifest(folder, pages=5, chunks=6)))
    with pytest.raises(SnapshotError, match="has 6 rows of pages where 5 were written"):
        verify(Index(folder), min_hnsw_recall=0)


def test_vectors_that_do_not_find_themselves_are_an_error(tmp_path: Path) -> None:
    index = opened(tmp_path / "s", TEXTS, unit_vectors(6) * np.float32(0.5))
    with pytest.raises(SnapshotError, match=r"failed its check self_vector: 0\.000, at least 0\.99"):
        verify(index, min_hnsw_recall=0)


def test_texts_that_do_not_find_themselves_are_an_error(tmp_path: Path) -> None:
    index = opened(tmp_path / "s", ["the same words everywhere"] * 40)
    with pytest.raises(SnapshotError, match="failed its check self_keyword"):
        verify(index, min_hnsw_recall=0)


def test_too_low_a_recall_stops_a_snapshot_that_would_be_searched_by_hnsw(tmp_path: Path) -> None:
    """No recall reaches 1.1, so this stands for a graph that misses what was asked of it."""
    folder = build(tmp_path / "s", TEXTS)
    with pytest.raises(SnapshotError, match=r"failed its check hnsw_recall: 1\.000, at least 1\.1"):
        verify(Index(folder, hnsw_from_chunks=6), min_hnsw_recall=1.1)
    assert verify(Index(folder, hnsw_from_chunks=7), min_hnsw_recall=1.1)["hnsw_recall"] == 1.0

"""HNSW against the exact scan, on a few vectors of the small college."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scripts.research.retrieval.measure_hnsw import HEAD, build, main, measure, sized
from server.evaluate.growth import COPY_COSINE
from server.index.search import Index
from server.index.snapshot import Snapshot
from server.settings import Settings
from tests.index.small_index import unit_vectors

VECTORS = unit_vectors(30, dims=16)


@pytest.mark.parametrize("size", [1, 10, 30, 31, 75, 200])
def test_there_are_as_many_vectors_as_asked_for_and_no_two_alike(size: int) -> None:
    vectors = np.concatenate(list(sized(VECTORS, size)))
    assert len(vectors) == size
    assert len(np.unique(vectors.round(5), axis=0)) == size
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_sample_is_of_the_vectors_and_what_is_more_are_copies_near_them() -> None:
    [sample] = sized(VECTORS, 10)
    assert all((row == VECTORS).all(axis=1).any() for row in sample)
    own, copies, more = sized(VECTORS, 75)
    assert np.array_equal(own, VECTORS)
    assert np.einsum("ij,ij->i", copies, VECTORS) == pytest.approx(COPY_COSINE, abs=1e-5)
    assert np.einsum("ij,ij->i", more, VECTORS[:15]) == pytest.approx(COPY_COSINE, abs=1e-5)


def test_a_row_a_size_and_effort_is_printed_and_what_was_built_is_used_again(
    small_home: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in small_home.as_environ().items():
        monkeypatch.setenv(name, value)
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps({"id": "1", "question": "How much is tuition?"}) + "\n", encoding="utf-8")
    arguments = ["--questions", str(questions), "--work", str(tmp_path / "work"), "--sizes", "12,60"]
    main([*arguments, "--ef-search", "20"])
    rows = capsys.readouterr().out.removeprefix(HEAD).strip().splitlines()
    assert [row.split("|")[1].strip() for row in rows] == ["12", "12", "60", "60"]
    assert [row.split("|")[3].strip() for row in rows] == ["1.0000"] * 4
    built = sorted((tmp_path / "work").iterdir())
    times = [(folder / "index.duckdb").stat().st_mtime_ns for folder in built]
    assert len(built) == 2
    main(arguments)
    assert times == [(folder / "index.duckdb").stat().st_mtime_ns for folder in built]


def test_without_a_snapshot_it_ends_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODGE_HOME", str(tmp_path))
    with pytest.raises(SystemExit, match="Error: No snapshot has been published yet"):
        main(["--questions", "questions.jsonl", "--work", str(tmp_path / "work")])


def test_recall_is_what_the_graph_finds_of_what_the_scan_finds(snapshot_folder: Path, tmp_path: Path) -> None:
    """With so little effort a graph of thousands misses some; with more it finds as many or more."""
    like = Snapshot(snapshot_folder, threads=1).manifest
    vectors = unit_vectors(4000, dims=like.dims)
    build(tmp_path / "work" / "s", iter([vectors]), like, threads=1)
    index = Index(tmp_path / "work" / "s", threads=1)
    questions = unit_vectors(20, seed=1, dims=like.dims)
    little, much = (measure(index, questions, ef_search) for ef_search in (10, 400))
    for measured in (little, much):
        assert measured.chunks == 4000
        assert 0 < measured.recall[50] <= 1
    assert little.recall[10] < much.recall[10]
    index.close()

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from server.errors import ModelError, SnapshotError
from server.inference.encoders import CLASSIFIERS_FILE, SnapshotClassifier
from server.inference.session import SmallOnnxModel
from server.ingest.topics.classifier import scope_model

DIMS = 4
UNIT = np.eye(DIMS, dtype=np.float32)
SCOPE = {"file": "scope.onnx", "labels": [["out"], ["in"]], "figures": {}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose one classifier finds the first axis in scope and the second out of it."""
    (tmp_path / "scope.onnx").write_bytes(scope_model(UNIT[:1], UNIT[1:2], 8.0, -2.0))
    write(tmp_path, {"topics": None, "subtopics": None, "scope": SCOPE})
    return tmp_path


def write(folder: Path, table: object) -> None:
    (folder / CLASSIFIERS_FILE).write_text(json.dumps(table), encoding="utf-8")


def test_a_folder_without_classifiers_says_nothing(tmp_path: Path) -> None:
    classifier = SnapshotClassifier(tmp_path, DIMS)
    assert classifier.topics(UNIT[0]) == {}
    assert classifier.subtopics(UNIT[0]) == {}
    assert classifier.in_scope(UNIT[0]) is None


def test_a_level_that_was_not_learnt_says_nothing(folder: Path) -> None:
    classifier = SnapshotClassifier(folder, DIMS)
    assert (classifier.topics(UNIT[0]), classifier.subtopics(UNIT[0])) == ({}, {})
    inside, outside = classifier.in_scope(UNIT[0]), classifier.in_scope(UNIT[1])
    assert inside == pytest.approx(1 / (1 + np.exp(-6.0)), abs=1e-5)
    assert outside == pytest.approx(1 / (1 + np.exp(6.0)), abs=1e-5)


def test_topics_and_their_subtopics_by_name(folder: Path) -> None:
    """Two classes stand for two topics here, and then for two sub-topics of one."""
    topics = SCOPE | {"labels": [["library"], ["life"]]}
    subtopics = SCOPE | {"labels": [["life", "dining"], ["life", "housing"]]}
    write(folder, {"topics": topics, "subtopics": subtopics, "scope": None})
    classifier = SnapshotClassifier(folder, DIMS)
    assert classifier.topics(UNIT[0]) == pytest.approx({"library": 0.00247, "life": 0.99753}, abs=1e-4)
    assert list(classifier.subtopics(UNIT[0])) == ["life"]
    assert sum(classifier.subtopics(UNIT[0])["life"].values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "table",
    [
        "not a table",
        {},
        {"topics": None, "subtopics": None, "scope": {"file": "nowhere.onnx", "labels": [["out"], ["in"]]}},
        {"topics": None, "subtopics": None, "scope": SCOPE | {"labels": [["in"]]}},
        {"topics": None, "subtopics": None, "scope": SCOPE | {"file": CLASSIFIERS_FILE}},
        {"topics": 3, "subtopics": None, "scope": None},
    ],
)
def test_broken_classifiers_are_a_snapshot_error(folder: Path, table: object) -> None:
    write(folder, table)
    with pytest.raises(SnapshotError, match="cannot be used; run `lodge index` again"):
        SnapshotClassifier(folder, DIMS)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{"])
def test_a_list_that_is_no_json_is_a_snapshot_error(folder: Path, content: bytes) -> None:
    (folder / CLASSIFIERS_FILE).write_bytes(content)
    with pytest.raises(SnapshotError, match="cannot be used"):
        SnapshotClassifier(folder, DIMS)


@pytest.mark.parametrize("keep", [0, 100])
def test_a_model_file_that_was_cut_off_is_a_snapshot_error(folder: Path, keep: int) -> None:
    path = folder / "scope.onnx"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(SnapshotError, match="cannot be used"):
        SnapshotClassifier(folder, DIMS)


def test_classifiers_of_another_embedder_are_a_snapshot_error(folder: Path) -> None:
    with pytest.raises(SnapshotError, match="cannot be used"):
        SnapshotClassifier(folder, DIMS + 1)


def test_a_small_model_takes_many_rows_and_names_a_wrong_width(folder: Path) -> None:
    model = SmallOnnxModel(folder / "scope.onnx")
    assert model.probabilities(UNIT).shape == (DIMS, 2)
    with pytest.raises(ModelError, match="no vectors of 7 numbers"):
        model.probabilities(np.zeros((1, 7), dtype=np.float32))
    with pytest.raises(ModelError, match=r"nowhere\.onnx cannot be loaded"):
        SmallOnnxModel(folder / "nowhere.onnx")

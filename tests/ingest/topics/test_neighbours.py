from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.inference.session import SmallOnnxModel
from server.ingest.topics.classifier import nearness, nearnesses, neighbour_model
from tests.ingest.topics.learning import SECTIONS, embed

GROUPS = [
    embed([f"{name} {i}" for i in range(count)]) for name, count in zip(SECTIONS, (9, 2, 1), strict=True)
]
VECTORS = embed(["the library", "the weather", "sports and weather", "housing"])


def test_nearness_is_the_mean_of_the_three_largest_cosines() -> None:
    expected = np.sort(VECTORS @ GROUPS[0].T, axis=1)[:, -3:].mean(axis=1)
    assert nearness(VECTORS, GROUPS[0]) == pytest.approx(expected, abs=1e-6)


def test_of_a_group_of_fewer_all_count() -> None:
    assert nearness(VECTORS, GROUPS[2]) == pytest.approx(VECTORS @ GROUPS[2][0], abs=1e-6)


def test_a_member_a_vector_was_made_from_is_left_out() -> None:
    own = np.eye(len(GROUPS[0]), dtype=bool)
    assert (nearness(GROUPS[0], GROUPS[0], own) < nearness(GROUPS[0], GROUPS[0])).all()


def test_the_onnx_file_says_what_numpy_says(tmp_path: Path) -> None:
    weights = np.array([[5.0, 0.0], [0.0, 4.0], [1.0, -1.0]])
    bias = np.array([0.5, -0.5])
    path = tmp_path / "model.onnx"
    path.write_bytes(neighbour_model(GROUPS, weights, bias))
    scores = nearnesses(VECTORS, GROUPS) @ weights + bias
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert SmallOnnxModel(path).probabilities(VECTORS) == pytest.approx(expected, abs=1e-5)

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.inference.session import SmallOnnxModel
from server.ingest.topics.classifier import AGAINST, calibrate, closeness, scope_model
from tests.ingest.topics.learning import GENERAL, SECTIONS, embed

SITE = embed([f"{name} {i}" for name in SECTIONS for i in range(20)])
OUTSIDE = embed(GENERAL)


def test_closeness_to_the_site_less_that_to_general_questions() -> None:
    vectors = embed(["the library", "the weather"])
    inside, outside = closeness(vectors, SITE, OUTSIDE)
    assert inside > 0.5
    assert outside < 0.2
    site = np.sort(vectors[0] @ SITE.T)[-3:].mean()
    general = np.sort(vectors[0] @ OUTSIDE.T)[-3:].mean()
    assert inside == pytest.approx(site - AGAINST * general, abs=1e-6)


def test_what_a_vector_was_made_of_is_left_out() -> None:
    own = np.zeros((1, len(SITE)), dtype=bool)
    own[0, :20] = True
    with_own, without = closeness(SITE[:1], SITE, OUTSIDE), closeness(SITE[:1], SITE, OUTSIDE, own)
    assert without[0] < with_own[0] - 0.3


@pytest.mark.parametrize("count", [1, 2, len(SITE)])
def test_the_onnx_file_says_what_numpy_says(tmp_path: Path, count: int) -> None:
    """Even of a site with fewer chunks than are compared with."""
    path = tmp_path / "scope.onnx"
    path.write_bytes(scope_model(SITE[:count], OUTSIDE, slope=8.0, intercept=-2.0))
    vectors = embed(["the library", "the weather", "sports and weather"])
    found = SmallOnnxModel(path).probabilities(vectors)
    expected = 1 / (1 + np.exp(2.0 - 8.0 * closeness(vectors, SITE[:count], OUTSIDE)))
    assert found[:, 1] == pytest.approx(expected, abs=1e-5)
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_calibration_puts_a_half_between_the_two_kinds_however_many_there_are_of_each() -> None:
    rng = np.random.default_rng(0)
    slope, intercept = calibrate(rng.normal(0.6, 0.1, 900), rng.normal(0.2, 0.1, 100))
    assert -intercept / slope == pytest.approx(0.4, abs=0.03)
    assert slope > 0

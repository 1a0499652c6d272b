"""The order of passages by a cross-encoder and another similarity together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.research.retrieval.measure_larger_embedder import read_asked, right_first

ROWS = [
    {"question": "a", "candidates": [[1, 0.6, False, "x"], [2, 0.4, True, "y"]]},
    {"question": "b", "candidates": [[3, 0.9, True, "z"], [4, 0.1, False, "w"]]},
]
COSINES = [[0.2, 0.6], [0.1, 0.5]]


@pytest.mark.parametrize(("weight", "share"), [(0, 0.5), (4, 1.0), (100, 0.5)])
def test_the_right_one_comes_first_by_both_together(weight: float, share: float, tmp_path: Path) -> None:
    file = tmp_path / "asked.json"
    file.write_text(json.dumps(ROWS), encoding="utf-8")
    assert right_first(read_asked(file), COSINES, weight) == share

"""Two hands' preferences, read and put together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.research.answering.measure_head_to_head import FOLDER, main, read_hands, shared, together, told


def test_where_the_hands_differ_nobody_wins() -> None:
    both = shared({"q1": "a", "q2": "b", "q3": "a"}, {"q1": "a", "q2": "neither"})
    assert together(both) == ["a", "neither"]


def test_neither_counts_half_for_both() -> None:
    line = told("hand x", ["b", "neither", "neither", "a"])
    assert "4 pairs" in line
    assert "b wins 0.500" in line


def test_a_file_is_a_hand(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"id": "q1", "preferred": "b"}) + "\n", encoding="utf-8")
    assert read_hands(tmp_path) == {"x": {"q1": "b"}}


def test_the_hands_of_the_project_judged_the_same_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    for name, pairs in (("rerank", 100), ("written", 153)):
        one, other = read_hands(FOLDER / name).values()
        assert len(one) == pairs
        assert set(one) == set(other)
    main()
    assert "of 100, kappa" in capsys.readouterr().out

"""A model's card: a calibration that is kept is the other model's, and is not said to have been judged."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs .venv-export")

from scripts.research.reader.card import calibration_of, keep_calibration, write

BEGUN = {"temperature": 1.7, "bias": 2.9, "relevance": {"bias": -4.6, "rank": -0.2}}


def card(folder: Path, **rows: Any) -> Path:
    folder.mkdir()
    write(folder, {"kind": "cross-encoder", **rows})
    return folder


def test_a_calibration_is_kept(tmp_path: Path) -> None:
    begun = card(tmp_path / "begun", **BEGUN, training={"seed": 1, "calibration_error": 0.002})
    made = card(
        tmp_path / "made", temperature=1.0, bias=0.0, training={"seed": 2, "calibration_error": 0.002}
    )
    keep_calibration(made, calibration_of(begun))
    read = tomllib.loads((made / "model.toml").read_text(encoding="utf-8"))
    assert read == {"kind": "cross-encoder", **BEGUN, "training": {"seed": 2}}

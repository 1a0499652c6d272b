"""A trained model's `model.toml`: what the server goes by, and after it what people want to know."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scripts.research.reader.calibration import Calibration

CARD = "model.toml"


def training_of(folder: Path) -> dict[str, Any]:
    """What a model's card says of its training."""
    return dict(_read(folder).get("training", {}))


def write_calibration(folder: Path, calibration: Calibration) -> None:
    """Put a calibration into a model's card; everything else in it stays."""
    write(folder, {**_read(folder), **asdict(calibration)})


def calibration_of(folder: Path) -> dict[str, Any]:
    """What a model's card says of its calibration."""
    card = _read(folder)
    return {name: card[name] for name in ("temperature", "bias", "relevance") if name in card}


def keep_calibration(folder: Path, calibration: Mapping[str, Any]) -> None:
    """Put another model's calibration into a model's card: of the one that it began with, where both are as
    sure of what they read. How well it fits this one is not known."""
    card = _read(folder)
    training = {name: value for name, value in card["training"].items() if name != "calibration_error"}
    write(folder, {**card, **calibration, "training": training})


def add_training(folder: Path, training: Mapping[str, Any]) -> None:
    """Put into a model's card how it was trained; everything else in it stays."""
    write(folder, {**_read(folder), "training": training})


def _read(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / CARD).read_text(encoding="utf-8"))


def write(folder: Path, card: Mapping[str, Any]) -> None:
    """`model.toml`, in one rename. How well it was calibrated, where that is known, is for people, as the
    training is."""
    rows = {key: value for key, value in card.items() if key not in {"expected_error", "first_stage"}}
    training = dict(rows.pop("training", {}))
    if "expected_error" in card:
        training["calibration_error"] = card["expected_error"]
    relevance = rows.pop("relevance", {})
    text = _toml(rows)
    text += f"\n[relevance]\n{_toml(relevance)}" if relevance else ""
    text += f"\n[training]\n{_toml(training)}"
    unfinished = folder / f"{CARD}.unfinished"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.rename(folder / CARD)


def _toml(rows: Mapping[str, Any]) -> str:
    """A JSON string, number, list or truth value is a TOML one too."""
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in rows.items())

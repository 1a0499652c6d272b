"""The small models that other tests run are what their cards and their script say."""

from __future__ import annotations

import json
import tomllib

import pytest

from scripts.exporting.reference import PAIRS, TEXTS
from scripts.make_small_models import EMBEDDER, FORMS, RERANKER, SMALL_MODELS
from server.inference.session import hash_of

NAMES = [f"{model}-{form.precision}" for model in (EMBEDDER, RERANKER) for form in FORMS]


def test_every_model_is_there_and_no_other() -> None:
    assert sorted(path.name for path in SMALL_MODELS.iterdir() if path.is_dir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_models_file_has_the_hash_of_its_card(name: str) -> None:
    card = tomllib.loads((SMALL_MODELS / name / "model.toml").read_text(encoding="utf-8"))
    assert hash_of(SMALL_MODELS / name) == card["sha256"]


def test_the_reference_is_of_the_scripts_texts_and_differs_from_text_to_text() -> None:
    reference = json.loads((SMALL_MODELS / "reference.json").read_text(encoding="utf-8"))
    assert [row["text"] for row in reference["texts"]] == TEXTS
    assert [(row["question"], row["passage"]) for row in reference["pairs"]] == PAIRS
    assert len({tuple(row["passage"]) for row in reference["texts"]}) == len(TEXTS)
    assert len({row["logit"] for row in reference["pairs"]}) == len(PAIRS)


def test_they_stay_small() -> None:
    assert sum(path.stat().st_size for path in SMALL_MODELS.rglob("*") if path.is_file()) < 1_500_000

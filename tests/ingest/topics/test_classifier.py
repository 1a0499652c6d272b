from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.inference.session import SmallOnnxModel
from server.ingest.topics.classifier import (
    USUAL_TEMPERATURE,
    Examples,
    best_temperature,
    calibration_error,
    hold_out,
    macro_f1,
    measure,
    softmax,
    train,
)
from tests.ingest.topics.learning import SECTIONS, embed


def examples(per_label: int = 30, sections: tuple[str, ...] = SECTIONS) -> Examples:
    texts = [f"{name} {i}" for name in sections for i in range(per_label)]
    labels = tuple((name,) for name in sections for _ in range(per_label))
    where = tuple(f"{name}#{i // 3}" for name in sections for i in range(per_label))
    return Examples(embed(texts), labels, where)


@pytest.mark.parametrize("sections", [SECTIONS, SECTIONS[:2]])
def test_what_is_learnt_is_told_by_the_onnx_file(tmp_path: Path, sections: tuple[str, ...]) -> None:
    trained = train(examples(sections=sections))
    path = tmp_path / "topics.onnx"
    path.write_bytes(trained.onnx)
    found = SmallOnnxModel(path).probabilities(embed([f"the {name} at night" for name in sections]))
    assert found.shape == (len(sections), len(sections))
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert [trained.labels[i] for i in found.argmax(axis=1)] == [(name,) for name in sections]


def test_figures_are_of_what_was_held_out() -> None:
    figures = train(examples()).figures
    assert (figures.examples, figures.held_out) == (90, 18)
    assert figures.accuracy == figures.macro_f1 == 1.0
    assert figures.as_json()["temperature"] == round(figures.temperature, 4)


def test_training_twice_gives_the_same_file() -> None:
    assert train(examples()).onnx == train(examples()).onnx


def test_whole_sections_of_every_label_are_held_out() -> None:
    given = examples(per_label=30)
    held_out = hold_out(given)
    for name in SECTIONS:
        sections = [
            s for s, is_out in zip(given.sections, held_out, strict=True) if s.startswith(name) and is_out
        ]
        assert len(set(sections)) == 2
        assert len(sections) == 6
    assert not hold_out(examples(per_label=3)).any(), "a label's only section is learnt from"


def test_a_rare_label_is_found_as_well_as_a_common_one(tmp_path: Path) -> None:
    common, rare = examples(60, SECTIONS[:1]), examples(4, SECTIONS[1:2])
    both = Examples(
        np.concatenate([common.vectors, rare.vectors]),
        common.labels + rare.labels,
        common.sections + rare.sections,
    )
    path = tmp_path / "topics.onnx"
    trained = train(both)
    path.write_bytes(trained.onnx)
    [row] = SmallOnnxModel(path).probabilities(embed([f"a question of {SECTIONS[1]}"]))
    assert trained.labels[int(row.argmax())] == (SECTIONS[1],)


@pytest.mark.parametrize("true_temperature", [0.05, 1.0, 3.0])
def test_the_temperature_that_was_lost_is_found(true_temperature: float) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=2.0, size=(20_000, 4))
    gold = (softmax(scores).cumsum(axis=1) > rng.uniform(size=(20_000, 1))).argmax(axis=1)
    assert best_temperature(scores * true_temperature, gold) == pytest.approx(true_temperature, rel=0.06)


def test_without_anything_held_out_the_temperature_is_the_usual_one() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert best_temperature(np.zeros((0, 3)), nothing) == USUAL_TEMPERATURE
    assert measure(np.zeros((0, 3)), nothing).held_out == 0


def test_macro_f1_counts_every_label_the_same() -> None:
    gold = np.array([0, 0, 0, 1])
    assert macro_f1(gold, gold) == 1.0
    assert macro_f1(np.zeros(4, dtype=np.int64), gold) == pytest.approx((6 / 7 + 0) / 2)


def test_calibration_error_is_the_gap_between_confidence_and_accuracy() -> None:
    right = np.array([True, True, True, False])
    assert calibration_error(np.full(4, 0.75), right) == pytest.approx(0.0)
    assert calibration_error(np.full(4, 0.95), right) == pytest.approx(0.2)
    assert calibration_error(np.array([1.0, 1.0, 1.0, 0.05]), right) == pytest.approx(0.0125)

from __future__ import annotations

import pytest

pytest.importorskip("tqdm", reason="training needs .venv-export")

import math
import random
from pathlib import Path

from scripts.research.reader.calibration import Calibration, Judged, calibrate, conditional_logit
from scripts.research.reader.card import training_of, write, write_calibration
from server.ask.rerank import measures
from server.models import Candidate, Passage

BIAS, TEMPERATURE = 2.0, 1.5


def passage(length: int) -> Candidate:
    return Candidate(Passage(1, "https://u.example/", "", "", "x" * length), 1.0, 0.5, late_score=0.5)


def drawn(rank_counts: float, length_counts: float = 0.0, questions: int = 3000) -> list[list[Judged]]:
    """Ten passages a question, one of them right by a softmax over log-odds, rank and length."""
    rng, found = random.Random(7), []
    for _ in range(questions):
        rows = [
            measures(rng.gauss(0, 2), rank, rng.uniform(0.5, 1.0), passage(rng.choice([20, 100, 500])))
            for rank in range(1, 11)
        ]
        weights = [
            math.exp(row["log_odds"] - rank_counts * row["rank"] + length_counts * row["length"])
            for row in rows
        ]
        right = rng.choices(range(10), weights)[0]
        logits = [row | {"log_odds": row["log_odds"] * TEMPERATURE + BIAS} for row in rows]
        found.append([Judged(row, i == right) for i, row in enumerate(logits)])
    return found


def test_finds_how_much_rank_and_length_count_beside_the_logit() -> None:
    found = calibrate(drawn(0.7, 0.4))
    per_logit = found.relevance["log_odds"] / found.temperature * TEMPERATURE
    assert -found.relevance["rank"] / per_logit == pytest.approx(0.7, abs=0.1)
    assert found.relevance["length"] / per_logit == pytest.approx(0.4, abs=0.1)


def test_what_is_as_probable_comes_true_as_often() -> None:
    assert calibrate(drawn(0.7)).expected_error < 0.02


def test_questions_that_retrieval_missed_say_nothing_of_the_order() -> None:
    known = measures(9.0, 2, 0.9, passage(1)), measures(-9.0, 1, 1.0, passage(1))
    hopeless = [[Judged(row, False) for row in known]] * 50
    both = [
        one.relevance["rank"] / one.relevance["log_odds"] * one.temperature
        for one in map(calibrate, (drawn(0.7), drawn(0.7) + hopeless))
    ]
    assert both[0] == pytest.approx(both[1], abs=1e-3)


def test_without_a_question_that_tells_there_is_nothing_to_fit() -> None:
    with pytest.raises(IndexError):
        conditional_logit([])


def test_a_new_calibration_keeps_what_the_card_says_of_the_training(tmp_path: Path) -> None:
    told = {"seed": 1, "cycles": ['{"steps": 3}'], "data": ["a.jsonl.gz sha256:0"]}
    write(tmp_path, {"kind": "cross-encoder", "relevance": {}, "expected_error": 0.5, "training": told})
    write_calibration(tmp_path, Calibration(temperature=2.0, expected_error=0.25))
    assert training_of(tmp_path) == told | {"calibration_error": 0.25}


def test_a_model_that_was_not_trained_here_says_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_text('kind = "cross-encoder"\n', encoding="utf-8")
    assert training_of(tmp_path) == {}

from __future__ import annotations

import math
import random

import numpy as np
import pytest

pytest.importorskip("tqdm", reason="training needs .venv-export")

from scripts.reader.calibration import Judged, as_ranked, calibrate, expected_error
from scripts.reader.examples import Example, Text


def drawn(first_stage: float, questions: int = 4000) -> list[list[Judged]]:
    """Ten passages a question, one of them right by a softmax over logit and rank."""
    rng, found = random.Random(7), []
    for _ in range(questions):
        logits = [rng.gauss(0, 2) for _ in range(10)]
        weights = [math.exp(x - first_stage * math.log(rank)) for rank, x in enumerate(logits, 1)]
        right = rng.choices(range(10), weights)[0]
        found.append([Judged(x, rank, rank - 1 == right) for rank, x in enumerate(logits, 1)])
    return found


def test_finds_how_much_the_rank_counts_beside_the_logit() -> None:
    found = calibrate(drawn(first_stage=0.7))
    assert found.first_stage * found.temperature == pytest.approx(0.7, abs=0.07)


def test_what_is_as_probable_comes_true_as_often() -> None:
    assert calibrate(drawn(first_stage=0.7)).expected_error < 0.02


def test_a_first_stage_that_speaks_against_a_passage_is_not_believed() -> None:
    assert calibrate(drawn(first_stage=-0.3, questions=1000)).first_stage == 0.0


def test_questions_that_retrieval_missed_say_nothing_of_the_order() -> None:
    hopeless = [[Judged(9.0, 2, False), Judged(-9.0, 1, False)]] * 50
    both = [one.first_stage * one.temperature for one in map(calibrate, (drawn(0.7), drawn(0.7) + hopeless))]
    assert both[0] == pytest.approx(both[1], abs=1e-3)


def test_the_error_is_how_far_probabilities_are_from_what_happens() -> None:
    labels = np.array([1.0, 0.0, 1.0, 0.0])
    assert expected_error(np.full(4, 0.5), labels) == pytest.approx(0.0)
    assert expected_error(np.full(4, 0.95), labels) == pytest.approx(0.45)


def test_passages_stand_as_retrieval_had_them_and_those_it_missed_not_at_all() -> None:
    right, missed, wrong = Text("", "right"), Text("", "missed"), Text("", "wrong")
    example = Example("1", "squad", "?", True, True, (right, missed), (wrong,), (2, 0), (1,))
    assert as_ranked(example) == [(wrong, False), (right, True)]

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from server.evaluate.calibrate.choice import (
    FOLDS,
    best,
    cross_validate,
    folds,
    smallest_without_loss,
)
from server.evaluate.significance import Floats


@given(st.integers(10, 300))
def test_folds_are_of_one_size_or_nearly_and_always_the_same(n: int) -> None:
    counts = np.bincount(folds(n), minlength=FOLDS)
    assert counts.sum() == n
    assert counts.max() - counts.min() <= 1
    assert (folds(n) == folds(n)).all()


def test_a_question_is_scored_by_the_choice_that_was_made_without_it() -> None:
    """Each question scores 1 under a choice of its own fold's number, which the others never choose."""
    fold_of = folds(50)
    scores = np.zeros((50, FOLDS + 1))
    scores[np.arange(50), fold_of] = 100.0
    seen: list[set[int]] = []

    def choose(training: Floats) -> int:
        seen.append(set(training.argmax(axis=1).tolist()))
        return int(training.sum(axis=0).argmin())

    validated = cross_validate(scores, choose)
    assert validated.folds == (0, 1, 2, 3, 4)
    assert (validated.held_out == 100).all()
    assert seen[:FOLDS] == [set(range(FOLDS)) - {fold} for fold in range(FOLDS)]
    assert seen[FOLDS] == set(range(FOLDS))


def test_choosing_among_noise_gains_nothing_on_what_is_held_out() -> None:
    scores = np.random.default_rng(1).random((200, 40))
    validated = cross_validate(scores, best(0))
    assert scores[:, validated.chosen].mean() > 0.53
    assert abs(validated.held_out.mean() - 0.5) < 0.04


def test_the_best_choice_among_equals_is_the_one_nearest_to_the_present() -> None:
    scores = np.array([[0.0, 1.0, 1.0, 0.5, 1.0]] * 4)
    assert [best(present)(scores) for present in range(5)] == [1, 1, 2, 2, 4]


def test_the_smallest_choice_without_a_significant_loss() -> None:
    """Of 40 questions the first loses 30 and the second 8, and the third 3, which is within the noise."""
    scores = np.ones((40, 4))
    scores[:30, 0] = 0
    scores[:8, 1] = 0
    scores[:3, 2] = 0
    assert smallest_without_loss(scores) == 2
    assert smallest_without_loss(scores[:, [0, 1, 3]]) == 2
    assert smallest_without_loss(np.ones((40, 4))) == 0

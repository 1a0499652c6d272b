"""K-fold cross-validation of a choice: what is chosen without a question is scored by it.

The scores of every question under every choice are known beforehand, as a matrix (questions, choices); so a
fold costs nothing but the choosing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from server.evaluate.significance import Floats, mean_interval

FOLDS = 5
FEWEST = 2 * FOLDS
SEED = 5

Choose = Callable[[Floats], int]
"""From a matrix (questions, choices) of scores to the number of the choice."""


@dataclass(frozen=True, slots=True)
class Validated:
    """Choices by their numbers: by all questions, and without each fold in turn.

    `held_out` has one score a question, under the choice that was made without it.
    """

    chosen: int
    folds: tuple[int, ...]
    held_out: Floats


def cross_validate(scores: Floats, choose: Choose) -> Validated:
    """Over folds drawn with a fixed seed; there must be at least `FEWEST` questions."""
    fold_of = folds(len(scores))
    choices = tuple(choose(scores[fold_of != fold]) for fold in range(FOLDS))
    held_out = scores[np.arange(len(scores)), np.array(choices)[fold_of]]
    return Validated(choose(scores), choices, held_out)


def folds(questions: int) -> npt.NDArray[np.int_]:
    """The fold of each question, from 0, all of one size or nearly."""
    return np.random.default_rng(SEED).permutation(questions) % FOLDS


def best(present: int) -> Choose:
    """The choice with the highest mean; among equals the one nearest to the present."""

    def choose(scores: Floats) -> int:
        means = scores.mean(axis=0).round(9)
        equals = np.flatnonzero(means == means.max())
        return int(min(equals, key=lambda choice: (abs(choice - present), choice)))

    return choose


def smallest_without_loss(scores: Floats) -> int:
    """The first choice whose loss against the best one is not significant (choices in rising order)."""
    top = scores[:, int(scores.mean(axis=0).argmax())]
    for choice in range(scores.shape[1]):
        if mean_interval(scores[:, choice] - top).high >= 0:
            return choice
    raise AssertionError("the best choice loses nothing against itself")  # pragma: no cover

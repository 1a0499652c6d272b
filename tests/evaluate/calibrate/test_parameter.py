from __future__ import annotations

import numpy as np
import pytest

from server.evaluate.calibrate.choice import Trials, choices_with, choose_best, choose_smallest
from server.evaluate.significance import Floats


def trials(scores: Floats, present: float = 2) -> Trials:
    return Trials("setting", "mrr", present, tuple(range(1, scores.shape[1] + 1)), scores)


def by_column(*means: float, n: int = 60) -> Floats:
    """For each choice, so many of the n questions score 1, the same ones first."""
    return np.array([[float(i < mean * n) for mean in means] for i in range(n)])


def test_the_present_value_is_always_among_those_tried() -> None:
    assert choices_with(0.33, (0.0, 0.5, 1.0)) == (0.0, 0.33, 0.5, 1.0)
    assert choices_with(0.5, (0.0, 0.5, 1.0)) == (0.0, 0.5, 1.0)


def test_a_value_that_is_better_on_what_is_held_out_is_recommended() -> None:
    chosen = choose_best(trials(by_column(0.2, 0.4, 0.9)))
    assert (chosen.present, chosen.chosen, chosen.recommended) == (2, 3, 3)
    assert list(chosen.folds) == [3] * 5
    assert chosen.verdict == "better"
    assert chosen.held_out.value == pytest.approx(0.9)
    assert chosen.present_figure.value == pytest.approx(0.4)
    assert chosen.delta.value == pytest.approx(0.5)
    assert chosen.delta.low > 0.3
    assert chosen.reason == "set it to 3: it is better on questions held out."


def test_a_value_that_cannot_be_told_from_the_present_one_is_not_recommended() -> None:
    chosen = choose_best(trials(by_column(0.2, 0.4, 0.45)))
    assert (chosen.chosen, chosen.recommended, chosen.verdict) == (3, 2, "cannot tell")
    assert chosen.reason.startswith("keep 2: on questions held out, these cannot tell")


def test_the_present_value_is_kept_where_it_is_the_best() -> None:
    chosen = choose_best(trials(by_column(0.2, 0.9, 0.4)))
    assert (chosen.chosen, chosen.recommended) == (2, 2)
    assert chosen.reason == "keep 2: no value tried is better."


def test_what_is_only_chosen_by_chance_is_worse_held_out_and_kept_away() -> None:
    """Each fold is best served by a value that fails everywhere else."""
    rng = np.random.default_rng(0)
    scores = np.column_stack([np.full(100, 0.5), rng.random((100, 30)) * 0.98])
    chosen = choose_best(trials(scores, present=1))
    assert chosen.recommended == 1
    assert chosen.verdict != "better"


def test_a_smaller_value_that_loses_nothing_is_recommended_with_its_price() -> None:
    chosen = choose_smallest(
        trials(by_column(0.3, 0.8, 0.8, 0.8), present=4), np.array([1.0, 4.5, 8.0, 20.0])
    )
    assert (chosen.chosen, chosen.recommended, chosen.verdict) == (2, 2, "cannot tell")
    assert chosen.reason == (
        "set it to 2: it loses 0.01 at most on questions held out; "
        "4.5 passages are read a question, not 20.0."
    )


def test_a_smaller_value_whose_loss_may_only_be_hidden_by_few_questions_is_not() -> None:
    """3 of 60 lost: not significant, and by the interval perhaps a tenth."""
    chosen = choose_smallest(trials(by_column(0.75, 0.8), present=2), np.array([1.0, 20.0]))
    assert (chosen.chosen, chosen.recommended) == (1, 2)
    assert chosen.reason.startswith("keep 2:")


def test_a_larger_value_is_recommended_where_it_is_better() -> None:
    chosen = choose_smallest(trials(by_column(0.1, 0.2, 0.9), present=2), np.array([1.0, 2.0, 3.0]))
    assert (chosen.chosen, chosen.recommended, chosen.verdict) == (3, 3, "better")
    assert "3.0 passages are read a question, not 2.0." in chosen.reason

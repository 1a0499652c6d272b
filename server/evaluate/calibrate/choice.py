"""One setting's choice, by K-fold cross-validation: what is chosen without a question is scored by it.

The scores of every question under every choice are known beforehand, as a matrix (questions, choices); so a
fold costs nothing but the choosing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from server.evaluate.significance import Floats, Interval, SignificanceVerdict, mean_interval, verdict

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


# A smaller depth is recommended when what it may lose, by the interval, is no more than this.
BEARABLE_LOSS = 0.01


@dataclass(frozen=True, slots=True)
class Parameter:
    """What came of one setting.

    `chosen` is the choice of all questions, `folds` those without each fold. `held_out` is the mean of the
    objective over the questions, each under the choice made without it; `delta` is that minus
    `present_figure`, paired, and `verdict` speaks of it.
    """

    setting: str
    objective: str
    questions: int
    present: float
    chosen: float
    folds: tuple[float, ...]
    held_out: Interval
    present_figure: Interval
    delta: Interval
    verdict: SignificanceVerdict
    recommended: float
    reason: str


@dataclass(frozen=True, slots=True)
class Trials:
    """The scores, (questions, choices), of every value tried of a setting, in rising order."""

    setting: str
    objective: str
    present: float
    choices: tuple[float, ...]
    scores: Floats

    @property
    def place(self) -> int:
        """The present value's number among the choices."""
        return self.choices.index(self.present)


def choices_with(present: float, grid: Sequence[float]) -> tuple[float, ...]:
    """The grid and the present value, in rising order."""
    return tuple(sorted({*grid, present}))


def choose_best(trials: Trials) -> Parameter:
    """The value with the highest mean; recommended where the held-out questions say that it is better."""
    parameter = _validated(trials, best(trials.place))
    if parameter.verdict == "better":
        return _set_to_chosen(parameter, "it is better on questions held out.")
    return _keep(parameter)


def choose_smallest(trials: Trials, costs: Floats) -> Parameter:
    """The smallest value without a significant loss; `costs` are passages read a question, by value.

    It is recommended where the held-out questions say that it is better, or that it is cheaper and loses
    `BEARABLE_LOSS` at most: that a loss is not significant may only mean that the questions are few.
    """
    parameter = _validated(trials, smallest_without_loss)
    present, chosen = (float(costs[trials.choices.index(of)]) for of in (parameter.present, parameter.chosen))
    price = f"{chosen:.1f} passages are read a question, not {present:.1f}."
    if parameter.verdict == "better":
        return _set_to_chosen(parameter, f"it is better on questions held out; {price}")
    if chosen < present and parameter.delta.low >= -BEARABLE_LOSS:
        return _set_to_chosen(parameter, f"it loses {BEARABLE_LOSS} at most on questions held out; {price}")
    return _keep(parameter)


def _set_to_chosen(parameter: Parameter, why: str) -> Parameter:
    return replace(parameter, recommended=parameter.chosen, reason=f"set it to {parameter.chosen:g}: {why}")


def _keep(parameter: Parameter) -> Parameter:
    if parameter.chosen == parameter.present:
        why = "no value tried is better."
    elif parameter.verdict == "worse":
        why = f"what the folds chose is worse on questions held out, and so may {parameter.chosen:g} be."
    else:
        why = f"on questions held out, these cannot tell it from what the folds chose ({parameter.chosen:g})."
    return replace(parameter, reason=f"keep {parameter.present:g}: {why}")


def _validated(trials: Trials, choose: Choose) -> Parameter:
    """Everything but what to do."""
    validated = cross_validate(trials.scores, choose)
    present = trials.scores[:, trials.place]
    differences = validated.held_out - present
    delta = mean_interval(differences)
    return Parameter(
        setting=trials.setting,
        objective=trials.objective,
        questions=len(present),
        present=trials.present,
        chosen=trials.choices[validated.chosen],
        folds=tuple(trials.choices[choice] for choice in validated.folds),
        held_out=mean_interval(validated.held_out),
        present_figure=mean_interval(present),
        delta=delta,
        verdict=verdict(delta, int(np.count_nonzero(differences))),
        recommended=trials.present,
        reason="",
    )

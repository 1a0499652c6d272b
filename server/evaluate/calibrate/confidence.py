"""The confidence, refitted to a site: Platt scaling (Platt 1999) of what the shipped model says.

The corrected confidence is σ(scale · log-odds + shift). With two numbers a site's few questions cannot bend
it far, and the order of answers by confidence stays. Both are chosen as the other settings are, the shift
first: by the mean log-likelihood of what became of the answers, on questions held out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from server.evaluate.calibrate.choice import Parameter, Trials, choices_with, choose_best
from server.evaluate.outcomes import QuestionOutcome
from server.evaluate.significance import Floats

SHIFTS = tuple(round(0.1 * step, 1) for step in range(-40, 41))
SCALES = tuple(round(0.1 * step, 1) for step in range(2, 31))
# So many answers of either kind are needed, or a handful of questions would move every answer of the site.
FEWEST_OF_EACH = 20
OBJECTIVE = "log-likelihood"
# The confidence itself is never nearer to 0 or 1, so that one answer cannot outweigh all others.
_LEAST = 0.001


@dataclass(frozen=True, slots=True)
class WeighedAnswer:
    """An answer's confidence (0 to 1), as it was before any correction, and whether the answer was right."""

    confidence: float
    right: bool


@dataclass(frozen=True, slots=True)
class ConfidenceCorrection:
    """The numbers of a correction; those that ship change nothing."""

    shift: float = 0.0
    scale: float = 1.0

    def corrected(self, confidences: Floats) -> Floats:
        """The confidences, whatever their shape, by this correction; unchanged ones to the last digit."""
        if (self.shift, self.scale) == (0.0, 1.0):
            return confidences
        return _sigmoid(self.scale * _log_odds(confidences) + self.shift)


def weighed_answers(outcomes: Iterable[QuestionOutcome]) -> list[WeighedAnswer]:
    """What became of the questions that were answered with a confidence, and can be judged."""
    return [
        WeighedAnswer(one.evidence, one.right)
        for one in outcomes
        if one.evidence is not None and one.right is not None
    ]


def too_few(answers: Sequence[WeighedAnswer]) -> str:
    """A sentence that says why these cannot refit the confidence; "" where they can."""
    right = sum(one.right for one in answers)
    wrong = len(answers) - right
    if min(right, wrong) >= FEWEST_OF_EACH:
        return ""
    return (
        f"To refit the confidence, at least {FEWEST_OF_EACH} right and {FEWEST_OF_EACH} wrong answers are "
        f"needed; there are {right} and {wrong}."
    )


def refit(answers: Sequence[WeighedAnswer], present: ConfidenceCorrection) -> tuple[Parameter, Parameter]:
    """The shift, and the scale with the shift as recommended."""
    shift = choose_best(shift_trials(answers, present))
    shifted = ConfidenceCorrection(shift.recommended, present.scale)
    return shift, choose_best(scale_trials(answers, shifted))


def shift_trials(answers: Sequence[WeighedAnswer], present: ConfidenceCorrection) -> Trials:
    """Every shift, with the scale as it is."""
    shifts = choices_with(present.shift, SHIFTS)
    odds = present.scale * _odds_of(answers)[:, None] + np.array(shifts)[None, :]
    return Trials("confidence_shift", OBJECTIVE, present.shift, shifts, _likelihood(odds, answers))


def scale_trials(answers: Sequence[WeighedAnswer], present: ConfidenceCorrection) -> Trials:
    """Every scale, with the shift as it is."""
    scales = choices_with(present.scale, SCALES)
    odds = _odds_of(answers)[:, None] * np.array(scales)[None, :] + present.shift
    return Trials("confidence_scale", OBJECTIVE, present.scale, scales, _likelihood(odds, answers))


def _likelihood(odds: Floats, answers: Sequence[WeighedAnswer]) -> Floats:
    """ln p of what happened, (answers, choices)."""
    signs = np.array([1.0 if one.right else -1.0 for one in answers])
    likelihood: Floats = -np.logaddexp(0.0, -signs[:, None] * odds)
    return likelihood


def _odds_of(answers: Sequence[WeighedAnswer]) -> Floats:
    return _log_odds(np.array([one.confidence for one in answers]))


def _log_odds(confidences: Floats) -> Floats:
    inside = np.clip(confidences, _LEAST, 1 - _LEAST)
    odds: Floats = np.log(inside / (1 - inside))
    return odds


def _sigmoid(odds: Floats) -> Floats:
    probabilities: Floats = 1 / (1 + np.exp(-odds))
    return probabilities

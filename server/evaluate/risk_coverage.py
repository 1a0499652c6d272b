"""What evidence is worth: risk against coverage, the area under that curve, and whether it is a probability.

Questions are covered from the surest answer on. Risk is the share of wrong answers among those covered
(El-Yaniv & Wiener, 2010), and the area under the curve is the mean of the risks met while every answer given
is covered, one by one (AURC: Geifman, Uziel & El-Yaniv, 2019): the lower, the better evidence tells right
answers from wrong ones, and the fewer of them are wrong.

Of the answers given at 0.7, are seven in ten right? Answers are sorted into bins of equal width by their
evidence; in each, the mean evidence stands beside the share that is right. The expected calibration error is
the mean gap between the two, weighted by how many answers a bin holds (Naeini, Cooper & Hauskrecht, 2015; Guo
et al., 2017).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from server.evaluate.outcomes import QuestionOutcome
from server.evaluate.significance import Bools, Floats, Interval, interval_of, resamples, share_interval


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """Answering from this much `evidence` on: the share of the judged questions covered, and the risk."""

    evidence: float
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class Answered:
    """One entry a question: its evidence, NaN where no judged answer was given, and whether that is wrong."""

    evidence: Floats
    wrong: Bools

    @property
    def given(self) -> Bools:
        """Where a judged answer was given."""
        return ~np.isnan(self.evidence)


def answered(outcomes: Sequence[QuestionOutcome]) -> Answered:
    """What there is to draw a curve from; an answer without evidence is none."""
    evidence = [
        np.nan if outcome.evidence is None or outcome.right is None else outcome.evidence
        for outcome in outcomes
    ]
    return Answered(np.array(evidence), np.array([outcome.right is False for outcome in outcomes]))


def risk_coverage(outcomes: Sequence[QuestionOutcome]) -> tuple[RiskPoint, ...]:
    """The curve from the surest answer on; answers of equal evidence are covered together.

    Its last point is what the strategy did at the threshold it ran with.
    """
    judged = sum(outcome.verdict != "unjudged" for outcome in outcomes)
    asked = answered(outcomes)
    evidence, wrong = asked.evidence[asked.given], asked.wrong[asked.given]
    points = []
    for least in np.unique(evidence)[::-1]:
        covered = evidence >= least
        points.append(RiskPoint(float(least), int(covered.sum()) / judged, float(wrong[covered].mean())))
    return tuple(points)


def aurc_interval(asked: Answered) -> Interval:
    """The area under the curve; at least one judged answer must have been given."""
    whole = np.ones((1, len(asked.wrong)))
    samples = [_weighted_aurc(weights, asked) for weights in resamples(len(asked.wrong))]
    return interval_of(float(_weighted_aurc(whole, asked)[0]), _known(samples))


def aurc_difference(a: Answered, b: Answered) -> Interval:
    """The area of b minus that of a, over the same questions; each must have given a judged answer."""
    whole = np.ones((1, len(a.wrong)))
    samples = [_weighted_aurc(w, b) - _weighted_aurc(w, a) for w in resamples(len(a.wrong))]
    value = _weighted_aurc(whole, b)[0] - _weighted_aurc(whole, a)[0]
    return interval_of(float(value), _known(samples))


def _known(samples: Sequence[Floats]) -> Floats:
    """Without the resamples in which nothing was answered: they have no risk."""
    together = np.concatenate(samples)
    return together[~np.isnan(together)]


def _weighted_aurc(weights: Floats, asked: Answered) -> Floats:
    """The area for each row of weights, (samples, questions); NaN where the row has no answer."""
    evidence = asked.evidence[asked.given]
    surest_first = np.argsort(-evidence, kind="stable")
    evidence = evidence[surest_first]
    covered_with = np.searchsorted(-evidence, -evidence, side="right") - 1
    drawn = weights[:, asked.given][:, surest_first]
    covered = np.cumsum(drawn, axis=1)[:, covered_with]
    wrong = np.cumsum(drawn * asked.wrong[asked.given][surest_first], axis=1)[:, covered_with]
    risk = np.divide(wrong, covered, out=np.zeros_like(wrong), where=covered > 0)
    total = drawn.sum(axis=1)
    none = np.full_like(total, np.nan)
    return np.asarray(np.divide((drawn * risk).sum(axis=1), total, out=none, where=total > 0))


BINS = 10


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The answers whose evidence lies in [low, high): how many, their mean evidence, the share right."""

    low: float
    high: float
    answers: int
    evidence: float
    right: Interval


def reliability(outcomes: Sequence[QuestionOutcome]) -> tuple[ReliabilityBin, ...]:
    """The bins that hold an answer, from the least evidence on; evidence of 1 is in the last."""
    asked = answered(outcomes)
    evidence, right = asked.evidence[asked.given], ~asked.wrong[asked.given]
    place = np.clip((evidence * BINS).astype(int), 0, BINS - 1)
    return tuple(
        ReliabilityBin(
            low=number / BINS,
            high=(number + 1) / BINS,
            answers=int((place == number).sum()),
            evidence=float(evidence[place == number].mean()),
            right=share_interval(int(right[place == number].sum()), int((place == number).sum())),
        )
        for number in np.unique(place).tolist()
    )


def calibration_error(bins: Sequence[ReliabilityBin]) -> float | None:
    """The expected calibration error, 0 to 1; None without an answer."""
    answers = sum(one.answers for one in bins)
    gaps = (one.answers * abs(one.evidence - one.right.value) for one in bins)
    return math.fsum(gaps) / answers if answers else None

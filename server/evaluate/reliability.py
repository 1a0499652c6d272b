"""Whether evidence can be read as a probability: of the answers given at 0.7, are seven in ten right?

Answers are sorted into bins of equal width by their evidence; in each, the mean evidence stands beside the
share that is right. The expected calibration error is the mean gap between the two, weighted by how many
answers a bin holds (Naeini, Cooper & Hauskrecht, 2015; Guo et al., 2017).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from server.evaluate.outcomes import Outcome
from server.evaluate.risk_coverage import answered
from server.evaluate.significance import Interval, share_interval

BINS = 10


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The answers whose evidence lies in [low, high): how many, their mean evidence, the share right."""

    low: float
    high: float
    answers: int
    evidence: float
    right: Interval


def reliability(outcomes: Sequence[Outcome]) -> tuple[ReliabilityBin, ...]:
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

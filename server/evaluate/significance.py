"""How sure a figure is: bootstrap intervals over questions, and a plain verdict on a difference.

Intervals are 95 %, by the percentile method, from 10,000 resamples of the questions with a fixed
seed, so that the same outcomes always print the same figures. Differences are paired: a resample takes
a question's two scores together. Each interval speaks for one comparison alone; among many, one in
twenty differences that are not there will look real.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

SAMPLES = 10_000
SEED = 4
FEWEST_DIFFERING = 6
Z_95 = 1.959964  # 95 % of a normal distribution lies within so many standard deviations

SignificanceVerdict = Literal["better", "worse", "cannot tell"]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and the interval that it lies in with 95 % confidence."""

    value: float
    low: float
    high: float


def mean_interval(values: Floats) -> Interval:
    """The mean of one score a question; of paired differences, it is the difference of the means.

    Resampling n questions draws the count of each distinct score from a multinomial distribution, which
    is far cheaper than drawing the questions one by one, and the same in law.
    """
    distinct, counts = np.unique(values, return_counts=True)
    rng = np.random.default_rng(SEED)
    sums = [
        rng.multinomial(len(values), counts / len(values), size=samples) @ distinct
        for samples in _batches(len(distinct))
    ]
    return interval_of(float(values.mean()), np.concatenate(sums) / len(values))


def share_interval(hits: int, n: int) -> Interval:
    """A share of n > 0 things, with Wilson's score interval (1927), which few things do not mislead."""
    share, z2 = hits / n, Z_95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z_95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    # Where all or none hit, an end is the share itself, but for the order of summation.
    return Interval(share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)))


def auroc(scores: Floats, positive: Bools) -> float:
    """The chance that a positive scores above a negative, a tie counting half; both must occur."""
    return float(_weighted_auroc(np.ones((1, len(scores))), scores, positive)[0])


def auroc_interval(scores: Floats, positive: Bools) -> Interval:
    """The AUROC of one score a question, positives and negatives resampled each among themselves."""
    samples = [_weighted_auroc(weights, scores, positive) for weights in _resamples_by_kind(positive)]
    return interval_of(auroc(scores, positive), np.concatenate(samples))


def auroc_difference(a: Floats, b: Floats, positive: Bools) -> Interval:
    """AUROC of b minus that of a, over the same questions."""
    samples = [
        _weighted_auroc(weights, b, positive) - _weighted_auroc(weights, a, positive)
        for weights in _resamples_by_kind(positive)
    ]
    return interval_of(auroc(b, positive) - auroc(a, positive), np.concatenate(samples))


def verdict(delta: Interval, differing: int, *, lower_is_better: bool = False) -> SignificanceVerdict:
    """What a difference says of b: better or worse when the interval leaves out zero, else "cannot tell".

    It also takes six questions whose scores differ: with fewer, even if all favour one side, a sign test
    is not significant at 5 %, while the bootstrap of so few would already be sure.
    """
    if differing < FEWEST_DIFFERING or delta.low <= 0 <= delta.high:
        return "cannot tell"
    return "better" if (delta.low > 0) != lower_is_better else "worse"


def interval_of(value: float, samples: Floats) -> Interval:
    """A figure and the interval that the resampled figures give it.

    Six decimals: beyond them is only the order of summation, which must not turn a zero into a sign.
    """
    low, high = np.quantile(samples, (0.025, 0.975))
    return Interval(*(round(float(figure), 6) + 0.0 for figure in (value, low, high)))


def resamples(questions: int) -> Iterator[Floats]:
    """Batches of resamples as weights, (samples, questions): how often each question was drawn."""
    rng = np.random.default_rng(SEED)
    for samples in _batches(questions):
        yield _draw_counts(rng, samples, questions)


def _resamples_by_kind(positive: Bools) -> Iterator[Floats]:
    """The same, positives and negatives drawn each among themselves."""
    rng = np.random.default_rng(SEED)
    for samples in _batches(len(positive)):
        weights = np.zeros((samples, len(positive)))
        weights[:, positive] = _draw_counts(rng, samples, int(positive.sum()))
        weights[:, ~positive] = _draw_counts(rng, samples, int((~positive).sum()))
        yield weights


def _batches(width: int) -> Iterator[int]:
    """`SAMPLES` in batches whose rows of this width fit a processor's cache."""
    most = max(1, 200_000 // width)
    for start in range(0, SAMPLES, most):
        yield min(most, SAMPLES - start)


def _draw_counts(rng: np.random.Generator, samples: int, n: int) -> Floats:
    """For each sample, how often each of n things comes in n draws with replacement: (samples, n)."""
    drawn = rng.integers(n, size=(samples, n)) + n * np.arange(samples)[:, None]
    return np.bincount(drawn.ravel(), minlength=samples * n).reshape(samples, n).astype(np.float64)


def _weighted_auroc(weights: Floats, scores: Floats, positive: Bools) -> Floats:
    """The AUROC of each row of weights: what each positive beats or ties with, over all pairs."""
    ascending = np.argsort(scores[~positive])
    negatives = scores[~positive][ascending]
    up_to = np.zeros((len(weights), len(negatives) + 1))
    np.cumsum(weights[:, ~positive][:, ascending], axis=1, out=up_to[:, 1:])
    beaten = up_to[:, np.searchsorted(negatives, scores[positive], side="left")]
    beaten_or_tied = up_to[:, np.searchsorted(negatives, scores[positive], side="right")]
    of_positives = weights[:, positive]
    wins = (of_positives * (beaten + beaten_or_tied)).sum(axis=1) / 2
    return np.asarray(wins / (of_positives.sum(axis=1) * up_to[:, -1]))

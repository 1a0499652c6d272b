"""From a reader's relevance logits to an order, and to probabilities that mean the same for every question.

Two steps, both on questions of the validation articles. First how much a passage's rank before counts beside
the logit: the conditional logit model (McFadden 1974) that makes the right passages likeliest among their
question's, for it is the order within a question that reranking is about. Then a temperature and a bias
(Platt 1999, Guo et al. 2017) make a probability of that score:
P = σ((logit − bias) / temperature − first_stage · ln rank).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from scripts.reader.examples import Example, Text
from server.inference.reranker import Reranker

Floats = npt.NDArray[np.float64]
READ_PASSAGES = 10
ENOUGH = 1e-6  # a Newton step this short is the last


@dataclass(frozen=True, slots=True)
class Calibration:
    """What goes into the model's card, and the error it leaves."""

    temperature: float
    bias: float
    first_stage: float
    expected_error: float


@dataclass(frozen=True, slots=True)
class Judged:
    """One passage the reader has read: its logit, its rank before, and whether it answers the question."""

    logit: float
    rank: int
    right: bool


def judge(reranker: Reranker, examples: Sequence[Example]) -> Iterator[list[Judged]]:
    """What retrieval brings first for each question, `READ_PASSAGES` of it, read by an uncalibrated model."""
    for example in tqdm(examples, desc="calibrate"):
        texts = as_ranked(example)[:READ_PASSAGES]
        readings = reranker.read(example.question, [(text.lead, text.body) for text, _ in texts])
        yield [
            Judged(reading.log_odds, rank, right)
            for rank, (reading, (_, right)) in enumerate(zip(readings, texts, strict=True), 1)
        ]


def as_ranked(example: Example) -> list[tuple[Text, bool]]:
    """The passages in the order retrieval had them, each with whether it answers the question."""
    rows = [(rank, text, True) for rank, text in zip(example.positive_ranks, example.positives, strict=True)]
    rows += [
        (rank, text, False) for rank, text in zip(example.negative_ranks, example.negatives, strict=True)
    ]
    return [(text, right) for rank, text, right in sorted(rows, key=lambda row: row[0]) if rank]


def calibrate(judged: Iterable[Sequence[Judged]]) -> Calibration:
    """From each question's passages; `Calibration` says what the numbers are."""
    questions = [list(passages) for passages in judged]
    logit_weight, rank_weight = conditional_logit(
        [
            (
                np.array([[row.logit, -np.log(row.rank)] for row in rows]),
                np.array([row.right for row in rows]),
            )
            for rows in questions
        ]
    )
    per_logit = max(0.0, rank_weight / logit_weight)
    rows = [row for passages in questions for row in passages]
    scores = np.array([row.logit - per_logit * np.log(row.rank) for row in rows])
    labels = np.array([float(row.right) for row in rows])
    bias, slope = logistic_regression(scores, labels)
    error = expected_error(_sigmoid(bias + slope * scores), labels)
    return Calibration(*(round(float(x), 4) for x in (1 / slope, -bias / slope, per_logit * slope, error)))


def conditional_logit(questions: Sequence[tuple[Floats, Floats]]) -> Floats:
    """The features' weights under which right passages are likeliest, by Newton's method.

    Each question is its passages' features (passages, features) and whether each is right. Questions whose
    passages are all right or all wrong say nothing.
    """
    telling = [(x, y.astype(float)) for x, y in questions if 0 < y.sum() < len(y)]
    weights = np.zeros(telling[0][0].shape[1])
    for _ in range(100):
        gradient, hessian = np.zeros_like(weights), 1e-6 * np.eye(len(weights))
        for x, y in telling:
            p = np.exp(x @ weights - (x @ weights).max())
            p /= p.sum()
            right = p * y / (p @ y)
            gradient += x.T @ (right - p)
            hessian += _spread(x, p)
        step = np.linalg.solve(hessian, gradient)
        longest = np.abs(step).max()
        weights += step / max(1.0, longest)
        if longest < ENOUGH:
            break
    return weights


def _spread(x: Floats, p: Floats) -> Floats:
    """The features' covariance under the probabilities `p`."""
    mean = p @ x
    spread: Floats = (x * p[:, None]).T @ x - np.outer(mean, mean)
    return spread


def logistic_regression(scores: Floats, labels: Floats) -> tuple[float, float]:
    """Bias and slope, by Newton's method."""
    features, beta = np.column_stack([np.ones_like(scores), scores]), np.array([0.0, 0.3])
    for _ in range(100):
        p = _sigmoid(features @ beta)
        hessian = (features * (p * (1 - p))[:, None]).T @ features + 1e-6 * np.eye(2)
        beta += np.linalg.solve(hessian, features.T @ (labels - p))
    return float(beta[0]), float(beta[1])


def expected_error(probabilities: Floats, labels: Floats, bins: int = 10) -> float:
    """Expected calibration error (Naeini et al. 2015): bins of equal width, weighted by their members."""
    which = np.minimum((probabilities * bins).astype(int), bins - 1)
    gaps = [
        (which == i).mean() * abs(labels[which == i].mean() - probabilities[which == i].mean())
        for i in range(bins)
        if (which == i).any()
    ]
    return float(sum(gaps))


def _sigmoid(x: Floats) -> Floats:
    p: Floats = 1 / (1 + np.exp(-np.clip(x, -50, 50)))
    return p

"""From a reader's relevance logits to an order, and to probabilities that mean the same for every question.

On questions that nothing was learnt from, SQuAD's and visitors', in three steps. A temperature and a bias
(Platt 1999, Guo et al. 2017) make log-odds of the logit. Then the conditional logit model (McFadden 1974)
finds how much the rank before and the length count beside them: the weights that make the right passages
likeliest among their question's, for it is the order within a question that counts. Last, a second
temperature and bias make a probability of the sum, which the server adds up in `server/ask/rerank.py`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from scripts.logistic import Floats, fit_logistic, sigmoid
from scripts.research.reader.mining import holds_quote, hybrid, searchable
from scripts.research.reader.sources import Asked, Source
from server.ask.context import RetrieveOptions
from server.ask.rerank import MEASURES, measures, pair, relevance, shares_of_best
from server.evaluate.questions import contains_any
from server.inference.encoders import Reranker
from server.ingest.topics.classifier import calibration_error
from server.models import Candidate
from server.settings import Settings

READ_PASSAGES = 20
ENOUGH = 1e-6  # a Newton step this short is the last


@dataclass(frozen=True, slots=True)
class Calibration:
    """What goes into the model's card; `expected_error` is that of the probabilities by all that is known."""

    temperature: float = 1.0
    bias: float = 0.0
    relevance: Mapping[str, float] = field(default_factory=dict)
    expected_error: float = 0.0


@dataclass(frozen=True, slots=True)
class Judged:
    """One passage the reader has read: what is known of it, and whether it answers the question.

    `log_odds` is the bare logit here.
    """

    known: Mapping[str, float]
    right: bool


def judge(
    reranker: Reranker, source: Source, settings: Settings, limit: int, seed: int
) -> Iterator[list[Judged]]:
    """What hybrid retrieval brings first for each of `limit` questions, `READ_PASSAGES` of it, and read."""
    asked = random.Random(seed).sample(list(source.asked), min(limit, len(source.asked)))
    options = RetrieveOptions(alpha=settings.fusion_alpha, late_interaction=settings.late_interaction)
    with searchable(source, settings) as (index, embedder):
        for one in tqdm(asked, desc=f"calibrate {source.name}"):
            found = hybrid(one.question, options, index, embedder)
            yield list(_judged(reranker, one, found[:READ_PASSAGES]))


def _judged(reranker: Reranker, one: Asked, found: Sequence[Candidate]) -> Iterator[Judged]:
    answers, card = [text for text, _ in one.answers], reranker.card
    passages = [candidate.passage for candidate in found]
    readings = reranker.read(one.question, [pair(passage) for passage in passages])
    shares = shares_of_best(found)
    for rank, (candidate, reading) in enumerate(zip(found, readings, strict=True), 1):
        passage = candidate.passage
        logit = reading.log_odds * card.temperature + card.bias
        right = passage.url == one.gold_url and contains_any(passage.text, answers)
        if one.quote:
            right = passage.url in (one.gold_url, *one.other_urls) and holds_quote(passage.text, one.quote)
        yield Judged(measures(logit, rank, shares[rank - 1], candidate), right)


def calibrate(judged: Iterable[Sequence[Judged]]) -> Calibration:
    """From each question's passages; `Calibration` says what the numbers are."""
    questions = [list(passages) for passages in judged]
    right = np.array([float(row.right) for passages in questions for row in passages])
    logits = np.array([row.known["log_odds"] for passages in questions for row in passages])
    offset, slope = map(float, fit_logistic(logits[:, None], right))
    bare = Calibration(temperature=round(1 / slope, 4), bias=round(-offset / slope, 4))
    rows = [[_with_log_odds(row, bare) for row in passages] for passages in questions]
    weights = _weights(rows, right)
    odds = np.array([relevance(row.known, weights) for passages in rows for row in passages])
    error = round(calibration_error(sigmoid(odds), right > 0), 4)
    return replace(bare, relevance=weights, expected_error=error)


def _with_log_odds(row: Judged, bare: Calibration) -> Judged:
    log_odds = (row.known["log_odds"] - bare.bias) / bare.temperature
    return replace(row, known={**row.known, "log_odds": log_odds})


def _weights(rows: Sequence[Sequence[Judged]], right: Floats) -> dict[str, float]:
    """The weights of what is known, such that their sum is a log-odds."""
    features = [np.array([[row.known[name] for name in MEASURES] for row in passages]) for passages in rows]
    labels = [np.array([row.right for row in passages]) for passages in rows]
    weights = conditional_logit(list(zip(features, labels, strict=True)))
    offset, slope = map(float, fit_logistic((np.concatenate(features) @ weights)[:, None], right))
    return {"bias": round(offset, 4)} | {
        name: round(float(slope * weight), 4) for name, weight in zip(MEASURES, weights, strict=True)
    }


def conditional_logit(questions: Sequence[tuple[Floats, npt.NDArray[np.bool_]]]) -> Floats:
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

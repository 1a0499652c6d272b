"""A strategy's figures from what became of its questions, and the difference between two of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from server.evaluate.outcomes import QuestionOutcome
from server.evaluate.retrieval_metrics import ANSWER_DEPTHS, NDCG_DEPTH, PRECISION_DEPTH, RECALL_DEPTHS
from server.evaluate.risk_coverage import Answered, answered, aurc_difference, aurc_interval
from server.evaluate.significance import (
    Bools,
    Floats,
    Interval,
    SignificanceVerdict,
    auroc_difference,
    auroc_interval,
    mean_interval,
    verdict,
)


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds that half, and 95 in 100, of the questions stayed within."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """One strategy's figures, and what became of each question, in the order of the set.

    `metrics` has only those that some question could be scored by; `latency_ms` is by step, and `total`.
    """

    strategy: str
    metrics: Mapping[str, Interval]
    latency_ms: Mapping[str, Latency]
    outcomes: tuple[QuestionOutcome, ...]

    def as_json(self) -> dict[str, Any]:
        """The contract's object; the outcomes are not part of it."""
        kept = {"strategy": self.strategy, "metrics": self.metrics, "latency_ms": self.latency_ms}
        plain: dict[str, Any] = msgspec.to_builtins(kept)
        return plain


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric of two strategies over the same questions: `delta` is b − a, and the verdict is on b."""

    a: str
    b: str
    metric: str
    delta: Interval
    verdict: SignificanceVerdict

    def as_json(self) -> dict[str, Any]:
        """The contract's object."""
        delta, low, high = self.delta.value, self.delta.low, self.delta.high
        named = {"a": self.a, "b": self.b, "metric": self.metric}
        return {**named, "delta": delta, "low": low, "high": high, "verdict": self.verdict}


@dataclass(frozen=True, slots=True)
class KeptPassage:
    """What is kept of a ranked passage: where it stands, how it begins, and a hash of its whole text."""

    url: str
    title: str
    heading: str
    snippet: str
    digest: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Strategies side by side. `questions` is how many there were.

    `versions` names the models by name and hash, as the traces do; `passages` has, by chunk id, every passage
    that an outcome keeps.
    """

    snapshot: str
    questions: int
    strategies: tuple[StrategyResult, ...]
    comparisons: tuple[MetricComparison, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    passages: Mapping[int, KeptPassage] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The JSON object of the contract; what is kept of passages and outcomes is not part of it."""
        return {
            "snapshot": self.snapshot,
            "questions": self.questions,
            "strategies": [result.as_json() for result in self.strategies],
            "comparisons": [comparison.as_json() for comparison in self.comparisons],
        }


# Means of the outcomes' scores, in the order of the report. The two areas, which are no means, come last.
MEAN_METRICS = (
    *(f"recall@{k}" for k in RECALL_DEPTHS),
    f"precision@{PRECISION_DEPTH}",
    "mrr",
    f"ndcg@{NDCG_DEPTH}",
    *(f"answer@{k}" for k in ANSWER_DEPTHS),
    *("em", "f1", "precision", "recall", "answer_contains"),
    *("answered", "seems", "wrongly_refused"),
    *("rightly_refused", "seems_unanswerable", "wrongly_answered"),
)
REFUSAL_AUROC = "refusal_auroc"
AURC = "aurc"
LOWER_IS_BETTER = frozenset({"wrongly_refused", "seems_unanswerable", "wrongly_answered", AURC})


def result_of(strategy: str, outcomes: Sequence[QuestionOutcome]) -> StrategyResult:
    """Every metric that some question can be scored by, each with its interval, and the latency by step."""
    metrics: dict[str, Interval] = {}
    for metric in MEAN_METRICS:
        scores = _scores(outcomes, metric)
        if scores.size:
            metrics[metric] = mean_interval(scores)
    evidence, positive = _evidence(outcomes)
    usable = ~np.isnan(evidence)
    if _both_kinds(positive[usable]):
        metrics[REFUSAL_AUROC] = auroc_interval(evidence[usable], positive[usable])
    asked = answered(outcomes)
    if asked.given.any():
        metrics[AURC] = aurc_interval(asked)
    return StrategyResult(strategy, metrics, _latency(outcomes), tuple(outcomes))


def compare(a: StrategyResult, b: StrategyResult) -> tuple[MetricComparison, ...]:
    """Every metric that both have; their outcomes must be of the same questions in the same order."""
    shared = [metric for metric in MEAN_METRICS if metric in a.metrics and metric in b.metrics]
    means = tuple(_compare_means(a, b, metric) for metric in shared)
    return means + _compare_auroc(a, b) + _compare_aurc(a, b)


def _compare_means(a: StrategyResult, b: StrategyResult, metric: str) -> MetricComparison:
    """Whether a question has a score is the question's doing, so both results have the same ones."""
    differences = _scores(b.outcomes, metric) - _scores(a.outcomes, metric)
    delta = mean_interval(differences)
    judged = verdict(delta, int(np.count_nonzero(differences)), lower_is_better=metric in LOWER_IS_BETTER)
    return MetricComparison(a.strategy, b.strategy, metric, delta, judged)


def _compare_auroc(a: StrategyResult, b: StrategyResult) -> tuple[MetricComparison, ...]:
    """Over the questions that both weighed evidence for; nothing when those are of one kind."""
    (of_a, positive), (of_b, _) = _evidence(a.outcomes), _evidence(b.outcomes)
    usable = ~np.isnan(of_a) & ~np.isnan(of_b)
    of_a, of_b, positive = of_a[usable], of_b[usable], positive[usable]
    if not _both_kinds(positive):
        return ()
    delta = auroc_difference(of_a, of_b, positive)
    differing = int(np.count_nonzero(of_a != of_b))
    return (MetricComparison(a.strategy, b.strategy, REFUSAL_AUROC, delta, verdict(delta, differing)),)


def _compare_aurc(a: StrategyResult, b: StrategyResult) -> tuple[MetricComparison, ...]:
    """Each over what it answered; nothing when one of them gave no answer that can be judged."""
    of_a, of_b = answered(a.outcomes), answered(b.outcomes)
    if not of_a.given.any() or not of_b.given.any():
        return ()
    delta = aurc_difference(of_a, of_b)
    judged = verdict(delta, _differing(of_a, of_b), lower_is_better=True)
    return (MetricComparison(a.strategy, b.strategy, AURC, delta, judged),)


def _differing(a: Answered, b: Answered) -> int:
    same_evidence = (a.evidence == b.evidence) | ~(a.given | b.given)
    return int(np.count_nonzero(~same_evidence | (a.wrong != b.wrong)))


def _scores(outcomes: Sequence[QuestionOutcome], metric: str) -> Floats:
    return np.array([outcome.scores[metric] for outcome in outcomes if metric in outcome.scores])


def _evidence(outcomes: Sequence[QuestionOutcome]) -> tuple[Floats, Bools]:
    """Each question's evidence, and whether it is answerable; NaN where either is not known.

    A question refused before evidence was weighed had less of it than any other, provided that this
    strategy weighs evidence at all.
    """
    weighed = any(outcome.evidence is not None for outcome in outcomes)
    evidence = [_evidence_of(outcome) if weighed else math.nan for outcome in outcomes]
    return np.array(evidence), np.array([bool(outcome.question.answerable) for outcome in outcomes])


def _evidence_of(outcome: QuestionOutcome) -> float:
    if outcome.question.answerable is None:
        return math.nan
    if outcome.evidence is not None:
        return outcome.evidence
    return -math.inf if outcome.refused else math.nan


def _both_kinds(positive: Bools) -> bool:
    return bool(positive.any() and not positive.all())


def _latency(outcomes: Sequence[QuestionOutcome]) -> Mapping[str, Latency]:
    """By step, over the questions that came to it."""
    steps = dict.fromkeys(step for outcome in outcomes for step in outcome.latency_ms)
    return {
        step: Latency(*(round(float(ms), 3) for ms in np.percentile(_times(outcomes, step), (50, 95))))
        for step in steps
    }


def _times(outcomes: Sequence[QuestionOutcome], step: str) -> list[float]:
    return [outcome.latency_ms[step] for outcome in outcomes if step in outcome.latency_ms]

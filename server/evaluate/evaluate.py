"""`lodge eval`: strategies side by side on one set of questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from server.errors import BadInputError, LodgeError
from server.evaluate.asking import Asker, ask_once, strategy_names
from server.evaluate.outcomes import Outcome, outcome_of
from server.evaluate.questions import EvalQuestion
from server.evaluate.report import Comparison, Evaluation, Latency, StrategyResult
from server.evaluate.retrieval_metrics import ANSWER_DEPTHS, NDCG_DEPTH, PRECISION_DEPTH, RECALL_DEPTHS
from server.evaluate.significance import (
    Bools,
    Floats,
    Interval,
    auroc_difference,
    auroc_interval,
    mean_interval,
    verdict,
)
from server.records import Final

# Means of the outcomes' scores, in the order of the report. `refusal_auroc`, which is no mean, comes last.
MEAN_METRICS = (
    *(f"recall@{k}" for k in RECALL_DEPTHS),
    f"precision@{PRECISION_DEPTH}",
    "mrr",
    f"ndcg@{NDCG_DEPTH}",
    *(f"answer@{k}" for k in ANSWER_DEPTHS),
    *("em", "f1", "precision", "recall", "answer_contains"),
    *("answered", "rightly_refused", "wrongly_refused", "wrongly_answered"),
)
REFUSAL_AUROC = "refusal_auroc"
LOWER_IS_BETTER = frozenset({"wrongly_refused", "wrongly_answered"})


def evaluate(
    asker: Asker,
    questions: Sequence[EvalQuestion],
    strategies: Sequence[str],
    on_progress: Callable[[int, int], None],
) -> Evaluation:
    """Ask every question with every strategy, one at a time, and score what comes back.

    `on_progress` hears how many asks are done, and of how many. No question, no strategy, or one that the
    asker does not know is a `BadInputError` before the work begins; a snapshot that is swapped meanwhile
    is a `LodgeError`, since figures from two snapshots are figures of neither.
    """
    names = strategy_names(strategies)
    if not questions:
        raise BadInputError("There is no question to evaluate with.")
    snapshot = _warm_up(asker, questions[0], names)
    outcomes = _ask_all(asker, questions, names, snapshot, on_progress)
    results = tuple(_result(name, outcomes[name]) for name in names)
    comparisons = (comparison for a, b in combinations(results, 2) for comparison in compare(a, b))
    return Evaluation(snapshot, len(questions), results, tuple(comparisons))


def compare(a: StrategyResult, b: StrategyResult) -> tuple[Comparison, ...]:
    """Every metric that both have; their outcomes must be of the same questions in the same order."""
    shared = [metric for metric in MEAN_METRICS if metric in a.metrics and metric in b.metrics]
    means = tuple(_compare_means(a, b, metric) for metric in shared)
    return means + (_compare_auroc(a, b) if REFUSAL_AUROC in a.metrics and REFUSAL_AUROC in b.metrics else ())


def _warm_up(asker: Asker, question: EvalQuestion, names: Sequence[str]) -> str:
    """One uncounted ask a strategy: a wrong name fails at once, and what loads late is loaded."""
    finals = [ask_once(asker, question.question, name, question.history) for name in names]
    return finals[-1].trace.snapshot


def _ask_all(
    asker: Asker,
    questions: Sequence[EvalQuestion],
    names: Sequence[str],
    snapshot: str,
    on_progress: Callable[[int, int], None],
) -> Mapping[str, tuple[Outcome, ...]]:
    """The outcomes by strategy, in the order of the questions.

    Strategies take turns at every question, so that a busy spell of the machine meets them all, and a
    different one goes first each time, so that none always profits from what another left in a cache.
    """
    outcomes: dict[str, list[Outcome]] = {name: [] for name in names}
    for index, question in enumerate(questions):
        first = index % len(names)
        for turn, name in enumerate((*names[first:], *names[:first]), start=1):
            final = ask_once(asker, question.question, name, question.history)
            _require_snapshot(final, snapshot)
            outcomes[name].append(outcome_of(question, final))
            on_progress(index * len(names) + turn, len(questions) * len(names))
    return {name: tuple(asked) for name, asked in outcomes.items()}


def _require_snapshot(final: Final, snapshot: str) -> None:
    if final.trace.snapshot != snapshot:
        raise LodgeError(
            f"The snapshot changed from {snapshot} to {final.trace.snapshot} meanwhile; evaluate again."
        )


def _result(strategy: str, outcomes: tuple[Outcome, ...]) -> StrategyResult:
    metrics: dict[str, Interval] = {}
    for metric in MEAN_METRICS:
        scores = _scores(outcomes, metric)
        if scores.size:
            metrics[metric] = mean_interval(scores)
    evidence, positive = _evidence(outcomes)
    usable = ~np.isnan(evidence)
    if _both_kinds(positive[usable]):
        metrics[REFUSAL_AUROC] = auroc_interval(evidence[usable], positive[usable])
    return StrategyResult(strategy, metrics, _latency(outcomes), outcomes)


def _compare_means(a: StrategyResult, b: StrategyResult, metric: str) -> Comparison:
    """Whether a question has a score is the question's doing, so both strategies have the same ones."""
    differences = _scores(b.outcomes, metric) - _scores(a.outcomes, metric)
    delta = mean_interval(differences)
    judged = verdict(delta, int(np.count_nonzero(differences)), lower_is_better=metric in LOWER_IS_BETTER)
    return Comparison(a.strategy, b.strategy, metric, delta, judged)


def _compare_auroc(a: StrategyResult, b: StrategyResult) -> tuple[Comparison, ...]:
    """Over the questions that both weighed evidence for; nothing when those are of one kind."""
    (of_a, positive), (of_b, _) = _evidence(a.outcomes), _evidence(b.outcomes)
    usable = ~np.isnan(of_a) & ~np.isnan(of_b)
    of_a, of_b, positive = of_a[usable], of_b[usable], positive[usable]
    if not _both_kinds(positive):
        return ()
    delta = auroc_difference(of_a, of_b, positive)
    differing = int(np.count_nonzero(of_a != of_b))
    return (Comparison(a.strategy, b.strategy, REFUSAL_AUROC, delta, verdict(delta, differing)),)


def _scores(outcomes: Sequence[Outcome], metric: str) -> Floats:
    return np.array([outcome.scores[metric] for outcome in outcomes if metric in outcome.scores])


def _evidence(outcomes: Sequence[Outcome]) -> tuple[Floats, Bools]:
    """Each question's evidence, and whether it is answerable; NaN where either is not known.

    A question refused before evidence was weighed had less of it than any other, provided that this
    strategy weighs evidence at all.
    """
    weighed = any(outcome.evidence is not None for outcome in outcomes)
    evidence = [_evidence_of(outcome) if weighed else math.nan for outcome in outcomes]
    return np.array(evidence), np.array([bool(outcome.question.answerable) for outcome in outcomes])


def _evidence_of(outcome: Outcome) -> float:
    if outcome.question.answerable is None:
        return math.nan
    if outcome.evidence is not None:
        return outcome.evidence
    return -math.inf if outcome.refused else math.nan


def _both_kinds(positive: Bools) -> bool:
    return bool(positive.any() and not positive.all())


def _latency(outcomes: Sequence[Outcome]) -> Mapping[str, Latency]:
    """By step, over the questions that came to it."""
    steps = dict.fromkeys(step for outcome in outcomes for step in outcome.latency_ms)
    return {
        step: Latency(*(round(float(ms), 3) for ms in np.percentile(_times(outcomes, step), (50, 95))))
        for step in steps
    }


def _times(outcomes: Sequence[Outcome], step: str) -> list[float]:
    return [outcome.latency_ms[step] for outcome in outcomes if step in outcome.latency_ms]

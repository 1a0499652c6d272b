from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

import pytest

from server.errors import BadInputError, LodgeError
from server.evaluate.evaluate import evaluate
from server.evaluate.figures import Evaluation, MetricComparison, StrategyResult
from server.evaluate.questions import EvalQuestion
from server.models import Event, Final, Question
from tests.evaluate.small_asker import SmallAsker

PLACES = ("library", "pool", "gym", "registrar", "bursar", "archive", "theatre", "museum")
PAGES = {
    f"https://u.example/{place}": f"{place} opens at {hour}" for hour, place in enumerate(PLACES, start=1)
}
ANSWERABLE = tuple(
    EvalQuestion(
        place, f"when does {place} start", answers=(str(hour),), gold_urls=(f"https://u.example/{place}",),
        answerable=True,
    )
    for hour, place in enumerate(PLACES, start=1)
)  # fmt: skip
UNANSWERABLE = (
    EvalQuestion("engineering", "is there engineering", answerable=False),
    EvalQuestion("pool-party", "pool party", answerable=False),
)
RETRIEVAL = {
    "recall@1",
    "recall@3",
    "recall@4",
    "recall@5",
    "recall@10",
    "recall@50",
    "precision@4",
    "mrr",
    "ndcg@10",
}
ANSWERS = {
    "answer@1",
    "answer@3",
    "answer@5",
    "answer@10",
    "em",
    "f1",
    "precision",
    "recall",
    "answer_contains",
}


def _evaluate(
    questions: Sequence[EvalQuestion], strategies: Sequence[str], asker: SmallAsker | None = None
) -> Evaluation:
    return evaluate(asker or SmallAsker(PAGES), questions, strategies, lambda done, total: None)


def _value(result: StrategyResult, metric: str) -> float:
    return result.metrics[metric].value


def _comparison(evaluation: Evaluation, metric: str) -> MetricComparison:
    return next(comparison for comparison in evaluation.comparisons if comparison.metric == metric)


def test_figures_by_hand() -> None:
    """Every answerable question shares one word of four with its page alone.

    "best" finds and answers all of them, answers "pool party" wrongly and refuses "engineering"; evidence
    is 1/4 for the eight, 0 and 1/2 for the two.
    """
    evaluation = _evaluate((*ANSWERABLE, *UNANSWERABLE), ["best"])
    [best] = evaluation.strategies
    assert evaluation.questions == 10
    assert _value(best, "recall@1") == _value(best, "mrr") == _value(best, "ndcg@10") == 1
    assert _value(best, "precision@4") == 0.25
    assert _value(best, "em") == 0
    assert _value(best, "f1") == 0.4
    assert (_value(best, "precision"), _value(best, "recall")) == (0.25, 1)
    assert _value(best, "answer_contains") == _value(best, "answer@1") == _value(best, "answered") == 1
    assert _value(best, "wrongly_refused") == 0
    assert _value(best, "rightly_refused") == _value(best, "wrongly_answered") == 0.5
    assert _value(best, "refusal_auroc") == 0.5
    assert _value(best, "aurc") == pytest.approx((1 + 8 / 9) / 9, abs=1e-6)
    assert [outcome.verdict for outcome in best.outcomes] == [
        *["right"] * 8, "rightly_refused", "wrongly_answered",
    ]  # fmt: skip


def test_strategies_are_compared_on_every_metric_both_have() -> None:
    evaluation = _evaluate((*ANSWERABLE, *UNANSWERABLE), ["worst", "best"])
    worst, best = evaluation.strategies
    both = [metric for metric in best.metrics if metric in worst.metrics]
    assert [comparison.metric for comparison in evaluation.comparisons] == both
    assert set(best.metrics) - set(both) == {"aurc"}  # "worst" gives no answer
    recall = _comparison(evaluation, "recall@1")
    assert (recall.a, recall.b, recall.delta.value, recall.verdict) == ("worst", "best", 1, "better")
    assert _comparison(evaluation, "wrongly_refused").verdict == "better"
    assert _comparison(evaluation, "wrongly_refused").delta.value == -1
    assert _comparison(evaluation, "recall@50").verdict == "cannot tell"
    assert _comparison(evaluation, "wrongly_answered").verdict == "cannot tell"


def test_the_delta_is_b_minus_a() -> None:
    backward = _comparison(_evaluate(ANSWERABLE, ["best", "worst"]), "f1")
    assert (backward.a, backward.b, backward.verdict) == ("best", "worst", "worse")
    assert backward.delta.value == -0.4


def test_every_pair_of_strategies_is_compared_once() -> None:
    class ThreeWays(SmallAsker):
        def ask(self, question: Question) -> Iterator[Event]:
            name = "best" if question.strategy == "third" else question.strategy
            return super().ask(Question(question.text, "c", "m", "t", strategy=name))

    evaluation = _evaluate(ANSWERABLE, ["best", "worst", "third"], ThreeWays(PAGES))
    pairs = [(c.a, c.b) for c in evaluation.comparisons if c.metric == "mrr"]
    assert pairs == [("best", "worst"), ("best", "third"), ("worst", "third")]


def test_a_metric_without_gold_is_absent() -> None:
    questions = [EvalQuestion(q.id, q.question, answers=q.answers, answerable=True) for q in ANSWERABLE]
    [best] = _evaluate(questions, ["best"]).strategies
    assert best.metrics.keys() == ANSWERS | {"answered", "seems", "wrongly_refused", "aurc"}
    [best] = _evaluate(UNANSWERABLE, ["best"]).strategies
    assert best.metrics.keys() == {"rightly_refused", "seems_unanswerable", "wrongly_answered", "aurc"}
    [best] = _evaluate(UNANSWERABLE[:1], ["best"]).strategies
    assert best.metrics.keys() == {"rightly_refused", "seems_unanswerable", "wrongly_answered"}
    [best] = _evaluate([EvalQuestion("1", "pool")], ["best"]).strategies
    assert best.metrics == {}


def test_questions_of_unknown_answerability_count_neither_as_answered_nor_as_refused() -> None:
    unknown = [EvalQuestion("u", "xyzzy", answerable=None), EvalQuestion("v", "pool", answerable=None)]
    alone, mixed = (_evaluate(set_, ["best"]).strategies[0] for set_ in (ANSWERABLE, (*ANSWERABLE, *unknown)))
    assert mixed.metrics == alone.metrics


def test_without_evidence_in_the_trace_there_is_no_auroc() -> None:
    asker = SmallAsker(PAGES, weighs_evidence=False)
    evaluation = _evaluate((*ANSWERABLE, *UNANSWERABLE), ["best", "worst"], asker)
    assert all("refusal_auroc" not in result.metrics for result in evaluation.strategies)


def test_a_refusal_before_any_evidence_counts_as_the_least_of_it() -> None:
    class Guarded(SmallAsker):
        """Notes no evidence for what it refuses."""

        def ask(self, question: Question) -> Iterator[Event]:
            self.weighs_evidence = "engineering" not in question.text
            return super().ask(question)

    [best] = _evaluate((*ANSWERABLE, UNANSWERABLE[0]), ["best"], Guarded(PAGES)).strategies
    assert best.outcomes[-1].evidence is None
    assert _value(best, "refusal_auroc") == 1


def test_latency_by_step_and_in_total() -> None:
    """The small asker's clock is the question's length: 3 and 5 characters."""
    questions = [EvalQuestion("1", "gym"), EvalQuestion("2", "pool?")]
    [best] = _evaluate(questions, ["best"]).strategies
    assert {step: asdict(latency) for step, latency in best.latency_ms.items()} == {
        "retrieve": {"p50": 4.0, "p95": 4.9},
        "extract": {"p50": 1.0, "p95": 1.0},
        "total": {"p50": 5.0, "p95": 5.9},
    }


def test_the_json_is_the_contracts_and_the_same_each_time() -> None:
    first, second = (_evaluate((*ANSWERABLE, *UNANSWERABLE), ["best", "worst"]).as_json() for _ in range(2))
    assert first == second == json.loads(json.dumps(first, allow_nan=False))
    assert first.keys() == {"snapshot", "questions", "strategies", "comparisons"}
    assert (first["snapshot"], first["questions"]) == ("small-1", 10)
    for strategy in first["strategies"]:
        assert strategy.keys() == {"strategy", "metrics", "latency_ms"}
        assert strategy["metrics"].keys() >= RETRIEVAL | ANSWERS | {"refusal_auroc"}
        assert all(metric.keys() == {"value", "low", "high"} for metric in strategy["metrics"].values())
    for comparison in first["comparisons"]:
        assert comparison.keys() == {"a", "b", "metric", "delta", "low", "high", "verdict"}
        assert comparison["low"] <= comparison["delta"] <= comparison["high"]


def test_outcomes_keep_the_order_of_the_questions_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    evaluation = evaluate(
        SmallAsker(PAGES), ANSWERABLE, ["best", "worst"], lambda done, total: told.append((done, total))
    )
    for result in evaluation.strategies:
        assert [outcome.question for outcome in result.outcomes] == list(ANSWERABLE)
    assert told == [(done, 16) for done in range(1, 17)]


def test_every_passage_that_an_outcome_keeps_is_kept_once_with_how_it_begins() -> None:
    long = {"https://u.example/long": "library " * 60}
    evaluation = _evaluate(ANSWERABLE, ["best", "worst"], SmallAsker({**PAGES, **long}))
    named = {
        ranked.chunk_id
        for one in evaluation.strategies
        for outcome in one.outcomes
        for ranked in outcome.passages
    }
    assert evaluation.passages.keys() == named == set(range(1, 10))
    assert evaluation.passages[1].snippet == "library opens at 1"
    assert evaluation.passages[1].digest != evaluation.passages[2].digest
    assert evaluation.passages[9].snippet.endswith("library …")
    assert len(evaluation.passages[9].snippet) <= 242


def test_the_models_are_those_that_the_traces_name() -> None:
    class Versioned(SmallAsker):
        def ask(self, question: Question) -> Iterator[Event]:
            *events, final = super().ask(question)
            assert isinstance(final, Final)
            yield from events
            yield replace(final, trace=replace(final.trace, versions={"embedder": "small"}))

    assert _evaluate(ANSWERABLE, ["best"], Versioned(PAGES)).versions == {"embedder": "small"}


def test_an_unknown_strategy_is_named_before_the_work_begins() -> None:
    asker = SmallAsker(PAGES)
    with pytest.raises(BadInputError, match=r"'vague' is no strategy; known are best, worst\."):
        _evaluate(ANSWERABLE, ["best", "vague"], asker)
    assert asker.asked == 1


def test_no_questions_or_no_strategies_is_bad_input() -> None:
    with pytest.raises(BadInputError, match="no question"):
        _evaluate((), ["best"])
    with pytest.raises(BadInputError, match="strategies is empty"):
        _evaluate(ANSWERABLE, [])


def test_a_snapshot_swapped_meanwhile_ends_the_evaluation() -> None:
    class Swapping(SmallAsker):
        def ask(self, question: Question) -> Iterator[Event]:
            self.snapshot = "small-1" if self.asked < 4 else "small-2"
            return super().ask(question)

    with pytest.raises(LodgeError, match="changed from small-1 to small-2"):
        _evaluate(ANSWERABLE, ["best"], Swapping(PAGES))

from __future__ import annotations

from server.evaluate.figures import Evaluation, Latency, MetricComparison, StrategyResult
from server.evaluate.significance import Interval


def test_the_json_is_the_contracts_to_the_letter() -> None:
    evaluation = Evaluation(
        snapshot="s1",
        questions=2,
        strategies=(
            StrategyResult(
                "hybrid", {"mrr": Interval(0.5, 0.25, 0.75)}, {"total": Latency(1.5, 9.0)}, outcomes=()
            ),
        ),
        comparisons=(MetricComparison("keyword", "hybrid", "mrr", Interval(0.2, 0.1, 0.3), "better"),),
    )
    assert evaluation.as_json() == {
        "snapshot": "s1",
        "questions": 2,
        "strategies": [
            {
                "strategy": "hybrid",
                "metrics": {"mrr": {"value": 0.5, "low": 0.25, "high": 0.75}},
                "latency_ms": {"total": {"p50": 1.5, "p95": 9.0}},
            }
        ],
        "comparisons": [
            {
                "a": "keyword",
                "b": "hybrid",
                "metric": "mrr",
                "delta": 0.2,
                "low": 0.1,
                "high": 0.3,
                "verdict": "better",
            }
        ],
    }

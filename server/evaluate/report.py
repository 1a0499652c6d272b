"""What `lodge eval` found out, in the shape that its contract prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from server.evaluate.outcomes import Outcome
from server.evaluate.significance import Interval, SignificanceVerdict


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds that half, and 95 in 100, of the questions stayed within."""

    p50: float
    p95: float

    def as_json(self) -> dict[str, float]:
        """The contract's `{"p50", "p95"}`."""
        return {"p50": self.p50, "p95": self.p95}


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """One strategy's figures, and what became of each question, in the order of the set.

    `metrics` has only those that some question could be scored by; `latency_ms` is by step, and `total`.
    """

    strategy: str
    metrics: Mapping[str, Interval]
    latency_ms: Mapping[str, Latency]
    outcomes: tuple[Outcome, ...]

    def as_json(self) -> dict[str, Any]:
        """The contract's object; the outcomes are not part of it."""
        return {
            "strategy": self.strategy,
            "metrics": {name: interval.as_json() for name, interval in self.metrics.items()},
            "latency_ms": {step: latency.as_json() for step, latency in self.latency_ms.items()},
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of two strategies over the same questions: `delta` is b − a, and the verdict is on b."""

    a: str
    b: str
    metric: str
    delta: Interval
    verdict: SignificanceVerdict

    def as_json(self) -> dict[str, Any]:
        """The contract's object."""
        return {
            "a": self.a,
            "b": self.b,
            "metric": self.metric,
            "delta": self.delta.value,
            "low": self.delta.low,
            "high": self.delta.high,
            "verdict": self.verdict,
        }


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
    comparisons: tuple[Comparison, ...]
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

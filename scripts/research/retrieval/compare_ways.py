"""The table of docs/papers.md: the strategies and presets of kept runs over one question set, side by side.

    LODGE_HOME=var .venv/bin/python -m scripts.research.retrieval.compare_ways larkmoor larkmoor-brockport …

Each RUN is the name of a run that `lodge eval --name RUN` kept. What each found is set against
`hybrid+rerank` of the first, over the questions that both have, by the paired bootstrap of `lodge eval`, so
that a preset over chunks of its own is compared with ours over ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from server.errors import BadInputError
from server.evaluate.figures import StrategyResult, result_of
from server.evaluate.outcomes import QuestionOutcome
from server.evaluate.runs import Run
from server.evaluate.significance import Floats, mean_interval, verdict
from server.settings import Settings
from server.wiring.measuring import runs_of

PLAIN = "hybrid+rerank"
METRICS = ("recall@1", "recall@4", "recall@5", "mrr", "answered", "wrongly_answered")
JUDGED = ("recall@1", "recall@5", "mrr")


def rows(runs: Sequence[Run]) -> Iterator[tuple[str, ...]]:
    """Strategy, figures, and the verdicts against the plain one of the first run."""
    plain = _of(runs[0], PLAIN)
    for number, run in enumerate(runs):
        for found in run.evaluation.strategies:
            if number and found.strategy == PLAIN:
                continue  # over a preset's chunks: the preset is what was asked for
            base, own = over_shared(plain, found)
            yield (found.strategy, str(len(own.outcomes)), *figures(own), *verdicts(base, own))


def _of(run: Run, strategy: str) -> StrategyResult:
    found = [one for one in run.evaluation.strategies if one.strategy == strategy]
    if not found:
        raise BadInputError(f"The run {run.name} has no {strategy}.")
    return found[0]


def over_shared(a: StrategyResult, b: StrategyResult) -> tuple[StrategyResult, StrategyResult]:
    """Both over the questions that they share, in one order. None shared is a `BadInputError`."""
    of_a, of_b = ({one.question: one for one in result.outcomes} for result in (a, b))
    shared = [question for question in of_b if question in of_a]
    if not shared:
        raise BadInputError(f"{a.strategy} and {b.strategy} were asked no question in common.")
    return _restricted(a, [of_a[one] for one in shared]), _restricted(b, [of_b[one] for one in shared])


def _restricted(result: StrategyResult, outcomes: Sequence[QuestionOutcome]) -> StrategyResult:
    """The result as if these had been all the questions; the figures that are known stay as they are."""
    if len(outcomes) < len(result.outcomes):
        return result_of(result.strategy, outcomes)
    return replace(result, outcomes=tuple(outcomes))


def figures(result: StrategyResult) -> Iterator[str]:
    """Each as `.694 [.614, .769]`, a dash where nothing can be scored by it."""
    for name in METRICS:
        one = result.metrics.get(name)
        yield f"{_short(one.value)} [{_short(one.low)}, {_short(one.high)}]" if one else "–"


def verdicts(plain: StrategyResult, result: StrategyResult) -> Iterator[str]:
    """`worse (−.091)` for each figure that a strategy is judged by; nothing of the plain one itself."""
    for name in JUDGED:
        scores = [_scores(one, name) for one in (plain, result)]
        yield "" if result.strategy == plain.strategy else _verdict(scores[1] - scores[0])


def _scores(result: StrategyResult, metric: str) -> Floats:
    return np.array([one.scores[metric] for one in result.outcomes if metric in one.scores])


def _verdict(differences: Floats) -> str:
    if not differences.size:
        return "–"
    delta = mean_interval(differences)
    sign = "−" if delta.value < 0 else "+"
    return f"{verdict(delta, int(np.count_nonzero(differences)))} ({sign}{_short(abs(delta.value))})"


def _short(value: float) -> str:
    """`.694`, `1.000`."""
    return f"{value:.3f}".removeprefix("0")


def main(names: Sequence[str]) -> int:
    """Print the table of the runs that are named."""
    if not names:
        sys.stderr.write("python -m scripts.research.retrieval.compare_ways RUN …\n")
        return 2
    kept = runs_of(Settings.read(os.environ))
    heads = ("strategy", "n", *METRICS, *(f"{name} against {PLAIN}" for name in JUDGED))
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows([kept.load(name) for name in names]):
        print(f"| {' | '.join(row)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

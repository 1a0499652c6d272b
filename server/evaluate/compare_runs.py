"""`lodge eval compare`: two kept runs, over the questions they share.

A question is shared when both runs have it to the letter, its gold included; else a figure could move
because the question did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import msgspec

from server.errors import BadInputError
from server.evaluate.figures import KeptPassage, MetricComparison, StrategyResult, compare, result_of
from server.evaluate.outcomes import Judgement, QuestionOutcome
from server.evaluate.questions import EvalQuestion, comparable_url
from server.evaluate.runs import Run
from server.evaluate.significance import Interval

Direction = Literal["worse", "better", "other"]
_ORDER: tuple[Direction, ...] = ("worse", "better", "other")
Metrics = Mapping[str, Interval]
_GOOD: tuple[Judgement, ...] = ("right", "rightly_refused")


@dataclass(frozen=True, slots=True)
class Side:
    """What became of a question in one run; `gold_rank` counts from 1."""

    answer: str
    refused: bool
    verdict: Judgement
    gold_rank: int | None
    evidence: float | None


@dataclass(frozen=True, slots=True)
class PassageMove:
    """One passage's rank in each run, from 1; None: not among those kept. `gold`: it is a right one."""

    url: str
    title: str
    snippet: str
    gold: bool
    rank_a: int | None
    rank_b: int | None


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question that came out differently. `direction` is b's: by the verdict, else by the gold's rank."""

    strategy: str
    id: str
    question: str
    direction: Direction
    a: Side
    b: Side
    passages: tuple[PassageMove, ...]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Run b against run a. `differences` has what the two were made with, where it is not the same.

    `metrics` (a's, b's) and `comparisons` are by strategy, over the shared questions; in a comparison, `a`
    and `b` are the runs' names. `changes` has first what became worse, then what became better.
    """

    a: str
    b: str
    shared: int
    only_a: int
    only_b: int
    differences: Mapping[str, tuple[Any, Any]]
    metrics: Mapping[str, tuple[Metrics, Metrics]]
    comparisons: Mapping[str, tuple[MetricComparison, ...]]
    changes: tuple[QuestionChange, ...]

    def as_json(self) -> dict[str, Any]:
        """A JSON object."""
        by_strategy = self.comparisons.items()
        return {
            "a": self.a,
            "b": self.b,
            "questions": {"shared": self.shared, "only_a": self.only_a, "only_b": self.only_b},
            "differences": {name: {"a": a, "b": b} for name, (a, b) in self.differences.items()},
            "metrics": {
                strategy: msgspec.to_builtins({"a": a, "b": b}) for strategy, (a, b) in self.metrics.items()
            },
            "comparisons": {strategy: [one.as_json() for one in of] for strategy, of in by_strategy},
            "changes": [asdict(change) for change in self.changes],
        }


def compare_runs(a: Run, b: Run) -> RunComparison:
    """Every strategy that both ran. None, or no question that both asked, is a `BadInputError`."""
    strategies = _shared_strategies(a, b)
    of_a, of_b = (_questions(run) for run in (a, b))
    shared = [question for question in of_a if question in of_b]
    if not shared:
        raise BadInputError(
            f"The runs {a.name} and {b.name} have no question in common: {a.made_with.questions_file} and "
            f"{b.made_with.questions_file} differ in every question or its gold."
        )
    metrics, comparisons = {}, {}
    changes: list[QuestionChange] = []
    for strategy in strategies:
        left, right = (_restricted(run, strategy, shared) for run in (a, b))
        metrics[strategy] = (left.metrics, right.metrics)
        comparisons[strategy] = compare(left, right)
        changes += _changes(strategy, left, right, a, b)
    changes.sort(key=lambda change: _ORDER.index(change.direction))
    return RunComparison(
        a=a.name,
        b=b.name,
        shared=len(shared),
        only_a=len(of_a) - len(shared),
        only_b=len(of_b) - len(shared),
        differences=dict(_differences(a, b)),
        metrics=metrics,
        comparisons=comparisons,
        changes=tuple(changes),
    )


def _shared_strategies(a: Run, b: Run) -> list[str]:
    of_a, of_b = ([result.strategy for result in run.evaluation.strategies] for run in (a, b))
    shared = [strategy for strategy in of_a if strategy in of_b]
    if not shared:
        raise BadInputError(
            f"The runs have no strategy in common: {a.name} has {', '.join(of_a)}, and {b.name} has "
            f"{', '.join(of_b)}."
        )
    return shared


def _questions(run: Run) -> dict[EvalQuestion, None]:
    """A run's questions in their order, each once."""
    return dict.fromkeys(outcome.question for outcome in run.evaluation.strategies[0].outcomes)


def _restricted(run: Run, strategy: str, questions: list[EvalQuestion]) -> StrategyResult:
    """The strategy's result as if these had been all the questions, under the run's name."""
    [result] = [result for result in run.evaluation.strategies if result.strategy == strategy]
    by_question = {outcome.question: outcome for outcome in result.outcomes}
    return result_of(run.name, [by_question[question] for question in questions])


def _changes(
    strategy: str, left: StrategyResult, right: StrategyResult, a: Run, b: Run
) -> Iterator[QuestionChange]:
    for one, other in zip(left.outcomes, right.outcomes, strict=True):
        if _seen(one) != _seen(other):
            question = one.question
            moves = passage_moves(one, other, a.evaluation.passages, b.evaluation.passages)
            yield QuestionChange(
                strategy,
                question.id,
                question.question,
                _direction(one, other),
                _side(one),
                _side(other),
                moves,
            )


def _seen(outcome: QuestionOutcome) -> tuple[object, ...]:
    """What makes a question count as changed when it differs."""
    return outcome.gold_rank, outcome.answer, outcome.refused, outcome.verdict


def _side(outcome: QuestionOutcome) -> Side:
    return Side(outcome.answer, outcome.refused, outcome.verdict, outcome.gold_rank, outcome.evidence)


def _direction(a: QuestionOutcome, b: QuestionOutcome) -> Direction:
    good_a, good_b = a.verdict in _GOOD, b.verdict in _GOOD
    if good_a != good_b:
        return "better" if good_b else "worse"
    depth_a, depth_b = (outcome.gold_rank or float("inf") for outcome in (a, b))
    if depth_a == depth_b:
        return "other"
    return "better" if depth_b < depth_a else "worse"


def passage_moves(
    a: QuestionOutcome, b: QuestionOutcome, of_a: Mapping[int, KeptPassage], of_b: Mapping[int, KeptPassage]
) -> tuple[PassageMove, ...]:
    """Every passage kept of either, in b's order, then what only a had.

    A passage is the same in both when its page and its whole text are: chunk ids are a snapshot's own.
    """
    places_a, places_b = _places(a, of_a), _places(b, of_b)
    moves = []
    for key in dict.fromkeys((*places_b, *places_a)):
        rank, gold, kept = places_b.get(key) or places_a[key]
        rank_a = places_a[key][0] if key in places_a else None
        rank_b = rank if key in places_b else None
        moves.append(PassageMove(kept.url, kept.title, kept.snippet, gold, rank_a, rank_b))
    return tuple(moves)


def _places(
    outcome: QuestionOutcome, passages: Mapping[int, KeptPassage]
) -> dict[tuple[str, str], tuple[int, bool, KeptPassage]]:
    """Each kept passage's rank, whether it is gold, and itself; by its page and text."""
    places: dict[tuple[str, str], tuple[int, bool, KeptPassage]] = {}
    for rank, ranked in enumerate(outcome.passages, start=1):
        kept = passages[ranked.chunk_id]
        places.setdefault((comparable_url(kept.url), kept.digest), (rank, ranked.gold, kept))
    return places


def _differences(a: Run, b: Run) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """What the runs were made with, flat, where it is not the same."""
    of_a, of_b = _flat(a), _flat(b)
    for name in dict.fromkeys((*of_a, *of_b)):
        if of_a.get(name) != of_b.get(name):
            yield name, (of_a.get(name), of_b.get(name))


def _flat(run: Run) -> dict[str, Any]:
    made = run.made_with
    flat: dict[str, Any] = {
        "lodge": made.lodge,
        "snapshot": run.evaluation.snapshot,
        "manifest_sha256": made.manifest_sha256,
        "questions_sha256": made.questions_sha256,
        "pages_sha256": made.pages_sha256,
    }
    flat |= {f"model {name}": value for name, value in made.models.items()}
    flat |= {f"setting {name}": value for name, value in made.settings.items()}
    return flat

"""α, the rerank depth and the refusal threshold from a question set, one after the other.

Each is chosen by cross-validation from a grid, with those before it as recommended. The figure told is the
held-out one, against what the present value gives on the same questions; where the paired interval cannot
tell the two apart, the present value is recommended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from typing import Any, Protocol, TypeVar

import numpy as np

from server.ask.rerank import CrossEncoder
from server.errors import BadInputError, LodgeError
from server.evaluate.asking import Asker, ask_once
from server.evaluate.calibrate.cross_validation import FEWEST, FOLDS
from server.evaluate.calibrate.depth import AtDepth, at_depths
from server.evaluate.calibrate.first_stage import (
    FirstStage,
    Objective,
    gather,
    objective_of,
    objective_score,
    require_linear,
)
from server.evaluate.calibrate.parameter import Parameter, Trials, choices_with, choose_best, choose_smallest
from server.evaluate.outcomes import Outcome, outcome_of
from server.evaluate.questions import EvalQuestion
from server.evaluate.significance import Floats

T = TypeVar("T")

ALPHAS = tuple(round(0.05 * step, 2) for step in range(21))
DEPTHS = (1, 3, 5, 10, 15, 20, 30, 40, 50)
THRESHOLDS = tuple(round(0.01 * step, 2) for step in range(101))
# So many questions are asked once more, to see that the fused scores are what they are foretold to be.
CHECKED = 5


class Askers(Protocol):
    """The flow by other values of the settings that are calibrated."""

    @property
    def cross_encoder(self) -> CrossEncoder | None:
        """What reads the passages, where a strategy reranks."""
        ...

    def asker(self, *, alpha: float, depth: int, threshold: float) -> Asker:
        """The flow with these."""
        ...


@dataclass(frozen=True, slots=True)
class Present:
    """The settings as they are; `stop`, when reading ends early, is not calibrated but bears on depth."""

    alpha: float
    depth: int
    threshold: float
    stop: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was found. `left_out` has a sentence for each setting that these questions cannot judge."""

    strategy: str
    snapshot: str
    questions: int
    parameters: tuple[Parameter, ...]
    left_out: tuple[str, ...]
    folds: int = FOLDS

    def as_json(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Found:
    """What one stage found, and the snapshots it met."""

    parameters: tuple[Parameter, ...] = ()
    left_out: tuple[str, ...] = ()
    snapshots: frozenset[str] = frozenset()

    def recommended(self, present: Present) -> Present:
        """The settings, those found here as recommended."""
        fields = {"fusion_alpha": "alpha", "rerank_candidates": "depth"}
        found = {fields[one.setting]: one.recommended for one in self.parameters}
        return replace(
            present,
            alpha=found.get("alpha", present.alpha),
            depth=int(found.get("depth", present.depth)),
        )


def calibrate(  # noqa: PLR0913  (a calibration is made of so many things)
    askers: Askers,
    questions: Sequence[EvalQuestion],
    strategy: str,
    present: Present,
    *,
    wrong_costs: float,
    on_progress: Callable[[int, int], None],
) -> Calibration:
    """Every setting that bears on the strategy and that the questions can judge.

    `wrong_costs` is how many right answers a wrong one outweighs. `on_progress` hears how much of the work
    is done, and of how much. `BadInputError` when the questions can judge nothing.
    """
    objective, ranked = objective_of(questions)
    judged = [one for one in questions if one.answerable is False or (one.answerable and one.answers)]
    tick = _Ticker(on_progress, len(ranked) * (2 if "rerank" in strategy else 1) + len(judged))
    ranking = _calibrate_ranking(askers, ranked, objective, strategy, present, tick)
    present = ranking.recommended(present)
    refusing = _calibrate_refusing(askers, judged, strategy, present, wrong_costs, tick)
    parameters, left_out = ranking.parameters + refusing.parameters, ranking.left_out + refusing.left_out
    if not parameters:
        raise BadInputError(" ".join(left_out))
    snapshot = _only(ranking.snapshots | refusing.snapshots)
    return Calibration(strategy, snapshot, len(questions), parameters, left_out)


def _calibrate_ranking(  # noqa: PLR0913, PLR0917
    askers: Askers,
    questions: Sequence[EvalQuestion],
    objective: Objective,
    strategy: str,
    present: Present,
    tick: _Ticker,
) -> _Found:
    """α where two searches are fused, and the depth, at the α recommended, where passages are read."""
    search, *steps = strategy.split("+")
    if len(questions) < FEWEST:
        return _Found(left_out=(_too_few("α and the rerank depth", "gold or answers", len(questions)),))
    firsts = [*tick(_first_stages(askers, questions, strategy, objective, present))]
    found = _Found(snapshots=frozenset(first.snapshot for first in firsts))
    if search == "hybrid":
        found = replace(found, parameters=(choose_best(alpha_trials(firsts, objective, present)),))
    if "rerank" in steps and askers.cross_encoder is not None:
        readings = [*tick(_readings(firsts, askers.cross_encoder, found.recommended(present)))]
        depth = choose_smallest(*depth_trials(readings, objective, present))
        found = replace(found, parameters=(*found.parameters, depth))
    return found


def _calibrate_refusing(  # noqa: PLR0913, PLR0917
    askers: Askers,
    questions: Sequence[EvalQuestion],
    strategy: str,
    present: Present,
    wrong_costs: float,
    tick: _Ticker,
) -> _Found:
    """The refusal threshold, on answers that were given whatever their evidence."""
    if len(questions) < FEWEST:
        need = "answers, or marked unanswerable,"
        return _Found(left_out=(_too_few("the refusal threshold", need, len(questions)),))
    asker = askers.asker(alpha=present.alpha, depth=present.depth, threshold=0.0)
    asked = [*tick(_answers(asker, questions, strategy))]
    trials = threshold_trials([outcome for outcome, _ in asked], present, wrong_costs)
    return _Found((choose_best(trials),), snapshots=frozenset(snapshot for _, snapshot in asked))


def alpha_trials(firsts: Sequence[FirstStage], objective: Objective, present: Present) -> Trials:
    """Every α, by the ranking that the fusion makes, before any reranking."""
    alphas = choices_with(present.alpha, ALPHAS)
    scores = [[objective_score(objective, first.first_rank(alpha)) for alpha in alphas] for first in firsts]
    return Trials("fusion_alpha", objective, present.alpha, alphas, np.array(scores))


def depth_trials(
    readings: Sequence[Sequence[AtDepth]], objective: Objective, present: Present
) -> tuple[Trials, Floats]:
    """Every depth, by the ranking that reranking makes; and how many passages are read a question."""
    depths = choices_with(present.depth, DEPTHS)
    scores = [[objective_score(objective, one.rank) for one in of] for of in readings]
    read = np.array([[one.read for one in of] for of in readings], dtype=float)
    return Trials("rerank_candidates", objective, present.depth, depths, np.array(scores)), read.mean(axis=0)


def threshold_trials(outcomes: Sequence[Outcome], present: Present, wrong_costs: float) -> Trials:
    """Every threshold, by what became of questions that were answered whatever their evidence.

    A right answer counts 1, a wrong one −`wrong_costs`, and refusing nothing.
    """
    thresholds = choices_with(present.threshold, THRESHOLDS)
    worth = np.array([{True: 1.0, False: -wrong_costs, None: 0.0}[outcome.right] for outcome in outcomes])
    evidence = np.array([0.0 if outcome.evidence is None else outcome.evidence for outcome in outcomes])
    scores = np.where(evidence[:, None] >= np.array(thresholds)[None, :], worth[:, None], 0.0)
    return Trials(
        "refusal_threshold", f"right − {wrong_costs:g} × wrong", present.threshold, thresholds, scores
    )


def _first_stages(
    askers: Askers,
    questions: Sequence[EvalQuestion],
    strategy: str,
    objective: Objective,
    present: Present,
) -> Iterator[FirstStage]:
    """What the searches bring; where they are fused, the first ones are checked against a third ask."""
    search, *steps = strategy.split("+")
    name = "+".join((search, *(step for step in steps if step != "rerank")))
    zero, one, now = (
        askers.asker(alpha=alpha, depth=present.depth, threshold=present.threshold)
        for alpha in (0.0, 1.0, present.alpha)
    )
    for number, question in enumerate(questions):
        if search != "hybrid":
            yield gather(question, name, objective, now, now)
            continue
        first = gather(question, name, objective, zero, one)
        if number < CHECKED:
            trace = ask_once(now, question.question, name, question.history).trace
            require_linear(first, present.alpha, trace)
        yield first


def _readings(
    firsts: Sequence[FirstStage], cross_encoder: CrossEncoder, present: Present
) -> Iterator[list[AtDepth]]:
    depths = [int(depth) for depth in choices_with(present.depth, DEPTHS)]
    for first in firsts:
        yield at_depths(first, present.alpha, cross_encoder, depths, present.stop)


def _answers(asker: Asker, questions: Sequence[EvalQuestion], strategy: str) -> Iterator[tuple[Outcome, str]]:
    for question in questions:
        final = ask_once(asker, question.question, strategy, question.history)
        yield outcome_of(question, final), final.trace.snapshot


class _Ticker:
    """Tells, as the work goes on, how much of it is done."""

    def __init__(self, on_progress: Callable[[int, int], None], total: int) -> None:
        self._done = count(1)
        self._total = total
        self._on_progress = on_progress

    def __call__(self, work: Iterator[T]) -> Iterator[T]:
        for one in work:
            self._on_progress(next(self._done), self._total)
            yield one


def _too_few(what: str, need: str, n: int) -> str:
    return f"To set {what}, at least {FEWEST} questions with {need} are needed; there are {n}."


def _only(snapshots: frozenset[str]) -> str:
    """The one snapshot that was asked; `LodgeError` when it was swapped meanwhile."""
    if len(snapshots) > 1:
        raise LodgeError(f"The snapshot changed meanwhile ({', '.join(sorted(snapshots))}); calibrate again.")
    return next(iter(snapshots))

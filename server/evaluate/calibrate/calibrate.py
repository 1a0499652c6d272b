"""α, the rerank depth, the confidence and the refusal threshold from a question set, one after the other.

Each is chosen by cross-validation from a grid, with those before it as recommended. The figure told is the
held-out one, against what the present value gives on the same questions; where the paired interval cannot
tell the two apart, the present value is recommended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from server.errors import BadInputError, LodgeError
from server.evaluate.calibrate.choice import (
    FEWEST,
    FOLDS,
    Parameter,
    Trials,
    choices_with,
    choose_best,
    choose_smallest,
)
from server.evaluate.calibrate.confidence import (
    ConfidenceCorrection,
    WeighedAnswer,
    refit,
    too_few,
    weighed_answers,
)
from server.evaluate.calibrate.rankings import (
    AtDepth,
    FirstStage,
    GivenAlpha,
    Objective,
    at_depths,
    gather,
    objective_of,
    objective_score,
    require_foretold,
)
from server.evaluate.evaluate import AnswerFlow, ask_once
from server.evaluate.outcomes import QuestionOutcome, outcome_of
from server.evaluate.questions import EvalQuestion
from server.evaluate.significance import Floats
from server.models import Final

ALPHAS = tuple(round(0.05 * step, 2) for step in range(21))
DEPTHS = (1, 3, 5, 10, 15, 20, 30, 40, 50)
THRESHOLDS = tuple(round(0.01 * step, 2) for step in range(101))
# So many questions are asked once more, to see that the fused scores are what they are foretold to be.
CHECKED = 5


class Askers(Protocol):
    """The flow by other values of the settings that are calibrated."""

    def asker(self, *, alpha: float, depth: int, threshold: float) -> AnswerFlow:
        """The flow with these, its confidence as it is before any correction."""
        ...

    def given_alpha(self, text: str, alpha: float) -> float:
        """The α that a question, as it is searched, is given where this one is set."""
        ...


@dataclass(frozen=True, slots=True)
class Present:
    """The settings as they are."""

    alpha: float
    depth: int
    threshold: float
    confidence: ConfidenceCorrection = field(default_factory=ConfidenceCorrection)


@dataclass(frozen=True, slots=True)
class CalibrationReport:
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


def calibrate(  # noqa: PLR0913  (a calibration is made of so many things)
    askers: Askers,
    questions: Sequence[EvalQuestion],
    strategy: str,
    present: Present,
    *,
    wrong_costs: float,
    on_progress: Callable[[int, int], None],
    rated: Sequence[WeighedAnswer] = (),
) -> CalibrationReport:
    """Every setting that bears on the strategy and that the questions can judge.

    `wrong_costs` is how many right answers a wrong one outweighs, `rated` are answers that visitors judged:
    the confidence is refitted to them, too. `on_progress` hears how much of the work
    is done, and of how much. `BadInputError` when the questions can judge nothing.
    """
    work = _Work(askers, questions, strategy, on_progress)
    if work.has_alpha:
        present = replace(present, alpha=work.calibrate_alpha(present))
    if work.has_depth:
        present = replace(present, depth=int(work.calibrate_depth(present)))
    work.calibrate_answers(present, wrong_costs, rated)
    if not work.parameters:
        raise BadInputError(" ".join(work.left_out))
    return CalibrationReport(
        strategy, work.snapshot(), len(questions), tuple(work.parameters), tuple(work.left_out)
    )


class _Work:
    """A calibration under way: which questions judge what, and what has been found so far."""

    def __init__(
        self,
        askers: Askers,
        questions: Sequence[EvalQuestion],
        strategy: str,
        on_progress: Callable[[int, int], None],
    ) -> None:
        self.parameters: list[Parameter] = []
        self.left_out: list[str] = []
        self._askers = askers
        self._strategy = strategy
        search, *self._steps = strategy.split("+")
        self.has_alpha, self.has_depth = search == "hybrid", "rerank" in self._steps
        self._objective, self._ranked = objective_of(questions)
        self._judged = [
            one for one in questions if one.answerable is False or (one.answerable and one.answers)
        ]
        self._snapshots: set[str] = set()
        self._on_progress = on_progress
        self._done = 0
        ranked = len(self._ranked)
        self._asks = self.has_alpha * (2 * ranked + min(CHECKED, ranked)) + self.has_depth * ranked
        self._asks += len(self._judged)

    def calibrate_alpha(self, present: Present) -> float:
        """By the ranking before reranking; the α recommended."""
        if self._too_few("α", self._ranked, "gold or answers"):
            return present.alpha
        firsts = [*self._first_stages(present)]
        given = self._askers.given_alpha
        parameter = choose_best(alpha_trials(firsts, given, self._objective, present))
        self.parameters.append(parameter)
        return parameter.recommended

    def calibrate_depth(self, present: Present) -> float:
        """By the ranking after reranking; the depth recommended."""
        if self._too_few("the rerank depth", self._ranked, "gold or answers"):
            return present.depth
        parameter = choose_smallest(*depth_trials([*self._readings(present)], self._objective, present))
        self.parameters.append(parameter)
        return parameter.recommended

    def calibrate_answers(self, present: Present, wrong_costs: float, rated: Sequence[WeighedAnswer]) -> None:
        """The confidence and the threshold, by answers that are given whatever their evidence."""
        if self._too_few("the refusal threshold", self._judged, "answers, or marked unanswerable,"):
            return
        asker = self._askers.asker(alpha=present.alpha, depth=present.depth, threshold=0.0)
        outcomes = [outcome_of(one, self._ask(asker, one, self._strategy)) for one in self._judged]
        correction = self._refit([*weighed_answers(outcomes), *rated], present.confidence)
        present = replace(present, confidence=correction)
        self.parameters.append(choose_best(threshold_trials(outcomes, present, wrong_costs)))

    def _refit(self, answers: Sequence[WeighedAnswer], present: ConfidenceCorrection) -> ConfidenceCorrection:
        """The correction recommended."""
        if sentence := too_few(answers):
            self.left_out.append(sentence)
            return present
        shift, scale = refit(answers, present)
        self.parameters += [shift, scale]
        return ConfidenceCorrection(shift.recommended, scale.recommended)

    def snapshot(self) -> str:
        """The one snapshot that was asked; `LodgeError` when it was swapped meanwhile."""
        if len(self._snapshots) > 1:
            met = ", ".join(sorted(self._snapshots))
            raise LodgeError(f"The snapshot changed meanwhile ({met}); calibrate again.")
        return next(iter(self._snapshots))

    def _first_stages(self, present: Present) -> Iterator[FirstStage]:
        """What the searches bring, the first ones checked against a third ask."""
        name = self._strategy.replace("+rerank", "")
        zero, one, now = (
            self._askers.asker(alpha=alpha, depth=present.depth, threshold=present.threshold)
            for alpha in (0.0, 1.0, present.alpha)
        )
        for number, question in enumerate(self._ranked):
            at_zero, at_one = (self._ask(asker, question, name).trace for asker in (zero, one))
            first = gather(question, self._objective, at_zero, at_one)
            if number < CHECKED:
                given = self._askers.given_alpha(first.text, present.alpha)
                require_foretold(first, given, self._ask(now, question, name).trace)
            yield first

    def _readings(self, present: Present) -> Iterator[list[AtDepth]]:
        """What reranking makes of each question, by depth."""
        depths = [int(depth) for depth in choices_with(present.depth, DEPTHS)]
        deepest = self._askers.asker(alpha=present.alpha, depth=depths[-1], threshold=present.threshold)
        for question in self._ranked:
            trace = self._ask(deepest, question, self._strategy).trace
            yield at_depths(question, trace, depths, self._objective)

    def _ask(self, asker: AnswerFlow, question: EvalQuestion, strategy: str) -> Final:
        final = ask_once(asker, question.question, strategy, question.history)
        self._snapshots.add(final.trace.snapshot)
        self._done += 1
        self._on_progress(self._done, self._asks)
        return final

    def _too_few(self, what: str, questions: Sequence[EvalQuestion], need: str) -> bool:
        if len(questions) >= FEWEST:
            return False
        self.left_out.append(
            f"To set {what}, at least {FEWEST} questions with {need} are needed; there are {len(questions)}."
        )
        return True


def alpha_trials(
    firsts: Sequence[FirstStage], given_alpha: GivenAlpha, objective: Objective, present: Present
) -> Trials:
    """Every α, by the ranking that the fusion makes, before any reranking."""
    alphas = choices_with(present.alpha, ALPHAS)
    ranks = [[first.first_rank(given_alpha(first.text, alpha)) for alpha in alphas] for first in firsts]
    scores = [[objective_score(objective, rank) for rank in of] for of in ranks]
    return Trials("fusion_alpha", objective, present.alpha, alphas, np.array(scores))


def depth_trials(
    readings: Sequence[Sequence[AtDepth]], objective: Objective, present: Present
) -> tuple[Trials, Floats]:
    """Every depth, by the ranking that reranking makes; and how many passages are read a question."""
    depths = choices_with(present.depth, DEPTHS)
    scores = [[objective_score(objective, one.rank) for one in of] for of in readings]
    read = np.array([[one.read for one in of] for of in readings], dtype=float)
    return Trials("rerank_candidates", objective, present.depth, depths, np.array(scores)), read.mean(axis=0)


def threshold_trials(outcomes: Sequence[QuestionOutcome], present: Present, wrong_costs: float) -> Trials:
    """Every threshold, by what became of questions that were answered whatever their evidence.

    It is held against the confidence as it is corrected. A right answer counts 1, a wrong one −`wrong_costs`,
    and refusing nothing.
    """
    thresholds = choices_with(present.threshold, THRESHOLDS)
    worth = np.array([{True: 1.0, False: -wrong_costs, None: 0.0}[outcome.right] for outcome in outcomes])
    evidence = np.array([0.0 if outcome.evidence is None else outcome.evidence for outcome in outcomes])
    evidence = present.confidence.corrected(evidence)
    scores = np.where(evidence[:, None] >= np.array(thresholds)[None, :], worth[:, None], 0.0)
    return Trials(
        "refusal_threshold", f"right − {wrong_costs:g} × wrong", present.threshold, thresholds, scores
    )

"""The audit: what a judge says of answers that a person has labelled. One that fails writes no report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from server.errors import BadInputError
from server.evaluate.judging.agreement import cohen_kappa
from server.evaluate.judging.evaluators import PASSES, Criterion, JudgedItem, JudgeModel, judge
from server.evaluate.significance import Interval, mean_interval

LEAST_KAPPA = 0.6  # "substantial": Landis & Koch, 1977
LEAST_LABELS = 20


@dataclass(frozen=True, slots=True)
class HandLabel:
    """An answer as a person labelled it: a grade for each criterion, on that criterion's scale."""

    id: str
    question: str
    answer: str
    labels: Mapping[str, float]
    reference: str = ""
    sources: str = ""

    @property
    def item(self) -> JudgedItem:
        """What the judge is shown: no label."""
        return JudgedItem(self.id, self.question, self.answer, self.reference, self.sources)


@dataclass(frozen=True, slots=True)
class JudgeAudit:
    """How far a judge agrees with a person on one criterion, over `n` labels, both as pass or fail."""

    criterion: Criterion
    n: int
    kappa: float
    accuracy: float

    @property
    def passed(self) -> bool:
        """Whether its figures may stand in a report."""
        return self.n >= LEAST_LABELS and self.kappa >= LEAST_KAPPA

    def as_json(self) -> dict[str, Any]:
        """All of it, and whether it passed."""
        return {**asdict(self), "passed": self.passed}


@dataclass(frozen=True, slots=True)
class JudgedFigure:
    """The mean grade and the share that passes, over `n` answers, with the judge's own audit beside them."""

    criterion: Criterion
    n: int
    mean: Interval
    passes: Interval
    audit: JudgeAudit

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return {**asdict(self), "audit": self.audit.as_json()}


def read_labels(file: Path) -> tuple[HandLabel, ...]:
    """The hand labels of a `.jsonl` file; `BadInputError` when it cannot be read."""
    try:
        lines = file.read_bytes().splitlines()
        return tuple(msgspec.json.decode(line, type=HandLabel) for line in lines if line.strip())
    except (OSError, msgspec.MsgspecError) as error:
        raise BadInputError(f"The labels file {file} cannot be read: {error}.") from error


def audit(
    model: JudgeModel,
    labels: Sequence[HandLabel],
    criterion: Criterion,
    repeats: int,
    on_judged: Callable[[], None],
) -> JudgeAudit:
    """What the judge says of the labelled answers against what the person said.

    A grading that could not be read counts as a disagreement. No label on it is a `BadInputError`.
    """
    pairs: list[tuple[object, object]] = []
    for one in labels:
        if criterion in one.labels and one.item.allows(criterion):
            grade = judge(model, one.item, criterion, repeats)
            least = PASSES[criterion]
            pairs.append((one.labels[criterion] >= least, "unread" if grade is None else grade >= least))
            on_judged()
    if not pairs:
        raise BadInputError(f"No hand label says anything of {criterion}.")
    accuracy = sum(person == machine for person, machine in pairs) / len(pairs)
    return JudgeAudit(criterion, len(pairs), round(cohen_kappa(pairs), 4), round(accuracy, 4))


def require_passed(audits: Sequence[JudgeAudit]) -> None:
    """`BadInputError` that says how it failed, where a judge is not to be trusted with one of them."""
    failed = [one for one in audits if not one.passed]
    if failed:
        told = ", ".join(f"{one.criterion} κ {one.kappa:.2f} over {one.n}" for one in failed)
        raise BadInputError(
            f"This judge fails its audit ({told}); a report takes κ {LEAST_KAPPA} over {LEAST_LABELS} labels."
        )


def judged_figures(
    model: JudgeModel,
    items: Sequence[JudgedItem],
    audits: Sequence[JudgeAudit],
    repeats: int,
    on_judged: Callable[[], None],
) -> Iterator[JudgedFigure]:
    """A figure a criterion; one by which nothing could be judged is left out. All audits must have passed."""
    require_passed(audits)
    for own in audits:
        grades = []
        for item in items:
            grade = judge(model, item, own.criterion, repeats) if item.allows(own.criterion) else None
            grades += [] if grade is None else [grade]
            on_judged()
        if grades:
            values = np.array(grades)
            passes = (values >= PASSES[own.criterion]).astype(np.float64)
            mean, share = mean_interval(values), mean_interval(passes)
            yield JudgedFigure(own.criterion, len(grades), mean, share, own)

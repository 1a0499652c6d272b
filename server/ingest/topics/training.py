"""A classifier of vectors by their nearest labelled examples, calibrated on sections it has not seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from server.ingest.topics.examples import draw
from server.ingest.topics.neighbours import Floats, Vectors, nearnesses, neighbour_model

Label = tuple[str, ...]

HELD_OUT = 5  # every fifth section of a topic
USUAL_TEMPERATURE = 0.05  # of cosines, where nothing could be held out


@dataclass(frozen=True, slots=True)
class Examples:
    """Unit vectors of shape (n, dims), and the label and the section of each.

    A section is a page's part under one heading, by any name of its own.
    """

    vectors: Vectors
    labels: tuple[Label, ...]
    sections: tuple[str, ...]

    def some(self, chosen: npt.NDArray[np.bool_]) -> Examples:
        """The examples that are chosen."""
        at = np.flatnonzero(chosen)
        return Examples(
            self.vectors[at],
            tuple(self.labels[i] for i in at),
            tuple(self.sections[i] for i in at),
        )


@dataclass(frozen=True, slots=True)
class Figures:
    """How well a classifier does on examples of sections it has not seen; shares are 0 to 1.

    `calibration_error` is the expected one over ten bins (Guo et al. 2017), after calibration.
    """

    examples: int
    held_out: int
    accuracy: float
    macro_f1: float
    calibration_error: float
    temperature: float

    def as_json(self) -> dict[str, Any]:
        """Rounded, for the snapshot's own record."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Trained:
    """A classifier as the bytes of an ONNX file: rows (n, dims) to probabilities (n, len(labels))."""

    onnx: bytes
    labels: tuple[Label, ...]
    figures: Figures


def train(examples: Examples) -> Trained:
    """The label whose examples a vector is nearest to, its probability set right by a temperature.

    On the demo university and on WebKB this was right more often than the MLPs and the logistic regression it
    was compared with, and cost the soft filter fewer right pages; on WebKB it found rare classes less often
    (scripts/compare_classifiers.py). There must be two labels or more.
    """
    labels = tuple(sorted(set(examples.labels)))
    unseen = hold_out(examples)
    known, asked = examples.some(~unseen), examples.some(unseen)
    scores, gold = nearnesses(asked.vectors, _groups(known, labels)), _positions(asked.labels, labels)
    temperature = best_temperature(scores, gold)
    figures = measure(softmax(scores / temperature), gold, len(examples.labels), temperature)
    weights, bias = np.eye(len(labels)) / temperature, np.zeros(len(labels))
    return Trained(neighbour_model(_groups(examples, labels), weights, bias), labels, figures)


def hold_out(examples: Examples) -> npt.NDArray[np.bool_]:
    """The examples of about every fifth section of each label, at least one where a label has two.

    Not of whole pages: a question is asked of pages that are known, only not in their words.
    """
    sections: dict[Label, set[str]] = defaultdict(set)
    for label, section in zip(examples.labels, examples.sections, strict=True):
        sections[label].add(section)
    chosen = {s for of_label in sections.values() for s in sorted(of_label, key=draw)[1::HELD_OUT]}
    return np.array([section in chosen for section in examples.sections])


def best_temperature(scores: Floats, gold: npt.NDArray[np.int64]) -> float:
    """What to divide scores (n, classes) by for the likeliest gold labels."""
    if not len(gold):
        return USUAL_TEMPERATURE
    rows = np.arange(len(gold))
    tried = np.geomspace(0.005, 10, 201)
    losses = [-np.log(softmax(scores / t)[rows, gold] + 1e-12).mean() for t in tried]
    return float(tried[int(np.argmin(losses))])


def measure(
    probabilities: Floats, gold: npt.NDArray[np.int64], examples: int = 0, temperature: float = 1.0
) -> Figures:
    """Figures of probabilities (n, classes) against the positions of the right classes."""
    if not len(gold):
        return Figures(examples, 0, 0.0, 0.0, 0.0, temperature)
    best = probabilities.argmax(axis=1)
    right = best == gold
    return Figures(
        examples,
        len(gold),
        float(right.mean()),
        macro_f1(best, gold),
        calibration_error(probabilities.max(axis=1), right),
        temperature,
    )


def macro_f1(best: npt.NDArray[np.int64], gold: npt.NDArray[np.int64]) -> float:
    """The mean F1 over the classes that occur."""
    f1 = []
    for label in np.union1d(best, gold):
        hits = np.sum((best == label) & (gold == label))
        f1.append(2 * hits / (np.sum(best == label) + np.sum(gold == label)))
    return float(np.mean(f1))


def calibration_error(confidence: Floats, right: npt.NDArray[np.bool_], bins: int = 10) -> float:
    """How far confidence is from accuracy, on the mean over bins of equal width (Guo et al. 2017)."""
    bin_of = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [
        abs(confidence[bin_of == b].mean() - right[bin_of == b].mean()) * np.mean(bin_of == b)
        for b in np.unique(bin_of)
    ]
    return float(sum(gaps))


def softmax(scores: Floats) -> Floats:
    """Rows of scores as rows of probabilities."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities: Floats = raised / raised.sum(axis=1, keepdims=True)
    return probabilities


def _groups(examples: Examples, labels: Sequence[Label]) -> list[Vectors]:
    """The vectors of each label."""
    positions = _positions(examples.labels, labels)
    return [examples.vectors[positions == i] for i in range(len(labels))]


def _positions(found: Sequence[Label], labels: Sequence[Label]) -> npt.NDArray[np.int64]:
    place = {label: i for i, label in enumerate(labels)}
    return np.array([place[label] for label in found], dtype=np.int64)

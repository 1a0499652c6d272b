"""What a vector is near to: the measure behind both classifiers, in NumPy and as an ONNX model.

A vector's nearness to a group of others is the mean of its largest cosines to them. The classifiers are a
linear function of the nearnesses to a few groups, and a softmax.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from server.ingest.topics.examples import draw

Vectors = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

NEAREST = 3
OPSET = 17


def nearness(vectors: Vectors, group: Vectors, own: npt.NDArray[np.bool_] | None = None) -> Floats:
    """The mean cosine of each unit vector to its nearest of the group, of shape (n,).

    `own[i, j]` leaves member j out for vector i, which was made from it.
    """
    cosines = vectors @ group.T
    if own is not None:
        cosines = np.where(own, -1.0, cosines)
    nearest: Floats = np.sort(cosines, axis=1)[:, -NEAREST:].mean(axis=1)
    return nearest


def nearnesses(vectors: Vectors, groups: Sequence[Vectors]) -> Floats:
    """The nearness of each vector to each group, of shape (n, groups)."""
    return np.stack([nearness(vectors, group) for group in groups], axis=1)


def neighbour_model(groups: Sequence[Vectors], weights: npt.ArrayLike, bias: npt.ArrayLike) -> bytes:
    """An ONNX file: rows (n, dims) to softmax(nearnesses · weights + bias), of shape (n, classes).

    `weights` is of shape (groups, classes), `bias` (classes,).
    """
    from onnx import TensorProto, helper  # noqa: PLC0415 - for building snapshots alone

    constants = [
        _constant("members", np.concatenate(groups).T),
        _constant("sizes", [len(group) for group in groups], np.int64),
        _constant("weights", weights),
        _constant("bias", bias),
    ]
    cosines = [f"cosines_{i}" for i in range(len(groups))]
    nodes = [
        helper.make_node("MatMul", ["vectors", "members"], ["cosines"]),
        helper.make_node("Split", ["cosines", "sizes"], cosines, axis=1),
    ]
    for i, group in enumerate(groups):
        constants.append(_constant(f"count_{i}", [min(NEAREST, len(group))], np.int64))
        nodes.append(helper.make_node("TopK", [cosines[i], f"count_{i}"], [f"best_{i}", f"which_{i}"]))
        nodes.append(helper.make_node("ReduceMean", [f"best_{i}"], [f"near_{i}"], axes=[1], keepdims=1))
    nodes += [
        helper.make_node("Concat", [f"near_{i}" for i in range(len(groups))], ["near"], axis=1),
        helper.make_node("Gemm", ["near", "weights", "bias"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["probabilities"], axis=1),
    ]
    rows = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, [None, groups[0].shape[1]])
    found = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, len(np.asarray(bias))])
    graph = helper.make_graph(nodes, "neighbours", [rows], [found], constants)
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="lodge")
    return bytes(model.SerializeToString())


def _constant(name: str, value: Any, kind: Any = np.float32) -> Any:
    from onnx import numpy_helper  # noqa: PLC0415 - likewise

    return numpy_helper.from_array(np.asarray(value, dtype=kind), name)


# Nearness to the site, less this part of the nearness to general questions. Of 0, ¼, ½, ¾ and 1, with half of
# the general questions held out, ½ told five sites' questions best from the other half.
AGAINST = 0.5
_PENALTY = 1e-3  # keeps the slope finite where the two kinds do not overlap
_STEPS = 50


def closeness(
    vectors: Vectors,
    site: Vectors,
    general: Vectors,
    own_site: npt.NDArray[np.bool_] | None = None,
    own_general: npt.NDArray[np.bool_] | None = None,
) -> Floats:
    """How much nearer each vector is to the site than to general questions, of shape (n,).

    The last two leave out what a vector was made from, as `nearness` has it.
    """
    away: Floats = AGAINST * nearness(vectors, general, own_general)
    return nearness(vectors, site, own_site) - away


def calibrate(inside: Floats, outside: Floats) -> tuple[float, float]:
    """Slope and intercept that make of closeness the log odds of being in scope (Platt 1999).

    Both kinds count the same, however many there are of each.
    """
    measured = np.concatenate([inside, outside])
    mean, spread = measured.mean(), measured.std() or 1.0
    rows = np.stack([(measured - mean) / spread, np.ones_like(measured)], axis=1)
    is_inside = np.arange(len(measured)) < len(inside)
    counts = np.where(is_inside, 0.5 / len(inside), 0.5 / len(outside))
    found = np.zeros(2)
    for _ in range(_STEPS):  # Newton's method
        chance = 1 / (1 + np.exp(-rows @ found))
        slope_of_loss = rows.T @ (counts * (is_inside - chance)) - _PENALTY * found
        curve = (rows.T * (counts * chance * (1 - chance))) @ rows + _PENALTY * np.eye(2)
        found += np.linalg.solve(curve, slope_of_loss)
    return float(found[0] / spread), float(found[1] - found[0] * mean / spread)


def scope_model(site: Vectors, general: Vectors, slope: float, intercept: float) -> bytes:
    """An ONNX file: rows (n, dims) to the probabilities (n, 2) of being out of scope and in it."""
    weights = [[0.0, slope], [0.0, -AGAINST * slope]]
    return neighbour_model([site, general], weights, [0.0, intercept])


def learn_gate(
    file: Path, asked: Vectors, near: Vectors, general: Vectors, own: npt.NDArray[np.bool_] | None
) -> tuple[Floats, dict[str, float]]:
    """Write the model that tells what is `asked`, which is near to some vectors, from general questions.

    `own` says of which of them a question was made. The log-odds of those asked, (n,), and what it caught.
    """
    inside = closeness(asked, near, general, own)
    outside = closeness(general, near, general, own_general=np.eye(len(general), dtype=bool))
    slope, intercept = calibrate(inside, outside)
    file.write_bytes(scope_model(near, general, slope, intercept))
    caught = round(float(np.mean(slope * outside + intercept < 0)), 4)
    figures = {"questions": len(inside), "general_questions": len(outside), "caught": caught}
    return slope * inside + intercept, figures


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
    (scripts/research/retrieval/compare_classifiers.py). There must be two labels or more.
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

"""What a vector is near to: the measure behind both classifiers, in NumPy and as an ONNX model.

A vector's nearness to a group of others is the mean of its largest cosines to them. The classifiers are a
linear function of the nearnesses to a few groups, and a softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

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

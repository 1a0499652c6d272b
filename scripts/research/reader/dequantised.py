"""A shipped reader's weights again, from its int8 ONNX file: what a further cycle of learning begins with.

Where no checkpoint of the cycle before is left, its graph has all that was learnt, to the rounding of eight
bits. Layer norms' gains and biases are in it as they were, but the embeddings'.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from scripts.logistic import Floats

_QUANTISED, _SCALE, _ZERO = "_quantized", "_scale", "_zero_point"


def dequantised(folder: Path) -> dict[str, Tensor]:
    """A state of `Reader` with one exit, or of a pair reader, from the model folder's graph; `KeyError` where
    one is of another make."""
    model = onnx.load(folder / "model.onnx")
    arrays = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    state = {
        _of_reader(name.removesuffix(_QUANTISED)): array
        for name, array in _floats(arrays).items()
        if name.startswith(("encoder.", "heads.", "dense.", "relevance."))
    }
    for node in model.graph.node:
        if node.op_type == "QAttention":
            state |= _attention(node, arrays)
        elif node.op_type == "MatMulInteger":
            weight = node.input[1].removesuffix(_QUANTISED)
            state[f"{_of_node(node.name)}.weight"] = _float(weight, arrays).T
    return {
        name: torch.tensor(np.ascontiguousarray(array, dtype=np.float32)) for name, array in state.items()
    }


def _floats(arrays: Mapping[str, Floats]) -> dict[str, Floats]:
    """What is stored under a parameter's own name, whether as floats or quantised."""
    plain = {name: array for name, array in arrays.items() if name.endswith((".weight", ".bias"))}
    whole = (name.removesuffix(_QUANTISED) for name in arrays if name.endswith(_QUANTISED))
    return plain | {name: _float(name, arrays) for name in whole if ".embeddings." in name}


def _float(name: str, arrays: Mapping[str, Floats]) -> Floats:
    """Scale × (whole number − zero point), the last two a column each or one for all."""
    whole = arrays[name + _QUANTISED].astype(np.float32)
    return (whole - arrays[name + _ZERO].astype(np.float32)) * arrays[name + _SCALE]


def _attention(node: onnx.NodeProto, arrays: Mapping[str, Floats]) -> dict[str, Floats]:
    """Query, key and value, which the fused operator has side by side."""
    layer = int(node.name.split("_")[1])
    weight = np.split(_float(node.input[1].removesuffix(_QUANTISED), arrays), 3, axis=1)
    bias = np.split(arrays[node.input[2]], 3)
    own = f"encoder.encoder.layer.{layer}.attention.self"
    found: dict[str, Floats] = {}
    for name, matrix, row in zip(("query", "key", "value"), weight, bias, strict=True):
        found |= {f"{own}.{name}.weight": matrix.T, f"{own}.{name}.bias": row}
    return found


def _of_node(name: str) -> str:
    """`"/encoder/encoder/layer.0/output/dense/MatMul_quant"` → `"encoder.encoder.layer.0.output.dense"`; the
    heads' are those of the reader's only exit."""
    parts = [part for part in name.split("/")[1:-1] if not part.startswith("verdict")]
    numbered = [part for part in name.split("/")[1:-1] if part.startswith("verdict.")]
    return _of_reader(".".join([*parts, *numbered]))


def _of_reader(name: str) -> str:
    return name.replace("heads.", "heads.0.", 1) if name.startswith("heads.") else name

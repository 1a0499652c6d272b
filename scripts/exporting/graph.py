"""The ONNX graph, step by step; each step reads one `model.onnx` and writes another into a folder of its own.

optimum exports; onnxruntime's own tools, which optimum's ORTOptimizer and ORTQuantizer wrap, do the rest.
They are called directly because the wrappers cannot pass `DefaultTensorType`, without which a fused graph is
not quantised, and leave files behind that the server has no use for.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.exporting.findings import Findings
from server.errors import ModelError

if TYPE_CHECKING:
    from onnx import ModelProto

PRECISIONS = ("fp32", "fp16", "int8")
GRAPH = "model.onnx"
OPSET = 18

# A protobuf file ends at 2 GiB; larger models keep their weights in a second file beside it.
MOST_BYTES_IN_ONE_FILE = 1_900_000_000


@dataclass(frozen=True, slots=True)
class Form:
    """In which form a model is wanted: one of `PRECISIONS`, its operators fused for onnxruntime or not."""

    precision: str = "int8"
    optimize: bool = False


def make_graph(source: Path, found: Findings, form: Form, work: Path, into: Path) -> None:
    """`into`/model.onnx from the PyTorch weights in `source`, with the steps between under `work`."""
    graph = export_fp32(source, found, _folder(work / "exported"))
    if found.kind == "cross-encoder":
        graph = name_relevance(graph, _folder(work / "named"))
    if form.optimize:
        graph = fuse(graph, found, _folder(work / "fused"))
    if form.precision == "int8":
        quantise(graph, into)
    elif form.precision == "fp16":
        halve(graph, into)
    else:
        for part in graph.parent.glob(f"{GRAPH}*"):
            shutil.copy(part, into)


def export_fp32(source: Path, found: Findings, into: Path) -> Path:
    """The plain graph. First output: an embedder's token states, a cross-encoder's logits (batch, 1)."""
    from optimum.exporters.onnx import main_export

    task = "text-classification" if found.kind == "cross-encoder" else "feature-extraction"
    by_modules = found.kind == "embedder" and found.has_modules
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's tracer warns of every constant it meets
        try:
            main_export(
                str(source),
                output=into,
                task=task,
                opset=OPSET,
                device="cpu",
                do_validation=False,  # the finished model is compared instead, whatever was done to it
                library_name="sentence_transformers" if by_modules else "transformers",
            )
        except Exception as error:  # three libraries deep, each with its own errors
            raise ModelError(f"The model cannot be exported: {_first_line(error)}") from error
    return into / GRAPH


def name_relevance(graph: Path, into: Path) -> Path:
    """The logits (batch, 1) as one output `relevance` (batch,)."""
    import onnx
    from onnx import TensorProto, helper

    model = onnx.load(graph)
    [logits] = model.graph.output
    batch = logits.type.tensor_type.shape.dim[0].dim_param
    model.graph.initializer.append(helper.make_tensor("label_axis", TensorProto.INT64, [1], [1]))
    model.graph.node.append(
        helper.make_node("Squeeze", [logits.name, "label_axis"], ["relevance"], name="relevance")
    )
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("relevance", TensorProto.FLOAT, [batch]))
    return store(model, into)


def fuse(graph: Path, found: Findings, into: Path) -> Path:
    """The same graph with attention and layer norm fused into onnxruntime's own operators."""
    from onnxruntime.transformers import optimizer

    with contextlib.redirect_stdout(
        io.StringIO()
    ):  # it prints that it cannot infer its own operators' shapes
        fused = optimizer.optimize_model(
            str(graph), model_type="bert", num_heads=found.heads, hidden_size=found.dims
        )
    fused.topological_sort()
    return store(fused.model, into)


def quantise(graph: Path, into: Path) -> Path:
    """Dynamic int8: weights per channel, activations at run time."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # Shape inference does not see through onnxruntime's fused operators; every tensor of ours is float.
    quantize_dynamic(
        graph,
        into / GRAPH,
        weight_type=QuantType.QInt8,
        per_channel=True,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
    return into / GRAPH


def halve(graph: Path, into: Path) -> Path:
    """Weights and activations as float16; what goes in and comes out stays as it was."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells of every mask value that float16 cannot hold
        model = convert_float_to_float16(str(graph), keep_io_types=True)
    return store(model, into)


def store(model: ModelProto, into: Path, most_bytes: int = MOST_BYTES_IN_ONE_FILE) -> Path:
    """`model` as `into`/model.onnx, its weights in a second file where one cannot hold them."""
    import onnx

    large = sum(len(tensor.raw_data) for tensor in model.graph.initializer) > most_bytes
    onnx.save_model(model, into / GRAPH, save_as_external_data=large, location=f"{GRAPH}.data")
    return into / GRAPH


def save_tokenizer(source: Path, into: Path) -> None:
    """The fast tokenizer's own file, without the padding and truncation someone else chose."""
    from transformers import AutoTokenizer

    try:
        backend = AutoTokenizer.from_pretrained(source).backend_tokenizer
    except Exception as error:  # a broken tokenizer.json raises a bare Exception
        raise ModelError(f"The model's tokenizer cannot be loaded: {_first_line(error)}") from error
    backend.no_padding()
    backend.no_truncation()
    backend.save(str(into / "tokenizer.json"))


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]

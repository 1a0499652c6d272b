"""A trained reader as a model folder: one exit's graph, fused, int8, with its card."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from scripts.exporting.export import put_in_place
from scripts.exporting.findings import Findings
from scripts.exporting.graph import GRAPH, OPSET, fuse, quantise, save_tokenizer
from scripts.research.reader.calibration import Calibration
from scripts.research.reader.card import write
from scripts.research.reader.network import Graph, Reader
from server.inference.session import hash_of

OUTPUTS = ("relevance", "start", "end", "verdict")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a reader comes from, for its card; `training` is the recipe and the hashes of its data."""

    weights: Path
    found: Findings
    source: str
    licence: str
    max_tokens: int
    training: Mapping[str, Any]


def export(reader: Reader, exit_: int, origin: Origin, folder: Path) -> Path:
    """The model folder, not yet calibrated; one that is there is replaced when the new one is whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".export-") as scratch:
        steps = [Path(scratch, name) for name in ("exported", "fused", "made")]
        for step in steps:
            step.mkdir()
        trace(Graph(reader, exit_), steps[0] / GRAPH)
        quantise(fuse(steps[0] / GRAPH, origin.found, steps[1]), steps[2])
        save_tokenizer(origin.weights, steps[2])
        write_card(steps[2], origin, verdicts=reader.heads[0].verdict is not None)
        put_in_place(steps[2], folder, Path(scratch, "replaced"))
    return folder


def trace(graph: Graph, into: Path) -> None:
    """The plain fp32 graph, batch and length free."""
    batch = torch.ones(2, 8, dtype=torch.long)
    outputs = OUTPUTS if graph.heads.verdict is not None else OUTPUTS[:3]
    axes = {name: {0: "batch", 1: "tokens"} for name in (*INPUTS, "start", "end")}
    axes |= {name: {0: "batch"} for name in outputs if name not in axes}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of every constant it meets
        torch.onnx.export(
            graph.eval().cpu(),
            (batch, batch, torch.zeros_like(batch)),
            str(into),
            input_names=list(INPUTS),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )


def write_card(folder: Path, origin: Origin, *, verdicts: bool = False) -> None:
    """`model.toml` of a reader that is not calibrated yet; with `verdicts` it also judges claims."""
    rows: dict[str, Any] = {
        "kind": "cross-encoder",
        "source": origin.source,
        "licence": origin.licence,
        "precision": "int8",
        "sha256": hash_of(folder),
        "max_tokens": origin.max_tokens,
        "reads": True,
        **({"verdicts": True} if verdicts else {}),
    }
    write(folder, {**rows, **asdict(Calibration()), "training": origin.training})

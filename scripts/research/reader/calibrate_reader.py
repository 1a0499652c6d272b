"""Calibrate a cross-encoder's scores, so that a threshold means the same for every question.

    .venv-export/bin/python -m scripts.research.reader.calibrate_reader --model
        onnx_models/bge-reranker-large-int8
           --data ../shared/data --work var/reader

Has it read what hybrid retrieval brings for questions that nothing was learnt from: SQuAD's on its validation
articles and visitors' on pages kept aside. Writes temperature, bias and the weights of all that is known of a
passage into its `model.toml` (scripts/research/reader/calibration.py).
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from itertools import chain
from pathlib import Path

from scripts.research.reader.calibration import Calibration, calibrate, judge
from scripts.research.reader.card import write_calibration
from scripts.research.reader.sources import OWN_SITES, handbook_visitors, own_site_visitors, squad
from server.inference.encoders import Reranker
from server.settings import PROJECT, Settings

QUESTIONS, SEED = 150, 1  # of each source at most


def calibrate_folder(folder: Path, data: Path, settings: Settings) -> Calibration:
    """Calibrate the model in `folder`, and write it into its card. The snapshot stays in `settings.home`."""
    reranker = Reranker(folder, settings.inference_threads)
    sources = [
        squad(data, validation=True),
        *(own_site_visitors(name, kept_aside=True) for name in OWN_SITES),
    ]
    sources.append(handbook_visitors(data, kept_aside=True))
    judged = chain.from_iterable(judge(reranker, one, settings, QUESTIONS, SEED) for one in sources)
    calibration = calibrate(judged)
    write_calibration(folder, calibration)
    return calibration


def main() -> None:
    """Calibrate one model folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True, help="the model's folder")
    parser.add_argument("--data", type=Path, required=True, help="folder with squad/")
    parser.add_argument("--work", type=Path, default=PROJECT / "var" / "reader", help="keeps a snapshot")
    args = parser.parse_args()
    settings = replace(Settings.read(os.environ), home=args.work.resolve())
    print(args.model.name, calibrate_folder(args.model, args.data, settings))


if __name__ == "__main__":
    main()

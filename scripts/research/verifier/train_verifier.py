"""Train the verifier, which says whether a quoted answer answers the question, and export it.

    .venv-export/bin/python -m scripts.research.verifier.train_verifier --work var/verifier

It begins with the shipped paraphraser's weights and learns from the answers that `quoted` kept in `--work`,
right and wrong, beside answers of corpus/asked_alike.jsonl with questions that they serve and others that
they narrowly do not. What each pass ended with is kept under `--work`, and a run that was ended goes on after
the last whole one. The same data and seed give the same order of learning. On two cores a pass takes seven
minutes or so. What its word counts is fitted afterwards, by `fit_verified`.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import asdict
from functools import partial
from pathlib import Path

import torch

from scripts.research.paraphraser.examples import Example
from scripts.research.paraphraser.learning import (
    MODELS,
    Rates,
    Turn,
    export,
    learn_in_turn,
    write_card,
)
from scripts.research.paraphraser.network import PairReader
from scripts.research.paraphraser.sources import ASKED_ALIKE, alike_part
from scripts.research.reader.calibration import Calibration
from scripts.research.reader.dequantised import dequantised
from scripts.research.verifier.examples import examples
from scripts.research.verifier.quoted import LEARNT, learnt_from
from server.inference.session import hash_of
from server.settings import PROJECT

SEED = 20261127
FOLDER, BEGUN_WITH = MODELS / "verifier-l6-int8", MODELS / "paraphraser-l6-int8"
VISITORS = [PROJECT / f"corpus/visitors/{name}.jsonl" for name in LEARNT]
MAX_TOKENS = 160
# Passes, each with the rates of learning and so many questions beside answers of people's own.
PASSES, ALIKE_A_PASS = (Rates(), Rates(rate=3e-5)), 3000


def _trained(work: Path) -> PairReader:
    torch.manual_seed(SEED)
    model = PairReader()
    model.load_state_dict(dequantised(BEGUN_WITH))
    turns = [Turn(partial(_examples, work), rates) for rates in PASSES]
    learn_in_turn(model, MAX_TOKENS, turns, str(work / "pass-{}.pt"), SEED)
    return model


def _examples(work: Path, rng: random.Random) -> list[Example]:
    return examples(learnt_from(work), alike_part("learnt"), ALIKE_A_PASS, rng)


def _card(folder: Path, work: Path) -> None:
    data = [*VISITORS, ASKED_ALIKE, *(work / f"{name}.jsonl" for name in LEARNT)]
    training = {
        "seed": SEED,
        "begun_with": f"{BEGUN_WITH.name} sha256:{hash_of(BEGUN_WITH)}",
        "passes": [json.dumps(asdict(rates)) for rates in PASSES],
        "data_licences": "questions, answers and pages of our own",
    }
    write_card(folder, MAX_TOKENS, data, training, Calibration())


def main() -> None:
    """Train what is not trained yet, and export."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--work", type=Path, default=Path("var/verifier"))
    given = parser.parse_args()
    export(_trained(given.work), FOLDER, partial(_card, work=given.work))


if __name__ == "__main__":
    main()

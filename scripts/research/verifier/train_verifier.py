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
import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import torch

from scripts.research.paraphraser.learning import MODELS, Rates, export, keep, learn, tokenizer_of
from scripts.research.paraphraser.network import PairReader
from scripts.research.paraphraser.sources import ASKED_ALIKE, alike_part
from scripts.research.reader.card import write
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


def _trained(work: Path, passes: Sequence[Rates]) -> PairReader:
    torch.manual_seed(SEED)
    model = PairReader()
    model.load_state_dict(dequantised(BEGUN_WITH))
    tokenizer = tokenizer_of(MAX_TOKENS)
    for number, rates in enumerate(passes, 1):
        kept = work / f"pass-{number}.pt"
        if kept.exists():
            model.load_state_dict(torch.load(kept, weights_only=True))
            continue
        rng = random.Random(SEED + number)
        made = examples(learnt_from(work), alike_part("learnt"), ALIKE_A_PASS, rng)
        learn(model, tokenizer, made, rates, rng)
        keep(model, kept)
    return model


def _card(folder: Path, work: Path) -> None:
    files = [*VISITORS, ASKED_ALIKE, *(work / f"{name}.jsonl" for name in LEARNT)]
    hashed = [f"{one.name} sha256:{hashlib.sha256(one.read_bytes()).hexdigest()}" for one in files]
    write(
        folder,
        {
            "kind": "cross-encoder",
            "source": "sentence-transformers/all-MiniLM-L6-v2",
            "licence": "Apache-2.0",
            "precision": "int8",
            "sha256": hash_of(folder),
            "max_tokens": MAX_TOKENS,
            "reads": False,
            "temperature": 1.0,
            "bias": 0.0,
            "training": {
                "seed": SEED,
                "begun_with": f"{BEGUN_WITH.name} sha256:{hash_of(BEGUN_WITH)}",
                "passes": [json.dumps(asdict(rates)) for rates in PASSES],
                "data": hashed,
                "data_licences": "questions, answers and pages of our own",
            },
        },
    )


def main() -> None:
    """Train what is not trained yet, and export."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--work", type=Path, default=Path("var/verifier"))
    given = parser.parse_args()
    export(_trained(given.work, PASSES), FOLDER, partial(_card, work=given.work))


if __name__ == "__main__":
    main()

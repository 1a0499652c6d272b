"""Train the router, which says how a visitor's line is best gone on with, and export it.

    .venv-export/bin/python -m scripts.research.router.train_router

It begins with the first three layers of the shipped paraphraser and learns from corpus/routing/lines.jsonl,
and from visitors' questions over sites of our own that in each there is one thing asked, in nine passes:
three minutes on two cores. The same data and seed give the same order of learning.
`python -m scripts.research.hearing.measure_routing` tells what it hears and what it wins.
"""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import torch
from torch.nn import functional
from tqdm import tqdm

from corpus.routing.lines import LEARNT
from scripts.research.paraphraser.learning import MODELS, Rates, export, tokenizer_of
from scripts.research.reader.card import write
from scripts.research.reader.dequantised import dequantised
from scripts.research.router.batches import Batch, batch_of
from scripts.research.router.examples import OF_SITES, examples
from scripts.research.router.network import FOUND, MAX_TOKENS, LineReader
from server.inference.session import hash_of
from server.settings import PROJECT

SEED = 20261127
FOLDER, BEGUN_WITH = MODELS / "router-l3-int8", MODELS / "paraphraser-l6-int8"
OUTPUTS = {"ways": {0: "batch"}, "words": {0: "batch", 1: "tokens"}}


@dataclass(frozen=True, slots=True)
class Recipe(Rates):
    """The rates, how many passes, how much a way's label is smoothed, and the lines of a step."""

    rate: float = 1e-4
    head_rate: float = 5e-4
    warm_up: float = 0.1
    passes: int = 9
    smooth: float = 0.05
    at_once: int = 16


def trained(recipe: Recipe) -> LineReader:
    """The network, trained."""
    torch.manual_seed(SEED)
    rng = random.Random(SEED)
    made, tokenizer, model = examples(rng), tokenizer_of(MAX_TOKENS), LineReader()
    model.begin_with(dequantised(BEGUN_WITH))
    heads = [*model.dense.parameters(), *model.way.parameters(), *model.word.parameters()]
    body = [one for one in model.encoder.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW([{"params": body}, {"params": heads}], weight_decay=recipe.weight_decay)
    a_pass = len(made) // recipe.at_once
    steps = recipe.passes * a_pass
    model.train()
    for step in tqdm(range(steps), mininterval=10):
        if step % a_pass == 0:
            rng.shuffle(made)
        recipe.set_at(step, steps, optimiser)
        begin = step % a_pass * recipe.at_once
        _loss(model, batch_of(made[begin : begin + recipe.at_once], tokenizer), recipe.smooth).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optimiser.step()
        optimiser.zero_grad()
    return model


def _loss(model: LineReader, batch: Batch, smooth: float) -> torch.Tensor:
    """Of the ways, and of every word, together."""
    ways, words = model(*batch.inputs)
    loss = functional.binary_cross_entropy_with_logits(
        words, batch.words, weight=batch.known, reduction="sum"
    ) / len(words)
    return loss + functional.cross_entropy(ways, batch.ways, label_smoothing=smooth)


def _card(folder: Path, recipe: Recipe) -> None:
    data = [LEARNT, *(PROJECT / f"corpus/visitors/{name}.jsonl" for name in OF_SITES)]
    training = {
        "seed": SEED,
        "begun_with": f"{BEGUN_WITH.name} sha256:{hash_of(BEGUN_WITH)}",
        "recipe": json.dumps(asdict(recipe)),
        "data": [f"{one.name} sha256:{hashlib.sha256(one.read_bytes()).hexdigest()}" for one in data],
        "data_licences": "lines and questions of our own, some over a CC0 handbook",
    }
    card = {
        "kind": "router",
        "source": "sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
        "precision": "int8",
        "sha256": hash_of(folder),
        "max_tokens": MAX_TOKENS,
    }
    write(folder, {**card, "training": training})


def main() -> None:
    """Train and export."""
    recipe = Recipe()
    export(trained(recipe), FOLDER, partial(_card, recipe=recipe), FOUND, OUTPUTS)


if __name__ == "__main__":
    main()

"""How a pair reader learns whether one text serves another, and becomes a model folder.

The paraphraser learns so, and the verifier (scripts/research/verifier/).
"""

from __future__ import annotations

import hashlib
import random
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from scripts.exporting.export import put_in_place
from scripts.exporting.findings import Findings
from scripts.exporting.graph import GRAPH, OPSET, fuse, quantise
from scripts.research.paraphraser.examples import Example
from scripts.research.paraphraser.network import FOUND, PairReader
from scripts.research.reader.calibration import Calibration
from scripts.research.reader.card import write
from server.inference.session import hash_of
from server.settings import PROJECT

MODELS = PROJECT / "onnx_models"
READER = MODELS / "reader-l6-int8"
AT_ONCE, CHUNK, SMOOTH = 32, 2048, 0.02
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
RELEVANCE: Mapping[str, Mapping[int, str]] = {"relevance": {0: "batch"}}


@dataclass(frozen=True, slots=True)
class Rates:
    """AdamW's, with a linear way up and down; new heads learn faster."""

    rate: float = 5e-5
    head_rate: float = 2e-4
    warm_up: float = 0.06
    weight_decay: float = 0.01
    clip: float = 1.0

    def set_at(self, step: int, steps: int, optimiser: torch.optim.Optimizer) -> None:
        """The rates of a step for the optimiser's two groups, the body and the heads."""
        factor = min((step + 1) / (steps * self.warm_up), 1.0) * max(0.0, 1 - step / steps)
        for group, rate in zip(optimiser.param_groups, (self.rate, self.head_rate), strict=True):
            group["lr"] = rate * factor


def tokenizer_of(max_tokens: int) -> Tokenizer:
    """The reader's tokenizer, cut at so many tokens of a pair."""
    tokenizer = Tokenizer.from_file(str(READER / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def inputs(tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]]) -> list[Tensor]:
    """Ids, mask and types of a padded batch, (batch, tokens) each."""
    read = tokenizer.encode_batch([(one.lower(), other.lower()) for one, other in pairs])
    width = max(len(one.ids) for one in read)
    rows = (
        [one + [0] * (width - len(one)) for one in part]
        for part in (
            [one.ids for one in read],
            [one.attention_mask for one in read],
            [one.type_ids for one in read],
        )
    )
    return [torch.tensor(part) for part in rows]


def learn(
    model: PairReader, tokenizer: Tokenizer, made: list[Example], rates: Rates, rng: random.Random
) -> None:
    """One pass over the examples, in place."""
    heads = [*model.dense.parameters(), *model.relevance.parameters()]
    body = [one for one in model.encoder.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW([{"params": body}, {"params": heads}], weight_decay=rates.weight_decay)
    steps = len(made) // AT_ONCE
    model.train()
    for step, batch in enumerate(tqdm(_batches(made, rng), total=steps, mininterval=10)):
        rates.set_at(step, steps, optimiser)
        logits = model(*inputs(tokenizer, [(question, told) for question, told, _ in batch]))
        served = torch.tensor([float(serves) for *_, serves in batch])
        target = served * (1 - 2 * SMOOTH) + SMOOTH
        functional.binary_cross_entropy_with_logits(logits, target).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), rates.clip)
        optimiser.step()
        optimiser.zero_grad()


def _batches(made: list[Example], rng: random.Random) -> Iterator[list[Example]]:
    """All examples once, those of like length together."""
    rng.shuffle(made)
    for begin in range(0, len(made), CHUNK):
        chunk = sorted(made[begin : begin + CHUNK], key=lambda one: len(one[0]) + len(one[1]))
        batches = [chunk[i : i + AT_ONCE] for i in range(0, len(chunk), AT_ONCE)]
        rng.shuffle(batches)
        yield from batches


@dataclass(frozen=True, slots=True)
class Turn:
    """One pass of several: its examples, drawn when its turn comes, and its rates."""

    examples: Callable[[random.Random], list[Example]]
    rates: Rates


def learn_in_turn(model: PairReader, max_tokens: int, turns: Sequence[Turn], kept: str, seed: int) -> None:
    """All of them, in place, after the last that an earlier run kept; `kept` is a file's path, with `{}` for
    the number, and appears only when it is whole."""
    tokenizer = tokenizer_of(max_tokens)
    for number, turn in enumerate(turns, 1):
        file = Path(kept.format(number))
        if file.exists():
            model.load_state_dict(torch.load(file, weights_only=True))
            continue
        rng = random.Random(seed + number)
        learn(model, tokenizer, turn.examples(rng), turn.rates, rng)
        unfinished = file.with_suffix(".unfinished")
        torch.save(model.state_dict(), unfinished)
        unfinished.rename(file)


def write_card(
    folder: Path, max_tokens: int, data: Sequence[Path], training: Mapping[str, object], by: Calibration
) -> None:
    """What the server goes by, and how it was trained, by hashes of the files that it learnt from."""
    hashed = [f"{one.name} sha256:{hashlib.sha256(one.read_bytes()).hexdigest()}" for one in data]
    write(
        folder,
        {
            "kind": "cross-encoder",
            "source": "sentence-transformers/all-MiniLM-L6-v2",
            "licence": "Apache-2.0",
            "precision": "int8",
            "sha256": hash_of(folder),
            "max_tokens": max_tokens,
            "reads": False,
            "temperature": by.temperature,
            "bias": by.bias,
            "training": {**training, "data": hashed},
        },
    )


def export(
    model: torch.nn.Module,
    folder: Path,
    card: Callable[[Path], None],
    found: Findings = FOUND,
    outputs: Mapping[str, Mapping[int, str]] = RELEVANCE,
) -> None:
    """The model folder, fused and int8, with the card that is written for its graph.

    `outputs`: each with its axes that are free.
    """
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".export-") as scratch:
        exported, fused, made = (Path(scratch, name) for name in ("exported", "fused", "made"))
        for step in (exported, fused, made):
            step.mkdir()
        sample = torch.ones(2, 8, dtype=torch.long)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the tracer warns of every constant it meets
            torch.onnx.export(
                model.eval(),
                (sample, sample, torch.zeros_like(sample)),
                str(exported / GRAPH),
                input_names=list(INPUTS),
                output_names=list(outputs),
                dynamic_axes={name: {0: "batch", 1: "tokens"} for name in INPUTS} | dict(outputs),
                opset_version=OPSET,
                dynamo=False,
            )
        quantise(fuse(exported / GRAPH, found, fused), made)
        shutil.copy(READER / "tokenizer.json", made)
        card(made)
        put_in_place(made, folder, Path(scratch, "replaced"))

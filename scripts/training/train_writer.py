"""Train a writer: an instruction-tuned model learns to answer from passages, with their numbers.

    .venv-train/bin/python -m scripts.training.train_writer --base FOLDER --data FOLDER --out FOLDER

`lodge train writer` builds the chat files and calls it. In `--data` are `train.jsonl` and `aside.jsonl`, in
`--out` come `checkpoint.pt` every few minutes, `adapter/` (PEFT's format; `model/` where all of it is tuned),
`loss.svg` and `card.json`. The same command goes on where it was ended.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import get_args

import torch

from scripts.training.batches import read_sequences
from scripts.training.network import load_base, with_adapters
from scripts.training.recipe import Method, Recipe
from scripts.training.run import Progress, Run

NUMBERS = {int: int, float: float}


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, and write what came of it."""
    args = _arguments(arguments)
    recipe = Recipe(
        **{one.name: getattr(args, one.name) for one in fields(Recipe) if one.name != "modules"},
        modules=tuple(args.modules),
    )
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    args.out.mkdir(parents=True, exist_ok=True)
    base, tokenizer = load_base(args.base, recipe, device)
    rows = read_sequences(args.data / "train.jsonl", tokenizer, recipe.max_tokens)[: args.examples]
    aside = read_sequences(args.data / "aside.jsonl", tokenizer, recipe.max_tokens)[: args.aside]
    of = len((args.data / "train.jsonl").read_text(encoding="utf-8").splitlines())
    print(
        f"{len(rows)} examples of {of} (of at most {recipe.max_tokens} tokens, if there are more), "
        f"{len(aside)} kept aside, on {device.type}.",
        flush=True,
    )
    run = Run(
        with_adapters(base, recipe), rows, aside, recipe, args.out, lambda line: print(line, flush=True)
    )
    progress = run.train()
    run.model.save_pretrained(args.out / ("model" if recipe.method == "full" else "adapter"))
    tokenizer.save_pretrained(args.out / "tokenizer")
    draw_losses(progress, args.out / "loss.svg")
    card = {"recipe": asdict(recipe), "data": hashes(args.data), **summary(progress)}
    (args.out / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(summary(progress)))


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, required=True, help="a model's folder, in transformers' format")
    parser.add_argument("--data", type=Path, required=True, help="a folder with train.jsonl and aside.jsonl")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--aside", type=int, default=40, help="validate on the first so many")
    parser.add_argument("--examples", type=int, help="learn from the first so many; default: all")
    parser.add_argument("--method", choices=get_args(Method), default="lora")
    parser.add_argument("--modules", nargs="+", default=list(Recipe().modules))
    for one in fields(Recipe):
        default = getattr(Recipe(), one.name)
        if type(default) in NUMBERS:
            parser.add_argument(
                "--" + one.name.replace("_", "-"), type=NUMBERS[type(default)], default=default
            )
    return parser.parse_args(arguments)


def hashes(folder: Path) -> dict[str, str]:
    """The SHA-256 of the files that were learnt from and validated on."""
    files = (folder / name for name in ("train.jsonl", "aside.jsonl"))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def summary(progress: Progress) -> dict[str, float]:
    """How far a run came, and what it cost."""
    return {
        "examples": progress.sequences,
        "steps": progress.steps,
        "tokens": progress.tokens,
        "minutes": round(progress.seconds / 60, 1),
        "tokens_per_s": round(progress.tokens / max(progress.seconds, 1e-9), 1),
        "validation_loss_before": round(progress.validations[0][1], 4),
        "validation_loss": round(progress.best, 4),
    }


def draw_losses(progress: Progress, file: Path) -> None:
    """Both curves over the examples learnt."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "lodge"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.5))
    axes.plot(*zip(*progress.losses, strict=True), linewidth=0.8, alpha=0.6, label="learnt from, a step")
    axes.plot(*zip(*progress.validations, strict=True), marker="o", label="kept aside")
    axes.set(xlabel="examples", ylabel="loss of the answer's tokens (nats)")
    axes.legend()
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    main()

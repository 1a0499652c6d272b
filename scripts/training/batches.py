"""Token sequences of chat examples, masked to the answer, and the batches of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids of prompt and answer; the answer begins at `start`."""

    ids: tuple[int, ...]
    start: int


def read_sequences(file: Path, tokenizer: Any, max_tokens: int) -> list[Tokens]:
    """The sequences of a chat file; those longer than `max_tokens` are left out."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    made = (sequence(row["messages"], row["target"], tokenizer) for row in rows)
    return [one for one in made if len(one.ids) <= max_tokens]


def sequence(messages: Sequence[dict[str, str]], target: str, tokenizer: Any) -> Tokens:
    """The chat template's text of the prompt, then the answer and the template's end of a turn."""
    prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    ids = tokenizer(prompt, add_special_tokens=False)["input_ids"]
    said = tokenizer(target, add_special_tokens=False)["input_ids"]
    return Tokens((*ids, *said, end_of_turn(tokenizer)), len(ids))


def end_of_turn(tokenizer: Any) -> int:
    """The token that ends a turn: ChatML's where it is known, else the tokenizer's own end."""
    known = tokenizer.get_vocab()
    return int(known.get("<|im_end|>", tokenizer.eos_token_id))


@dataclass(frozen=True, slots=True)
class Batch:
    """`ids`, `mask`: (sequences, tokens); `targets` are the next tokens, −100 where none is learnt."""

    ids: torch.Tensor
    mask: torch.Tensor
    targets: torch.Tensor

    @property
    def tokens(self) -> int:
        """How many tokens are in it, padding not counted."""
        return int(self.mask.sum())


def batch_of(rows: Sequence[Tokens], device: torch.device) -> Batch:
    """The sequences side by side, padded on the right."""
    width = max(len(row.ids) for row in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    mask, targets = torch.zeros_like(ids), torch.full_like(ids, -100)
    for n, row in enumerate(rows):
        size = len(row.ids)
        ids[n, :size] = torch.tensor(row.ids)
        mask[n, :size] = 1
        targets[n, row.start - 1 : size - 1] = torch.tensor(row.ids[row.start :])
    return Batch(ids.to(device), mask.to(device), targets.to(device))


def order(count: int, epochs: int, seed: int) -> list[int]:
    """The places of `count` sequences in the order they are learnt, each epoch shuffled anew by the seed."""
    return [place for epoch in range(epochs) for place in epoch_order(count, epoch, seed)]


def epoch_order(count: int, epoch: int, seed: int) -> list[int]:
    """The places of `count` sequences as one epoch takes them."""
    return random.Random(f"{seed} {epoch}").sample(range(count), count)


def batches(
    rows: Sequence[Tokens], places: Sequence[int], size: int, device: torch.device
) -> Iterator[Batch]:
    """Batches of `size` sequences, in order."""
    for at in range(0, len(places), size):
        yield batch_of([rows[place] for place in places[at : at + size]], device)

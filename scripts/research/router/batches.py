"""Examples as the network takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from scripts.research.router.examples import Example
from server.inference.router import is_word_begin


@dataclass(frozen=True, slots=True)
class Batch:
    """The network's inputs, (batch, tokens) each; `begins` 0 or 1 for every token, `known` 1 for those that
    begin a word; `ways` (batch,)."""

    inputs: tuple[Tensor, Tensor, Tensor]
    ways: Tensor
    begins: Tensor
    known: Tensor


def batch_of(made: Sequence[Example], tokenizer: Tokenizer) -> Batch:
    """Padded to the longest."""
    read = tokenizer.encode_batch([one.line for one in made])
    width = max(len(one.ids) for one in read)
    shape = len(made), width
    ids, mask = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
    begins, known = torch.zeros(shape), torch.zeros(shape)
    for row, (one, encoding) in enumerate(zip(made, read, strict=True)):
        ids[row, : len(encoding.ids)], mask[row, : len(encoding.ids)] = torch.tensor(encoding.ids), 1
        for i, (first, last) in enumerate(encoding.offsets):
            if is_word_begin(one.line, first, last):
                known[row, i], begins[row, i] = 1.0, float(first in one.begins)
    ways = torch.tensor([one.way for one in made])
    return Batch((ids, mask, torch.zeros_like(ids)), ways, begins, known)

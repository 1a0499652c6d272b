"""Examples as the network takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from scripts.research.router.examples import Example
from scripts.research.router.network import OF_WORDS
from server.inference.router import is_word_begin


@dataclass(frozen=True, slots=True)
class Batch:
    """The network's inputs, (batch, tokens) each; of what is said of every token, (batch, tokens, 3), `words`
    0 or 1, and `known` 1 where that is so; `ways` (batch,)."""

    inputs: tuple[Tensor, Tensor, Tensor]
    ways: Tensor
    words: Tensor
    known: Tensor


def batch_of(made: Sequence[Example], tokenizer: Tokenizer) -> Batch:
    """Padded to the longest."""
    read = tokenizer.encode_batch([one.line for one in made])
    width = max(len(one.ids) for one in read)
    shape = len(made), width
    ids, mask = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
    words, known = torch.zeros((*shape, OF_WORDS)), torch.zeros((*shape, OF_WORDS))
    for row, (one, encoding) in enumerate(zip(made, read, strict=True)):
        ids[row, : len(encoding.ids)], mask[row, : len(encoding.ids)] = torch.tensor(encoding.ids), 1
        for i, (first, last) in enumerate(encoding.offsets):
            if is_word_begin(one.line, first, last):
                told = first in one.begins, first in one.shared, first in one.lacks
                words[row, i] = torch.tensor(told, dtype=torch.float)
                known[row, i] = torch.tensor([first > 0, one.is_shared_known, first in one.parts_at])
    ways = torch.tensor([one.way for one in made])
    return Batch((ids, mask, torch.zeros_like(ids)), ways, words, known)

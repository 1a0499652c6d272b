"""Texts as a model's input: tokenised, put into batches of like length, padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

Ids = npt.NDArray[np.int64]

PAD_TOKENS = ("[PAD]", "<pad>")


def pad_id(tokenizer: Tokenizer) -> int:
    """The padding token's id; models of the RoBERTa family count positions by it, others mask it."""
    known = (tokenizer.token_to_id(token) for token in PAD_TOKENS)
    return next((id_ for id_ in known if id_ is not None), 0)


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Positions grouped so that (members × longest) stays within `budget`, shortest first."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[i] > budget:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def padded(encodings: Sequence[Encoding], pad: int) -> dict[str, Ids]:
    """A model's three inputs, each of shape (texts, longest); one that takes fewer ignores the rest."""
    width = max(len(encoding.ids) for encoding in encodings)
    ids = np.full((len(encodings), width), pad, dtype=np.int64)
    mask, types = np.zeros_like(ids), np.zeros_like(ids)
    for i, encoding in enumerate(encodings):
        length = len(encoding.ids)
        ids[i, :length], mask[i, :length], types[i, :length] = encoding.ids, 1, encoding.type_ids
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}

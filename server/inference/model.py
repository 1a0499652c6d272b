"""Texts as a model's input: tokenised, put into batches of like length, padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Generic

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from server.inference.cards import Card, is_intact, read_card
from server.inference.session import OnnxSession

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


class Model(Generic[Card]):
    """What every model folder gives; `ModelError` when it cannot be used. Thread-safe.

    A `late` one is loaded at its first use. Not so one whose file is not what its card says: whether that can
    be used is found out at once.
    """

    def __init__(self, folder: Path, card: type[Card], threads: int, *, late: bool = False) -> None:
        self.card = read_card(folder, card)
        self._threads = threads
        self._lock = Lock()
        self._loaded: OnnxSession | None = None
        if not late or not is_intact(self.card):
            self._session()
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(self.card.max_tokens)
        self._pad = pad_id(self._tokenizer)

    def _session(self) -> OnnxSession:
        """The session, made for whoever needs it first."""
        with self._lock:
            if self._loaded is None:
                self._loaded = OnnxSession(self.card, self._threads)
            return self._loaded

    @property
    def name(self) -> str:
        """The model folder's name."""
        return self.card.name

    @property
    def sha256(self) -> str:
        """Of the model file, by the model's card."""
        return self.card.sha256

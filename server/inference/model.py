"""A loaded transformer: its card, its session, its tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Generic

from tokenizers import Tokenizer

from server.inference.cards import Card, read_card
from server.inference.session import OnnxSession
from server.inference.tokens import pad_id


class Model(Generic[Card]):
    """What every model folder gives; `ModelError` when it cannot be used. Thread-safe."""

    def __init__(self, folder: Path, card: type[Card], threads: int) -> None:
        self.card = read_card(folder, card)
        self._session = OnnxSession(self.card, threads)
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(self.card.max_tokens)
        self._pad = pad_id(self._tokenizer)

    @property
    def name(self) -> str:
        """The model folder's name."""
        return self.card.name

    @property
    def sha256(self) -> str:
        """Of the model file, by the model's card."""
        return self.card.sha256

"""A transformer: its card, its session, its tokenizer."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Generic

from tokenizers import Tokenizer

from server.inference.cards import Card, is_intact, read_card
from server.inference.session import OnnxSession
from server.inference.tokens import pad_id


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

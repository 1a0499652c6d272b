"""The router: one small encoder that reads a visitor's line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding

from server.inference.session import Model, ModelCard, padded, probabilities
from server.models.routing import WAYS, Routing


@dataclass(frozen=True, slots=True)
class RouterCard(ModelCard):
    """A router: logits of the ways, in the order of `WAYS`, and three of each token: that a question begins
    with it, that another one leaves it out, and that the one that begins with it leaves something out."""

    KIND: ClassVar[str] = "router"


class Router(Model[RouterCard]):
    """A router from a model folder. Thread-safe."""

    def __init__(self, folder: Path, threads: int = 0) -> None:
        super().__init__(folder, RouterCard, threads)

    def route(self, line: str) -> Routing:
        """How the line is best gone on with; what is beyond the card's `max_tokens` is not read."""
        encoding = self._tokenizer.encode(line)
        ways, words = self._session().run(padded([encoding], self._pad))
        shares = zip(WAYS, probabilities(ways[0]), strict=True)
        begins, shared, lacks = (_of_words(encoding, line, logits) for logits in words[0].T)
        begins.pop(0, None)
        return Routing(dict(shares), begins, shared, lacks)


def _of_words(encoding: Encoding, line: str, logits: npt.NDArray[np.float32]) -> dict[int, float]:
    """Of each word how likely it is, by the word's first character."""
    return {
        first: float(1 / (1 + np.exp(-logit)))
        for (first, last), logit in zip(encoding.offsets, logits, strict=True)
        if is_word_begin(line, first, last)
    }


def is_word_begin(line: str, first: int, last: int) -> bool:
    """Whether a token from `first` to `last` begins a word."""
    return last > first and line[first].isalnum() and not (first and line[first - 1].isalnum())

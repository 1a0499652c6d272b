"""A cross-encoder reads question and passage together: how relevant it is, and where the answer stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding

from server.inference.cards import CrossEncoderCard
from server.inference.model import Model, batches, padded
from server.models import Reading

Logits = npt.NDArray[np.float32]

# Like the embedder's, but smaller: a handful of passages is soon read, and short batches waste less padding.
BATCH_TOKENS = 1024
# Longer answers than this are no answers (BERT's SQuAD recipe, Devlin et al. 2019).
MAX_ANSWER_TOKENS = 30


class Reranker(Model[CrossEncoderCard]):
    """A cross-encoder from a model folder, loaded at its first use if `late`. Thread-safe."""

    def __init__(self, folder: Path, threads: int = 0, *, late: bool = False) -> None:
        super().__init__(folder, CrossEncoderCard, threads, late=late)

    @property
    def weights(self) -> Mapping[str, float]:
        """What its log-odds and whatever else is known of a passage count."""
        return self.card.relevance

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """A reading for each (lead, text): title and headings, and the passage's own words."""
        whole = [with_lead(lead, text) for lead, text in passages]
        encodings = self._tokenizer.encode_batch([(question, text) for text, _ in whole])
        readings: list[Reading | None] = [None] * len(passages)
        for batch in batches([len(encoding.ids) for encoding in encodings], BATCH_TOKENS):
            outputs = self._session().run(padded([encodings[i] for i in batch], self._pad))
            for row, i in enumerate(batch):
                logits = [output[row] for output in outputs]
                readings[i] = self._reading(encodings[i], whole[i][1], logits)
        return [reading for reading in readings if reading is not None]

    def _reading(self, encoding: Encoding, lead: int, logits: Sequence[Logits]) -> Reading:
        log_odds = (float(logits[0]) - self.card.bias) / self.card.temperature
        if not self.card.reads:
            return Reading(log_odds)
        return Reading(log_odds, *best_span(encoding, lead, logits[1], logits[2]))


def with_lead(lead: str, text: str) -> tuple[str, int]:
    """A passage as the model reads it, in training too, and where in that its own text begins."""
    before = f"{lead}\n" if lead else ""
    return before + text, len(before)


def best_span(encoding: Encoding, lead: int, start: Logits, end: Logits) -> tuple[int, int, float]:
    """The likeliest answer in a passage's own text: its first and last character, and its margin.

    The margin is its logits' sum less that of `[CLS]`, which stands for "no answer". `lead` characters before
    the text cannot hold an answer.
    """
    places = [
        i
        for i, (sequence, (first, last)) in enumerate(
            zip(encoding.sequence_ids, encoding.offsets, strict=True)
        )
        if sequence == 1 and first >= lead and last > first
    ]
    if not places:
        return 0, 0, float(-np.inf)
    begin, stop = places[0], places[-1] + 1
    sums = start[begin:stop, None] + end[None, begin:stop]
    allowed = np.triu(np.ones_like(sums, dtype=bool)) & ~np.triu(
        np.ones_like(sums, dtype=bool), MAX_ANSWER_TOKENS
    )
    best = int(np.where(allowed, sums, -np.inf).argmax())
    i, j = divmod(best, stop - begin)
    margin = float(sums[i, j] - start[0] - end[0])
    return encoding.offsets[begin + i][0] - lead, encoding.offsets[begin + j][1] - lead, margin

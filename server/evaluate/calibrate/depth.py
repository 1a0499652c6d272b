"""What reranking makes of a question at every depth, for the price of the deepest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from server.ask.rerank import CrossEncoder, RerankOptions, rerank
from server.ask.trace import TraceLog
from server.evaluate.calibrate.first_stage import FirstStage, first_true
from server.records import Reading


@dataclass(frozen=True, slots=True)
class AtDepth:
    """`rank` of the first relevant passage, from 1, and how many passages were `read` for it."""

    rank: int | None
    read: int


class RememberingReader:
    """A cross-encoder that reads a passage once for one question, however often it is asked to."""

    def __init__(self, cross_encoder: CrossEncoder) -> None:
        self._cross_encoder = cross_encoder
        self._readings: dict[tuple[str, str], Reading] = {}

    @property
    def first_stage(self) -> float:
        """The cross-encoder's own."""
        return self._cross_encoder.first_stage

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """A reading for each (title and headings, text)."""
        new = [passage for passage in dict.fromkeys(passages) if passage not in self._readings]
        if new:
            self._readings |= zip(new, self._cross_encoder.read(question, new), strict=True)
        return [self._readings[passage] for passage in passages]


def at_depths(
    first: FirstStage, alpha: float, cross_encoder: CrossEncoder, depths: Sequence[int], stop: float
) -> list[AtDepth]:
    """One entry a depth. The step itself is run, early stop and all, on remembered readings.

    The deepest comes first: what it reads is all that the others need, in the same waves.
    """
    reader = RememberingReader(cross_encoder)
    candidates = first.candidates(alpha)
    relevant = {
        passage.chunk_id for passage, right in zip(first.passages, first.relevant, strict=True) if right
    }
    found: dict[int, AtDepth] = {}
    for depth in sorted(depths, reverse=True):
        ranked = rerank(first.text, candidates, reader, RerankOptions(depth, stop=stop), TraceLog())
        held = np.array([one.passage.chunk_id in relevant for one in ranked], dtype=bool)
        found[depth] = AtDepth(first_true(held), sum(one.reading is not None for one in ranked))
    return [found[depth] for depth in depths]

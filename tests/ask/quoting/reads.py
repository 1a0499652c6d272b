"""A cross-encoder whose word is known, for what is read alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from server.ask.quoting.lead import ReadAlone
from server.models import Reading


class Reads:
    """Finds texts with these words alone relevant, by log-odds; it keeps its questions and texts."""

    def __init__(self, **relevance: float) -> None:
        self.relevance, self.asked, self.texts = relevance, list[str](), list[str]()

    @property
    def weights(self) -> Mapping[str, float]:
        return {}

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        self.asked.append(question)
        self.texts += (text for _, text in passages)
        return [Reading(self._of(text)) for _, text in passages]

    def _of(self, text: str) -> float:
        return max((odds for word, odds in self.relevance.items() if word in text), default=-9.0)


def alone(model: Reads, question: str) -> ReadAlone:
    """What reads texts alone, of every passage by this wording."""
    return ReadAlone(question, model, lambda _: question)


def stems(texts: Sequence[str]) -> list[set[str]]:
    """Words, without their full stops."""
    return [set(text.lower().replace(".", "").split()) for text in texts]

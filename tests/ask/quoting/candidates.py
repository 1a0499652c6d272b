"""Candidates and questions for what is quoted of them."""

from __future__ import annotations

from collections.abc import Sequence

from server.ask.quoting.score import QuestionFeatures
from server.models import Candidate, Passage


def candidate(chunk_id: int, text: str, score: float = 0.8, semantic: float | None = 0.6) -> Candidate:
    passage = Passage(chunk_id, f"https://example.edu/{chunk_id}", f"Page {chunk_id}", "Hours", text)
    return Candidate(passage, score, semantic_score=semantic)


def stems(texts: Sequence[str]) -> list[set[str]]:
    return [set(text.lower().replace(".", "").replace("!", "").split()) for text in texts]


def wanted(*words: str) -> QuestionFeatures:
    return QuestionFeatures(dict.fromkeys(words, 1.0), (), stems)

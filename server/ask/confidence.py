"""What an answer must hold to be one: a "when" wants a date, a "how much" a sum."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from server.ask.grounding.injection import blanked
from server.ask.grounding.tasks import Relatedness
from server.models import Candidate


@dataclass(frozen=True, slots=True)
class AnswerType:
    """A kind of answer: how a question asks for it, and what it looks like on a page."""

    name: str
    asked: re.Pattern[str]
    looks: re.Pattern[str]


def _kind(name: str, asked: str, looks: str) -> AnswerType:
    return AnswerType(name, re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), re.compile(looks, re.IGNORECASE))


_DAY = r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:mon|tue|wed|thu|fri|sat|sun)\b"
_MONTH = r"\b(?:(?:jan|febr)uary|march|april|june|july|august|(?:septem|octo|novem|decem)ber)\b|\bmay \d"
_CLOCK = r"\d ?(?:a\.?m\b|p\.?m\b)|\b\d{1,2}:\d\d\b|\bnoon\b|\bmidnight\b"

ANSWER_TYPES = (
    _kind("e-mail", r"e-?mail(?: address)?", r"\S@\S"),
    _kind("phone", r"phone|telephone|call|fax", r"\(?\d{3}\)?[ .-]?\d{3}[ .-]\d{4}|\b\d{3}-\d{4}\b"),
    _kind(
        "money",
        r"how much|costs?|price|fees?|tuition|fines?|salary|pay",
        r"[$€£]\s?\d|\bfree\b|\bno (?:charge|fee|cost)",
    ),
    _kind("hours", r"hours|open|close[sd]?|what time", rf"{_CLOCK}|24[- ]hour"),
    _kind(
        "time",
        r"when|dates?|deadline|due|how long|what (?:day|year|month)",
        rf"{_DAY}|{_MONTH}|{_CLOCK}|\b\d{{4}}\b|\b\d+ (?:day|week|month|year|hour)",
    ),
    _kind(
        "number",
        r"how many|how often|number of|minimum|maximum|gpa|score|percent(?:age)?",
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice)\b",
    ),
    _kind(
        "person", r"who|whose|whom", r"(?-i:\b(?:Dr|Prof|Mr|Ms|Mrs)\.|[A-Z][a-z]+ (?:[A-Z]\. )?[A-Z][\w-]+)"
    ),
    _kind(
        "place",
        r"where|which (?:building|room)|location|address",
        r"\b(?:hall|building|room|floor|house|cent(?:er|re)|library|road|street|avenue|campus|lot)\b"
        r"|(?-i:\b\d+ [A-Z])",
    ),
)


def expected_answer_types(question: str) -> tuple[AnswerType, ...]:
    """The kinds of answer the question asks for; none: any sentence will do."""
    return tuple(kind for kind in ANSWER_TYPES if kind.asked.search(question))


@dataclass(frozen=True, slots=True)
class QuestionFeatures:
    """What the answerer is given of the question: its weighted words, the kinds it asks for, a stemmer.

    `relatedness` tells tasks from what their page says; without it none is looked for.
    """

    word_weights: Mapping[str, float]
    kinds: tuple[AnswerType, ...]
    stems: Callable[[Sequence[str]], list[set[str]]]
    relatedness: Relatedness | None = None

    def coverage(self, words: set[str]) -> float:
        """The share of the question's words, by weight, that are among `words`."""
        total = sum(self.word_weights.values())
        found = sum(weight for word, weight in self.word_weights.items() if word in words)
        return found / total if total else 0.0


@dataclass(frozen=True, slots=True)
class EvidenceModel:
    """A logistic function of some measures; fitted by scripts/research/fit_answer.py."""

    bias: float
    weights: Mapping[str, float]

    def __call__(self, measures: Mapping[str, float]) -> float:
        """How likely it is that the site answers the question, 0 to 1."""
        return logistic(self.bias + sum(weight * measures[name] for name, weight in self.weights.items()))


# Cosine and words tell what the site does not speak of (AUROC .98) and hardly what it speaks of without
# saying; a cross-encoder's relevance helps a little (.92 to .93 over all sets), the margin of its answer not.
WITH_MEANING = EvidenceModel(-5.4, {"cosine": 8.6, "words": 1.8})
WORDS_ALONE = EvidenceModel(-3.0, {"words": 4.6})
READ_WITH_MEANING = EvidenceModel(-2.8, {"relevance": 0.65, "cosine": 7.9, "words": 0.5})
READ_ALONE = EvidenceModel(1.8, {"relevance": 0.87})


def evidence_of(measures: Mapping[str, float]) -> float:
    """By the model that knows most of these measures."""
    if "relevance" in measures:
        return (READ_WITH_MEANING if "cosine" in measures else READ_ALONE)(measures)
    return (WITH_MEANING if "cosine" in measures else WORDS_ALONE)(measures)


def evidence_measures(candidates: Sequence[Candidate], wanted: QuestionFeatures) -> dict[str, float]:
    """What an `EvidenceModel` goes by: the best cosine, word coverage, relevance and answer of a passage.

    `relevance` and `margin` are log-odds, there only where a cross-encoder has read; `cosine` only where one
    was computed.
    """
    texts = [f"{c.passage.title} {c.passage.heading} {blanked(c.passage.text)}" for c in candidates]
    cosines = [c.semantic_score for c in candidates if c.semantic_score is not None]
    readings = [c.reading for c in candidates if c.reading is not None]
    margins = [reading.margin for reading in readings if reading.margin is not None]
    measures = {"words": max(map(wanted.coverage, wanted.stems(texts)))}
    for name, values in (
        ("cosine", cosines),
        ("relevance", [reading.log_odds for reading in readings]),
        ("margin", margins),
    ):
        if values:
            measures[name] = max(values)
    return measures


def logistic(log_odds: float) -> float:
    """1 / (1 + exp(−x)), safe for large numbers."""
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, log_odds))))

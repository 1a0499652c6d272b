"""Whether a question asks what an editor's answer is to: by a cross-encoder, or else by measures of words.

A logistic function of the embedder's cosine and of the words that both have says how likely it is
(`conversation/paraphrase.py`). The cross-encoder, which reads the question beside a phrasing and its answer,
knows it in other words, too: it was taught with questions that an answer serves, by many hands, and with
others that are near and that it does not (docs/curation.md). The surer of the two counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial

from server.ask.conversation.paraphrase import (
    Difference,
    QuestionReading,
    Subject,
    difference,
    least_cosine,
    likelihood,
    measures,
    only_names,
)
from server.ask.grounding.evidence import logistic
from server.ask.ports import CrossEncoder, EmbeddingModel

# So likely must a question and a phrasing ask the same, or more, for the answer to be given as one; and to be
# shown as the answer to a similar question. docs/curation.md has what they do.
LIKELY = 0.86
SIMILAR = 0.35
# The cross-encoder reads so many of the nearest phrasings, a few milliseconds each, and none further off by
# cosine: of 400 questions by other hands 1 in 40 was.
MOST_READ = 6
LEAST_READ = 0.3
REMEMBERED = 4096  # readings: what is tried twice, before and after a change
# What keeps an answer even from being shown as that to a similar question.
APART: frozenset[Difference] = frozenset({"number", "term"})


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One way to ask for an answer, beside a question: read, with what is in any way to ask for it, the
    answer's text ("" where there is none), and the cosine of the two."""

    reading: QuestionReading
    subject: Subject
    answer: str
    cosine: float


@dataclass(frozen=True, slots=True)
class Weighed:
    """How likely a question asks the same as a phrasing, 0 to 1, and what makes it another one, if anything.

    `same`: it gets the answer; `similar`: it is shown it below the phrasing, where the pages have no sure
    one.
    """

    likelihood: float
    differs: Difference | None
    same: bool
    similar: bool


NOT_READ = Weighed(0.0, None, same=False, similar=False)


class Paraphraser:
    """Weighs questions against phrasings. Thread-safe.

    `embedder` gives the cosines; without a `reader`, the measures of words decide.
    """

    def __init__(self, embedder: EmbeddingModel, reader: CrossEncoder | None = None) -> None:
        self.embedder = embedder
        self._log_odds = lru_cache(REMEMBERED)(partial(_log_odds, reader)) if reader else None

    def weigh(self, question: QuestionReading, phrasings: Sequence[Phrasing], today: date) -> list[Weighed]:
        """The question beside each phrasing, in their order; what is not read is not likely."""
        if self._log_odds is None:
            return [_by_words(question, one, today) for one in phrasings]
        nearest = sorted(range(len(phrasings)), key=lambda i: -phrasings[i].cosine)[:MOST_READ]
        near = {i for i in nearest if phrasings[i].cosine >= LEAST_READ}
        return [
            _by_reading(self._log_odds, question, one, today) if i in near else NOT_READ
            for i, one in enumerate(phrasings)
        ]

    def least_cosine(self) -> float:
        """That below which no question is even similar."""
        return LEAST_READ if self._log_odds else least_cosine(SIMILAR)


def with_answer(phrasing: str, answer: str) -> str:
    """A phrasing as the model reads it beside a question, in training too: with its answer, if any."""
    return f"{phrasing} | {answer}" if answer else phrasing


def _log_odds(reader: CrossEncoder, question: str, told: str) -> float:
    [reading] = reader.read(question, [("", told)])
    return reading.log_odds


def _by_reading(
    read: Callable[[str, str], float], question: QuestionReading, phrasing: Phrasing, today: date
) -> Weighed:
    if question.text.casefold() == phrasing.reading.text.casefold():
        return Weighed(1.0, None, same=True, similar=False)
    told = with_answer(phrasing.reading.text, phrasing.answer)
    likely, by_words = logistic(read(question.text, told)), _by_words(question, phrasing, today)
    if by_words.differs is None:
        likely = max(likely, by_words.likelihood)
    apart = by_words.differs in APART or only_names(question, phrasing.reading)
    same = by_words.differs is None and likely >= LIKELY
    return Weighed(likely, by_words.differs, same, not same and not apart and likely >= SIMILAR)


def _by_words(question: QuestionReading, phrasing: Phrasing, today: date) -> Weighed:
    differs = difference(question, phrasing.reading, phrasing.subject, today)
    likely = likelihood(measures(question, phrasing.reading, phrasing.subject, phrasing.cosine))
    return Weighed(
        likely, differs, differs is None and likely >= LIKELY, differs is None and SIMILAR <= likely < LIKELY
    )

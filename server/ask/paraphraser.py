"""Whether a question asks what an editor's answer is to: by cross-encoders, or else by measures of words.

A logistic function of the embedder's cosine and of the words that both have says how likely it is
(`conversation/paraphrase.py`). The cross-encoder, which reads the question beside a phrasing and its answer,
knows it in other words, too: it was taught with questions that an answer serves, by many hands, and with
others that are near and that it does not (docs/curation.md). The surer of the two counts, and a question that
is likely enough the same gets the answer.

Whether the answer is shown to who asked something similar is told of all its phrasings together, and of what
the verifier makes of its text beside the question: one phrasing among many is easily taken for similar.
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
    read,
)
from server.ask.grounding.evidence import EvidenceModel, log_odds, logistic
from server.ask.ports import CrossEncoder, EmbeddingModel

# So likely must a question and a phrasing ask the same, or more, for the answer to be given as one; and where
# nothing else tells, to be shown as the answer to a similar question. docs/curation.md has what they do.
LIKELY = 0.86
SIMILAR = 0.35
# The cross-encoder reads so many of an answer's nearest phrasings, a few milliseconds each, and none further
# off by cosine: of 400 questions by other hands 1 in 40 was. So it does of so many answers.
MOST_READ = 6
LEAST_READ = 0.3
MOST_ANSWERS = 2
REMEMBERED = 4096  # readings: what is tried twice, before and after a change
# What keeps an answer even from being shown as that to a similar question.
APART: frozenset[Difference] = frozenset({"number", "term"})

# How likely an answer serves who asked something similar; fitted by
# scripts/research/console/fit_serving.py. A question of ENOUGH_WORDS that count is no surer
# for more of them, and no reading counts for more than CLIP, in log-odds.
SERVING = EvidenceModel(
    -4.13, {"reading": 0.21, "cosine": 6.6, "verified": 0.74, "unknown": -3.67, "words": 0.87}
)
SERVES = 0.92
ENOUGH_WORDS = 4
CLIP = 6.0


@dataclass(frozen=True, slots=True)
class CuratedCandidate:
    """An editor's answer beside a question: its text ("" where there is none), its ways to ask, read, and the
    cosine of each with the question."""

    answer: str
    subject: Subject
    cosines: Sequence[float]


@dataclass(frozen=True, slots=True)
class Weighed:
    """How likely a question asks the same as that of an answer's phrasings that is likest (`phrasing` says
    which), 0 to 1, and what makes it another one, if anything.

    `same`: it gets the answer; `similar`: it is shown it below the phrasing, where the pages have no sure
    one. `serving`: how likely it then serves who asked, 0 to 1; of two answers the likelier is shown.
    """

    phrasing: int
    likelihood: float
    differs: Difference | None
    same: bool
    similar: bool
    serving: float


@dataclass(frozen=True, slots=True)
class PhrasingReading:
    """One way to ask beside a question: how likely they are the same, and what makes it another one.

    `apart`: nor is it similar to this one.
    """

    likelihood: float
    differs: Difference | None = None
    apart: bool = True

    @property
    def same(self) -> bool:
        """Whether that alone gets it the answer."""
        return self.differs is None and self.likelihood >= LIKELY

    @property
    def similar(self) -> bool:
        """Whether that alone says that it asks something similar."""
        return not self.apart and self.likelihood >= SIMILAR


_NOT_READ = PhrasingReading(0.0)


class Paraphraser:
    """Weighs questions against editors' answers. Thread-safe.

    `embedder` gives the cosines; without a `reader`, the measures of words decide; without a `verifier`, one
    similar phrasing makes an answer similar.
    """

    def __init__(
        self,
        embedder: EmbeddingModel,
        reader: CrossEncoder | None = None,
        verifier: CrossEncoder | None = None,
    ) -> None:
        self.embedder = embedder
        self._read = lru_cache(REMEMBERED)(partial(_log_odds, reader)) if reader else None
        self._verify = lru_cache(REMEMBERED)(partial(_log_odds, verifier)) if verifier and reader else None

    def worth_weighing(self, nearest: Sequence[float]) -> list[int]:
        """Which answers to weigh, by the cosine of each one's nearest phrasing; the nearest first."""
        least = LEAST_READ if self._read else least_cosine(SIMILAR)
        order = sorted(range(len(nearest)), key=lambda i: -nearest[i])
        near = [i for i in order if nearest[i] >= least]
        return near[:MOST_ANSWERS] if self._read else near

    def weigh(self, question: QuestionReading, one: CuratedCandidate, today: date) -> Weighed:
        """The question beside an answer with all its ways to ask."""
        told = self.readings(question, one, today)
        best = max(range(len(told)), key=lambda i: (told[i].same, told[i].similar, told[i].likelihood))
        found, serving = told[best], 0.0
        similar = found.similar and not found.same
        if self._verify and one.answer and not found.same:
            similar, serving = self._serves(question, one, told)
        return Weighed(best, found.likelihood, found.differs, found.same, similar, serving)

    def readings(
        self, question: QuestionReading, one: CuratedCandidate, today: date
    ) -> list[PhrasingReading]:
        """Each phrasing, in their order; what is not read is not likely."""
        phrasings = list(zip(one.subject.readings, one.cosines, strict=True))
        if self._read is None:
            return [
                _by_words(question, phrasing, one.subject, cosine, today) for phrasing, cosine in phrasings
            ]
        nearest = sorted(range(len(phrasings)), key=lambda i: -one.cosines[i])[:MOST_READ]
        near = {i for i in nearest if one.cosines[i] >= LEAST_READ}
        return [
            _by_reading(
                self._read, question, way, one.answer, _by_words(question, way, one.subject, cosine, today)
            )
            if i in near
            else _NOT_READ
            for i, (way, cosine) in enumerate(phrasings)
        ]

    def verified(self, question: str, answer: str) -> float:
        """What the verifier makes of an answer's text beside a question, in log-odds; 0 without one."""
        return clipped(self._verify(question, answer)) if self._verify else 0.0

    def _serves(
        self, question: QuestionReading, one: CuratedCandidate, told: Sequence[PhrasingReading]
    ) -> tuple[bool, float]:
        """Whether all together say that it serves who asked, and how likely.

        The verifier reads only where it can still decide.
        """
        if all(each.apart for each in told):
            return False, 0.0
        known = serving_measures(question, one, told)
        if SERVING(known | {"verified": CLIP}) < SERVES:
            return False, SERVING(known | {"verified": 0.0})
        likely = SERVING(known | {"verified": self.verified(question.text, one.answer)})
        return likely >= SERVES, likely


def serving_measures(
    question: QuestionReading, one: CuratedCandidate, told: Sequence[PhrasingReading]
) -> dict[str, float]:
    """What speaks for an answer serving a question that is not the same, but for what the verifier reads.

    The likeliest `reading`, in log-odds; the nearest phrasing's `cosine`; the share of the question's words
    `unknown` to the phrasings and the answer; how many `words` that count it has.
    """
    likeliest = max((each.likelihood for each in told if not each.apart), default=0.0)
    known = one.subject.words | _words_of(one.answer)
    return {
        "reading": clipped(log_odds(min(max(likeliest, 0.001), 0.999))),
        "cosine": max(one.cosines),
        "unknown": len(question.words - known) / max(1, len(question.words)),
        "words": min(len(question.words), ENOUGH_WORDS),
    }


@lru_cache(REMEMBERED)
def _words_of(answer: str) -> frozenset[str]:
    """The stems of an answer's words: it is read once, not for every question."""
    return read(answer).words


def clipped(odds: float) -> float:
    """Log-odds that count for no more than `CLIP`."""
    return max(-CLIP, min(CLIP, odds))


def with_answer(phrasing: str, answer: str) -> str:
    """A phrasing as the model reads it beside a question, in training too: with its answer, if any."""
    return f"{phrasing} | {answer}" if answer else phrasing


def _log_odds(reader: CrossEncoder, question: str, told: str) -> float:
    [reading] = reader.read(question, [("", told)])
    return reading.log_odds


def _by_reading(
    odds_of: Callable[[str, str], float],
    question: QuestionReading,
    phrasing: QuestionReading,
    answer: str,
    by_words: PhrasingReading,
) -> PhrasingReading:
    if question.text.casefold() == phrasing.text.casefold():
        return PhrasingReading(1.0, None, apart=False)
    likely = logistic(odds_of(question.text, with_answer(phrasing.text, answer)))
    if by_words.differs is None:
        likely = max(likely, by_words.likelihood)
    apart = by_words.differs in APART or only_names(question, phrasing)
    return PhrasingReading(likely, by_words.differs, apart)


def _by_words(
    question: QuestionReading, phrasing: QuestionReading, subject: Subject, cosine: float, today: date
) -> PhrasingReading:
    differs = difference(question, phrasing, subject, today)
    likely = likelihood(measures(question, phrasing, subject, cosine))
    return PhrasingReading(likely, differs, apart=differs is not None)

"""The extractive answer: the best passages' own sentences. It cannot invent anything."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from server.ask.boost import BoostedPages
from server.ask.grounding.evidence import (
    EvidenceModel,
    Relatedness,
    blank_planted,
    is_question,
    logistic,
    planted_spans,
    tidied,
    without_planted_text,
    without_tasks,
)
from server.ask.ports import SnapshotText
from server.ask.trace import AnswerBuilder, OpenStep, citation_of
from server.lexicons import lexicon
from server.models import Candidate, Citation, Event, Hit, Passage
from server.sentences import sentences


@dataclass(frozen=True, slots=True)
class AnswerType:
    """A kind of answer: how a question asks for it, and what it looks like on a page."""

    name: str
    asked: re.Pattern[str]
    looks: re.Pattern[str]


ANSWER_TYPES = tuple(
    AnswerType(row["name"], row.pattern("asked", r"\b(?:{})\b"), row.pattern("looks"))
    for row in lexicon("answer_types")["type"]
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


# How likely an answer is right; the first whose measures are all known is believed. Fitted to visitors'
# questions by scripts/research/fit_confidence.py, which has the figures.
MODELS = (
    EvidenceModel(-3.99, {"marked": 2.26, "lead": 1.4, "late": 2.74}),
    EvidenceModel(-2.06, {"marked": 2.55, "lead": 1.36}),
    EvidenceModel(0.57, {"words": 0.22, "relevance": 0.57}),
    # These two by fit_answer.py: where nothing was read, they tell what the site does not speak of.
    EvidenceModel(-6.02, {"cosine": 8.6, "words": 1.8}),
    EvidenceModel(-3.62, {"words": 4.6}),
)


def evidence_of(measures: Mapping[str, float]) -> float:
    """By the model that knows most of these measures, `words` at least."""
    return next(model for model in MODELS if set(model.weights) <= set(measures))(measures)


def evidence_measures(candidates: Sequence[Candidate], wanted: QuestionFeatures) -> dict[str, float]:
    """What an `EvidenceModel` knows of passages: the best cosine, word coverage, relevance and answer of one.

    `relevance` and `margin` are log-odds, there only where a cross-encoder has read; `cosine` and `late`
    (late interaction) only where one was computed.
    """
    texts = [f"{c.passage.title} {c.passage.heading} {blank_planted(c.passage.text)}" for c in candidates]
    cosines = [c.semantic_score for c in candidates if c.semantic_score is not None]
    readings = [c.reading for c in candidates if c.reading is not None]
    margins = [reading.margin for reading in readings if reading.margin is not None]
    measures = {"words": max(map(wanted.coverage, wanted.stems(texts)))}
    for name, values in (
        ("cosine", cosines),
        ("late", [c.late_score for c in candidates if c.late_score is not None]),
        ("relevance", [reading.log_odds for reading in readings]),
        ("margin", margins),
    ):
        if values:
            measures[name] = max(values)
    return measures


def answer_measures(quoted: Sequence[ScoredSentence]) -> dict[str, float]:
    """What it knows of the answer, the best of these sentences, where the reader has marked a place anywhere.

    `marked` (0 to 1): how sure the reader is of passage and place, as their geometric mean; `lead` (0 to 1):
    by which share of the best passage's score the next one is behind.
    """
    if not any(quote.marked for quote in quoted):
        return {}
    best = quoted[0]
    others = (quote.share for quote in quoted if quote.passage.chunk_id != best.passage.chunk_id)
    return {"marked": math.sqrt(best.marked), "lead": max(0.0, 1.0 - max(others, default=0.0))}


# A further sentence is quoted when it is nearly as good as the best; at most so many are.
NEARLY, MAX_SENTENCES = 0.8, 3
# Where no sentence is sure, so many passages are shown, each in so many characters around its best sentence.
SHOWN_PASSAGES, SHOWN_CHARS = 2, 500
# A page that editors prefer answers where it has at most so much less evidence than the best passages.
NEARLY_AS_GOOD = 0.1


@dataclass(frozen=True, slots=True)
class SentenceWeights:
    """What each measure of a sentence counts; fitted by scripts/research/fit_answer.py.

    Its cosine to the question is not among them: on SQuAD it moved the share of first sentences that hold the
    answer from .705 to .713, for nine tenths of the time an answer took.
    """

    words: float
    heading: float
    passage: float
    kind: float
    marked: float


WEIGHTS = SentenceWeights(words=1.0, heading=0.3, passage=1.5, kind=0.2, marked=0.5)


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence of a passage, and what speaks for it.

    `words`: the share (0 to 1) of the question's words, weighted by rarity, that stand in it; `heading`: of
    those that stand only in the title and headings above it. `share`: its passage's score as a share of the
    best. `fits`: it looks like an answer of a kind that was asked for (true when any will do). `marked`: how
    likely the reader's answer stands in it (0 without a reader).
    """

    passage: Passage
    start: int
    end: int
    words: float
    heading: float
    share: float
    fits: bool
    marked: float = 0.0

    @property
    def text(self) -> str:
        """The sentence, as the page has it."""
        return self.passage.text[self.start : self.end]

    def score(self, weights: SentenceWeights) -> float:
        """All that speaks for it, in one number."""
        return (
            weights.words * self.words
            + weights.heading * self.heading
            + weights.passage * self.share
            + weights.kind * self.fits
            + weights.marked * self.marked
        )


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """An answer not yet accepted. `evidence` (0 to 1) is how sure it is that the site says this.

    `best` is the best sentence of each passage, best passages first; `changed` are the passages (chunk ids)
    that have spaces where something is not shown.
    """

    sentences: tuple[str, ...]
    citations: tuple[Citation, ...]
    evidence: float
    notes: Mapping[str, object]
    best: tuple[ScoredSentence, ...] = ()
    changed: frozenset[int] = frozenset()

    @property
    def nearest(self) -> tuple[Citation, ...]:
        """The passages it would be in, cut around their best sentences: shown where it is not sure enough."""
        shown = enumerate(self.best[:SHOWN_PASSAGES], 1)
        return tuple(_citation(quote.passage, n, *_window(quote), self.changed) for n, quote in shown)

    @property
    def text(self) -> str:
        """The sentences, each followed by the number of its source."""
        return " ".join(self.sentences)

    def say(self, answer: AnswerBuilder) -> Iterator[Event]:
        """Its sentences, said in an answer."""
        sources = {citation.n: citation for citation in self.citations}
        for sentence in self.sentences:
            yield from answer.quote(sentence, sources)

    def show_nearest(self, answer: AnswerBuilder) -> Iterator[Event]:
        """The passages it would be in, each below the name of its page and section: a list needs its lead."""
        for citation in self.nearest:
            answer.new_line()
            yield from answer.quote(
                f"\n{citation.place}:\n{citation.quote} [{citation.n}]", {citation.n: citation}
            )


def best_answer(  # noqa: PLR0913, PLR0917  (what was found, and all it is weighed by)
    question: str,
    candidates: Sequence[Candidate],
    boosted: BoostedPages,
    words: SnapshotText,
    relatedness: Relatedness,
    passages: int,
    thresholds: tuple[float, float],
    step: OpenStep,
) -> tuple[Sequence[Candidate], ExtractiveAnswer]:
    """The passages it is answered from, and the answer with the evidence for it.

    The pages that editors boost answer where they do answer, or seem to, or else the best passages.
    `thresholds`: of an answer, and of what only seems to be one.
    """
    kinds = expected_answer_types(question)
    wanted = QuestionFeatures(words.word_weights(question), kinds, words.stems, relatedness)
    best, draft = _boosted_or_best(candidates, boosted, wanted, passages, min(thresholds))
    step.ranking = [Hit(one.passage.chunk_id, one.score) for one in best]
    step.notes = {**draft.notes, "threshold": thresholds[0], "expects": [kind.name for kind in kinds]}
    return best, draft


def _boosted_or_best(
    candidates: Sequence[Candidate],
    boosted: BoostedPages,
    wanted: QuestionFeatures,
    passages: int,
    threshold: float,
) -> tuple[Sequence[Candidate], ExtractiveAnswer]:
    best = candidates[:passages]
    draft = extract_answer(best, wanted)
    own = [one for one in candidates if boosted.has(one.passage.url)]
    if not own:
        return best, draft
    instead = extract_answer(own[:passages], wanted)
    least = threshold
    if not any(boosted.pins(one.passage.url) for one in own):
        least = max(least, draft.evidence - NEARLY_AS_GOOD)
    if instead.evidence < least:
        return best, draft
    return [*own, *(one for one in best if one not in own)][:passages], instead


def extract_answer(candidates: Sequence[Candidate], wanted: QuestionFeatures) -> ExtractiveAnswer:
    """One to three sentences of the candidates, best first, with their citations."""
    clean = [_without_tasks(candidate, wanted) for candidate in candidates]
    quoted = score_sentences(clean, wanted)
    if not quoted:
        return ExtractiveAnswer((), (), 0.0, {"evidence": 0.0})
    measures = evidence_measures(clean, wanted) | answer_measures(quoted)
    evidence = evidence_of(measures)
    changed = frozenset(
        new.passage.chunk_id for new, old in zip(clean, candidates, strict=True) if new is not old
    )
    texts, citations = _cite(_choose(quoted), changed)
    notes = {name: round(value, 4) for name, value in {"evidence": evidence, **measures}.items()}
    return ExtractiveAnswer(texts, citations, evidence, notes, _best_of_each(clean, quoted), changed)


def score_sentences(candidates: Sequence[Candidate], wanted: QuestionFeatures) -> list[ScoredSentence]:
    """Every sentence of the candidates, best first, but questions and those to a machine."""
    best = max((candidate.score for candidate in candidates), default=0.0) or 1.0
    quoted = [quote for c in candidates for quote in _sentences_of(c, c.score / best, wanted)]
    return sorted(quoted, key=_score, reverse=True)


def _without_tasks(candidate: Candidate, wanted: QuestionFeatures) -> Candidate:
    """The candidate with spaces in place of its tasks; itself where it has none."""
    if wanted.relatedness is None:
        return candidate
    passage = without_tasks(candidate.passage, wanted.relatedness)
    return candidate if passage is candidate.passage else replace(candidate, passage=passage)


def _score(quote: ScoredSentence) -> float:
    return quote.score(WEIGHTS)


def _sentences_of(candidate: Candidate, share: float, wanted: QuestionFeatures) -> list[ScoredSentence]:
    passage = candidate.passage
    planted = planted_spans(passage.text)
    spans = [
        span
        for span in sentences(passage.text)
        if span not in planted and not is_question(passage.text[slice(*span)])
    ]
    above, *inside = wanted.stems(
        [f"{passage.title} {passage.heading}", *(passage.text[start:end] for start, end in spans)]
    )
    quoted = []
    for (start, end), own in zip(spans, inside, strict=True):
        words = wanted.coverage(own)
        heading = wanted.coverage(own | above) - words
        fits = not wanted.kinds or any(kind.looks.search(passage.text, start, end) for kind in wanted.kinds)
        marked = _marked(candidate, start, end)
        quoted.append(ScoredSentence(passage, start, end, words, heading, share, fits, marked))
    return quoted


def _marked(candidate: Candidate, start: int, end: int) -> float:
    """How likely the answer is the marked one, if that lies in these characters."""
    reading = candidate.reading
    if reading is None or reading.margin is None or not (reading.start < end and start < reading.end):
        return 0.0
    return candidate.score * logistic(reading.margin)


def _choose(quoted: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The best sentence, and those nearly as good that say something else; of one passage in its order."""
    chosen: list[ScoredSentence] = []
    for quote in quoted:
        if len(chosen) == MAX_SENTENCES or (chosen and _score(quote) < NEARLY * _score(chosen[0])):
            break
        if all(quote.text.casefold() != other.text.casefold() for other in chosen):
            chosen.append(quote)
    order = {id_: i for i, id_ in enumerate(dict.fromkeys(quote.passage.chunk_id for quote in chosen))}
    return sorted(chosen, key=lambda quote: (order[quote.passage.chunk_id], quote.start))


def _cite(
    chosen: Sequence[ScoredSentence], changed: Container[int]
) -> tuple[tuple[str, ...], tuple[Citation, ...]]:
    """The sentences with their source's number; a citation a passage, from its first quote to its last.

    `changed`: the passages (chunk ids) that have spaces where something is not shown.
    """
    by_passage: dict[int, list[ScoredSentence]] = {}
    for quote in chosen:
        by_passage.setdefault(quote.passage.chunk_id, []).append(quote)
    texts: list[str] = []
    citations = []
    for n, quotes in enumerate(by_passage.values(), 1):
        texts += [f"{quote.text} [{n}]" for quote in quotes]
        citations.append(_citation(quotes[0].passage, n, quotes[0].start, quotes[-1].end, changed))
    return tuple(texts), tuple(citations)


def _best_of_each(
    candidates: Sequence[Candidate], quoted: Sequence[ScoredSentence]
) -> tuple[ScoredSentence, ...]:
    """The best sentence of each candidate that has one to quote."""
    best = {quote.passage.chunk_id: quote for quote in reversed(quoted)}
    return tuple(best[one.passage.chunk_id] for one in candidates if one.passage.chunk_id in best)


def _window(quote: ScoredSentence) -> tuple[int, int]:
    """The sentence with those around it, as many as fit into `SHOWN_CHARS`."""
    spans = sentences(quote.passage.text)
    first = last = next(i for i, (_, end) in enumerate(spans) if end > quote.start)
    while True:
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= SHOWN_CHARS:
            last += 1
        elif first and spans[last][1] - spans[first - 1][0] <= SHOWN_CHARS:
            first -= 1
        else:
            return spans[first][0], spans[last][1]


def _citation(passage: Passage, n: int, start: int, end: int, changed: Container[int]) -> Citation:
    """A part of a passage as a source."""
    words = without_planted_text(passage.text[start:end])
    return citation_of(passage, n, tidied(words) if passage.chunk_id in changed else words)

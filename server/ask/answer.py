"""The answer with no language model: the best passages' own sentences. It cannot invent anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from server.ask.expect import Kind
from server.records import Candidate, Citation, Passage
from server.sentences import sentences

NOT_FOUND = "I could not find this on the university's pages. These pages come closest."

# A further sentence is quoted when it is nearly as good as the best; at most so many are.
NEARLY, MAX_SENTENCES = 0.8, 3


@dataclass(frozen=True, slots=True)
class Weights:
    """What each measure of a sentence counts; fitted by scripts/fit_answer.py.

    Its cosine to the question is not among them: on SQuAD it moved the share of first sentences that hold the
    answer from .705 to .713, for nine tenths of the time an answer took.
    """

    words: float
    heading: float
    passage: float
    kind: float


@dataclass(frozen=True, slots=True)
class EvidenceModel:
    """A logistic function of two measures; fitted by scripts/fit_answer.py.

    It tells what the site does not speak of (AUROC .98) and hardly what it speaks of without saying (.57 on
    SQuAD 2.0's questions beside the point); nothing this shallow does.
    """

    bias: float
    cosine: float
    words: float

    def __call__(self, cosine: float, words: float) -> float:
        """How likely it is that the site answers the question, 0 to 1."""
        return 1 / (1 + math.exp(-(self.bias + self.cosine * cosine + self.words * words)))


WEIGHTS = Weights(words=1.0, heading=0.3, passage=0.75, kind=0.2)
WITH_MEANING = EvidenceModel(bias=-5.4, cosine=8.6, words=1.8)
WORDS_ALONE = EvidenceModel(bias=-3.0, cosine=0.0, words=4.6)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A sentence of a passage, and what speaks for it.

    `words`: the share (0 to 1) of the question's words, weighted by rarity, that stand in it; `heading`: of
    those that stand only in the title and headings above it. `share`: its passage's score as a share of the
    best. `fits`: it looks like an answer of a kind that was asked for (true when any will do).
    """

    passage: Passage
    start: int
    end: int
    words: float
    heading: float
    share: float
    fits: bool

    @property
    def text(self) -> str:
        """The sentence, as the page has it."""
        return self.passage.text[self.start : self.end]

    def score(self, weights: Weights) -> float:
        """All that speaks for it, in one number."""
        return (
            weights.words * self.words
            + weights.heading * self.heading
            + weights.passage * self.share
            + weights.kind * self.fits
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer not yet accepted. `evidence` (0 to 1) is how sure it is that the site says this."""

    sentences: tuple[str, ...]
    citations: tuple[Citation, ...]
    evidence: float
    notes: Mapping[str, object]

    @property
    def text(self) -> str:
        """The sentences, each followed by the number of its source."""
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the answerer is given of the question: its weighted words, the kinds it asks for, a stemmer."""

    word_weights: Mapping[str, float]
    kinds: tuple[Kind, ...]
    stems: Callable[[Sequence[str]], list[set[str]]]

    def coverage(self, words: set[str]) -> float:
        """The share of the question's words, by weight, that are among `words`."""
        total = sum(self.word_weights.values())
        found = sum(weight for word, weight in self.word_weights.items() if word in words)
        return found / total if total else 0.0


def extract_answer(candidates: Sequence[Candidate], reading: Reading) -> Draft:
    """One to three sentences of the candidates, best first, with their citations."""
    quoted = score_sentences(candidates, reading)
    if not quoted:
        return Draft((), (), 0.0, {"evidence": 0.0})
    measures = evidence_measures(candidates, reading)
    model = WITH_MEANING if any(c.semantic_score is not None for c in candidates) else WORDS_ALONE
    evidence = model(**measures)
    texts, citations = _cite(_choose(quoted))
    notes = {"evidence": evidence, **measures}
    return Draft(texts, citations, evidence, {name: round(value, 4) for name, value in notes.items()})


def score_sentences(candidates: Sequence[Candidate], reading: Reading) -> list[Quoted]:
    """Every sentence of the candidates, best first."""
    best = max((candidate.score for candidate in candidates), default=0.0) or 1.0
    quoted = [quote for c in candidates for quote in _sentences_of(c.passage, c.score / best, reading)]
    return sorted(quoted, key=_score, reverse=True)


def evidence_measures(candidates: Sequence[Candidate], reading: Reading) -> dict[str, float]:
    """What an `EvidenceModel` goes by: the best cosine and the best coverage of a passage."""
    texts = [f"{c.passage.title} {c.passage.heading} {c.passage.text}" for c in candidates]
    return {
        "cosine": max((c.semantic_score for c in candidates if c.semantic_score is not None), default=0.0),
        "words": max(map(reading.coverage, reading.stems(texts))),
    }


def _score(quote: Quoted) -> float:
    return quote.score(WEIGHTS)


def _sentences_of(passage: Passage, share: float, reading: Reading) -> list[Quoted]:
    spans = sentences(passage.text)
    above, *inside = reading.stems(
        [f"{passage.title} {passage.heading}", *(passage.text[start:end] for start, end in spans)]
    )
    quoted = []
    for (start, end), own in zip(spans, inside, strict=True):
        words = reading.coverage(own)
        fits = not reading.kinds or any(kind.looks.search(passage.text, start, end) for kind in reading.kinds)
        quoted.append(Quoted(passage, start, end, words, reading.coverage(own | above) - words, share, fits))
    return quoted


def _choose(quoted: Sequence[Quoted]) -> list[Quoted]:
    """The best sentence, and those nearly as good that say something else; of one passage in its order."""
    chosen: list[Quoted] = []
    for quote in quoted:
        if len(chosen) == MAX_SENTENCES or (chosen and _score(quote) < NEARLY * _score(chosen[0])):
            break
        if all(quote.text.casefold() != other.text.casefold() for other in chosen):
            chosen.append(quote)
    order = {id_: i for i, id_ in enumerate(dict.fromkeys(quote.passage.chunk_id for quote in chosen))}
    return sorted(chosen, key=lambda quote: (order[quote.passage.chunk_id], quote.start))


def _cite(chosen: Sequence[Quoted]) -> tuple[tuple[str, ...], tuple[Citation, ...]]:
    """The sentences with their source's number, and one citation a passage."""
    by_passage: dict[int, list[Quoted]] = {}
    for quote in chosen:
        by_passage.setdefault(quote.passage.chunk_id, []).append(quote)
    texts: list[str] = []
    citations = []
    for n, quotes in enumerate(by_passage.values(), 1):
        texts += [f"{quote.text} [{n}]" for quote in quotes]
        citations.append(_citation(n, quotes))
    return tuple(texts), tuple(citations)


def _citation(n: int, quotes: Sequence[Quoted]) -> Citation:
    """The passage behind the sentences; its quote runs from the first of them to the last."""
    passage = quotes[0].passage
    return Citation(
        n=n,
        url=passage.url,
        title=passage.title,
        heading=passage.heading,
        quote=passage.text[quotes[0].start : quotes[-1].end],
        last_modified=passage.last_modified,
        fetched_at=passage.fetched_at,
    )

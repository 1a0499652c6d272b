"""How likely an answer is right, by what was measured on the way to it: one calibrated number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.ask.grounding.evidence import EvidenceModel, blank_planted, log_odds, logistic
from server.ask.quoting.score import QuestionFeatures, ScoredSentence
from server.models import Candidate

# So many passages are held against the first one.
RIVALS = 5
# What news of long ago loses of its log-odds, an event that is over and what the site has put away, as a
# passage and, the event, as an answer, too. Chosen: a story on new prices reads like the answer for ever.
STALE = 2.0
# How likely an answer is right; the first whose measures are all known is believed. Fitted to visitors'
# questions by scripts/research/answering/fit_confidence.py, which has the figures.
MODELS = (
    EvidenceModel(-3.16, {"marked": 1.4, "lead": 0.61, "late": 2.97, "late_lead": 8.69, "relevance": 0.36}),
    EvidenceModel(-2.43, {"marked": 1.62, "lead": 1.39, "late": 1.62, "relevance": 0.3}),
    EvidenceModel(-2.1, {"marked": 2.82, "lead": 1.17}),
    EvidenceModel(0.78, {"words": 0.21, "relevance": 0.68}),
    # These two by fit_answer.py: where nothing was read, they tell what the site does not speak of.
    EvidenceModel(-6.02, {"cosine": 8.6, "words": 1.8}),
    EvidenceModel(-3.62, {"words": 4.6}),
)


@dataclass(frozen=True, slots=True)
class ConfidenceFit:
    """How a site's own questions correct the confidence: its log-odds times `scale`, plus `shift`.

    Platt scaling (Platt 1999), as `lodge calibrate` fits it.
    """

    shift: float = 0.0
    scale: float = 1.0

    def corrected(self, confidence: float) -> float:
        """The confidence (0 to 1) by these numbers."""
        if (self.shift, self.scale) == (0.0, 1.0) or not 0.0 < confidence < 1.0:
            return confidence
        return logistic(self.scale * log_odds(confidence) + self.shift)

    def as_shipped(self, confidence: float) -> float:
        """What a corrected one was before."""
        if (self.shift, self.scale) == (0.0, 1.0) or not 0.0 < confidence < 1.0:
            return confidence
        return logistic((log_odds(confidence) - self.shift) / self.scale)


# How sure an answer is that tells of an event of then, of which the question says nothing.
OF_LONG_AGO = ConfidenceFit(shift=-STALE)


def evidence_of(measures: Mapping[str, float]) -> float:
    """By the model that knows most of these measures, `words` at least."""
    return next(model for model in MODELS if set(model.weights) <= set(measures))(measures)


def evidence_measures(candidates: Sequence[Candidate], wanted: QuestionFeatures) -> dict[str, float]:
    """What an `EvidenceModel` knows of passages: the best cosine, word coverage, relevance and answer of one.

    `relevance` and `margin` are log-odds, there only where a cross-encoder has read; `cosine` and `late`
    (late interaction) only where one was computed, and so is `late_lead`, by how much the first passage's is
    ahead of those of its rivals (`late_rivals`): a site that does not say it has many that match a little.
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
    if candidates[0].late_score is not None and wanted.late_rivals is not None:
        measures["late_lead"] = candidates[0].late_score - wanted.late_rivals
    return measures


def late_rivals(candidates: Sequence[Candidate]) -> float | None:
    """The mean of the second to sixth best scores by late interaction; None for fewer than six of them."""
    scores = sorted((one.late_score for one in candidates if one.late_score is not None), reverse=True)
    rivals = scores[1 : 1 + RIVALS]
    return sum(rivals) / RIVALS if len(rivals) == RIVALS else None


def answer_measures(quoted: Sequence[ScoredSentence]) -> dict[str, float]:
    """What it knows of the answer, the best of these sentences, where the reader has marked a place anywhere.

    `marked` (0 to 1): how sure the reader is of passage and place, as their geometric mean; `lead` (0 to 1):
    by which share of the best passage's score the next one is behind. Where a passage speaks of other days
    alone, its best line is no answer, however sure the reader is.
    """
    if not any(quote.marked for quote in quoted):
        return {}
    best = quoted[0]
    own = {best.passage.chunk_id}
    if best.day > 0:  # the reader knows no calendar: it may have marked another day's row
        own |= {quote.passage.chunk_id for quote in quoted if quote.passage.url == best.passage.url}
        marked = max(quote.marked for quote in quoted if quote.passage.chunk_id in own)
    else:
        beside = [quote.day for quote in quoted if quote.passage.chunk_id in own]
        is_of_others = best.day < 0 and max(beside) <= 0
        marked = 0.0 if is_of_others else best.marked
    others = (quote.share for quote in quoted if quote.passage.chunk_id not in own)
    return {"marked": math.sqrt(marked), "lead": max(0.0, 1.0 - max(others, default=0.0))}

"""What became of one question under one strategy: the answer, its verdict, and a score for each metric.

A score is there only where the question brings what it takes to compute it, so that a metric is always the
mean of the scores there are:

- `recall@k`, `precision@4`, `mrr`, `ndcg@10`: questions with gold chunks or gold URLs, save those marked
  unanswerable; where a question has both, the gold chunks, which say more, are what counts;
- `answer@k`: questions with reference answers, save those marked unanswerable;
- `em`, `f1`, `precision`, `recall`, `answer_contains`: answerable questions with reference answers; a
  refusal counts 0;
- `answered`, `seems`, `wrongly_refused`: shares of the answerable questions; they add up to 1;
- `rightly_refused`, `seems_unanswerable`, `wrongly_answered`: shares of the unanswerable ones; likewise.

`answerable: null` is neither answerable nor unanswerable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from server.evaluate.questions import EvalQuestion, answer_scores, is_right
from server.evaluate.retrieval_metrics import (
    Matches,
    match_chunks,
    match_pages,
    passage_scores,
    retrieval_scores,
)
from server.models import Answer, Final, Hit, Passage, RefusalReason, Tier, Trace
from server.models.exchange import evidence_of
from server.sentences import without_marks

# So many of the best passages are kept with an outcome.
KEPT_PASSAGES = 10
# The steps that rank passages, by how their names begin.
BEFORE_RERANKING = ("retrieve", "boost")
RANKING_STEPS = (*BEFORE_RERANKING, "rerank")
# What each tier is called in the metrics, of a question that has an answer and of one that has none.
TIERS: Mapping[Tier, str] = {"answer": "answered", "seems": "seems", "refusal": "wrongly_refused"}
TIERS_OF_UNANSWERABLE: Mapping[Tier, str] = {
    "answer": "wrongly_answered",
    "seems": "seems_unanswerable",
    "refusal": "rightly_refused",
}

Judgement = Literal[
    "right", "wrong", "seems", "rightly_refused", "wrongly_refused", "wrongly_answered", "unjudged"
]


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage in its place; `gold`: it is one of those that the question names as right."""

    chunk_id: int
    score: float
    gold: bool


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """One question asked once.

    `verdict` is "right" when the answer holds what a right one must (questions.py), "seems" when passages
    were shown as what seems to answer, and "unjudged" when the question does not say what would be.
    `gold_rank` counts passages from 1; None: no gold was ranked, or none is named. `evidence` is the answer
    step's; None: it noted none. `passages` are the best ones as retrieval left them.
    """

    question: EvalQuestion
    answer: str
    refused: bool
    verdict: Judgement
    gold_rank: int | None
    evidence: float | None
    scores: Mapping[str, float]
    latency_ms: Mapping[str, float]
    refusal_reason: RefusalReason | None = None
    passages: tuple[RankedPassage, ...] = ()

    @property
    def right(self) -> bool | None:
        """Whether what was answered is right; None where nothing was, or where that cannot be judged."""
        return {"right": True, "wrong": False, "wrongly_answered": False}.get(self.verdict)


def outcome_of(question: EvalQuestion, final: Final) -> QuestionOutcome:
    """Judge one finished flow by what the question knows of its right answer."""
    answer = final.answer
    matches = match_gold(question, ranked_passages(final.trace))
    return QuestionOutcome(
        question=question,
        answer=answer.answer,
        refused=answer.refused,
        verdict=_verdict(question, answer),
        gold_rank=matches.first_rank if matches else None,
        evidence=_evidence(final.trace),
        scores=_scores(question, final, matches),
        latency_ms=_latency(final),
        refusal_reason=answer.refusal_reason,
        passages=_kept(final.trace, matches),
    )


def last_ranking(trace: Trace, steps: tuple[str, ...] = RANKING_STEPS) -> tuple[Hit, ...]:
    """The ranking as retrieval left it: that of the last of these steps, by how their names begin."""
    for step in reversed(trace.steps):
        if step.step.startswith(steps) and step.ranking:
            return step.ranking
    return ()


def ranked_passages(trace: Trace) -> tuple[Passage, ...]:
    """The passages of the last ranking, best first."""
    return tuple(trace.passages[hit.chunk_id] for hit in last_ranking(trace))


def match_gold(question: EvalQuestion, passages: Sequence[Passage]) -> Matches | None:
    """Which golds the ranked passages hold; None where the question names none."""
    if question.gold_chunks:
        return match_chunks(passages, question.gold_chunks)
    if question.gold_urls:
        return match_pages([passage.url for passage in passages], question.gold_urls)
    return None


def _kept(trace: Trace, matches: Matches | None) -> tuple[RankedPassage, ...]:
    best = last_ranking(trace)[:KEPT_PASSAGES]
    gold = [bool(golds) for golds in matches.held[: len(best)]] if matches else [False] * len(best)
    return tuple(RankedPassage(hit.chunk_id, hit.score, held) for hit, held in zip(best, gold, strict=True))


def _scores(question: EvalQuestion, final: Final, matches: Matches | None) -> dict[str, float]:
    scores: dict[str, float] = {}
    if matches and question.answerable is not False:
        scores |= retrieval_scores(matches)
    if question.answers and question.answerable is not False:
        texts = [passage.text for passage in ranked_passages(final.trace)]
        scores |= passage_scores(texts, question.answers)
    if question.answers and question.answerable:
        given = answer_scores(without_marks(final.answer.answer), question.answers)
        scores |= dict.fromkeys(given, 0.0) if final.answer.refused else given
    return scores | _tier_scores(question.answerable, final.answer.tier)


def _tier_scores(answerable: bool | None, tier: Tier) -> dict[str, float]:
    if answerable is None:
        return {}
    names = TIERS if answerable else TIERS_OF_UNANSWERABLE
    return {name: float(one == tier) for one, name in names.items()}


def _verdict(question: EvalQuestion, answer: Answer) -> Judgement:
    if question.answerable is None:
        return "unjudged"
    if answer.tier == "seems":
        return "seems"
    if not question.answerable:
        return "rightly_refused" if answer.refused else "wrongly_answered"
    if answer.refused:
        return "wrongly_refused"
    right = is_right(answer.answer, question)
    if right is None:
        return "unjudged"
    return "right" if right else "wrong"


def _evidence(trace: Trace) -> float | None:
    """How sure the flow was that its passages answer the part of the question that it was least sure of; the
    scale is the flow's own."""
    noted = evidence_of((step.step, step.notes) for step in trace.steps)
    return min((one.value for one in noted), default=None)


def _latency(final: Final) -> dict[str, float]:
    """Milliseconds of each step of the trace, and `total` where the answer tells it."""
    latency: dict[str, float] = {}
    for step in final.trace.steps:
        latency[step.step] = latency.get(step.step, 0.0) + step.ms
    if "total" in final.answer.timings_ms:
        latency["total"] = final.answer.timings_ms["total"]
    return latency

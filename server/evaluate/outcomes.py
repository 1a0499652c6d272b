"""What became of one question under one strategy: the answer, its verdict, and a score for each metric.

A score is there only where the question brings what it takes to compute it, so that a metric is always the
mean of the scores there are:

- `recall@k`, `precision@4`, `mrr`, `ndcg@10`: questions with gold URLs, save those marked unanswerable;
- `answer@k`: questions with reference answers, save those marked unanswerable;
- `em`, `f1`, `precision`, `recall`, `answer_contains`: answerable questions with reference answers; a
  refusal counts 0;
- `answered`, `wrongly_refused`: shares of the answerable questions; they add up to 1;
- `rightly_refused`, `wrongly_answered`: shares of the unanswerable questions; they add up to 1.

`answerable: null` is neither answerable nor unanswerable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from server.evaluate.answer_metrics import answer_scores, contains_any, without_marks
from server.evaluate.questions import EvalQuestion
from server.evaluate.retrieval_metrics import gold_rank, passage_scores, retrieval_scores
from server.records import Final, Passage, Trace

Judgement = Literal["right", "wrong", "rightly_refused", "wrongly_refused", "wrongly_answered", "unjudged"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question asked once.

    `verdict` is "right" when the answer contains a reference answer, and "unjudged" when the question does
    not say what would be. `gold_rank` counts passages from 1; None: no gold page was ranked, or none is
    named. `evidence` is the answer step's; None: it noted none.
    """

    question: EvalQuestion
    answer: str
    refused: bool
    verdict: Judgement
    gold_rank: int | None
    evidence: float | None
    scores: Mapping[str, float]
    latency_ms: Mapping[str, float]


def outcome_of(question: EvalQuestion, final: Final) -> Outcome:
    """Judge one finished flow by what the question knows of its right answer."""
    answer = final.answer
    return Outcome(
        question=question,
        answer=answer.answer,
        refused=answer.refused,
        verdict=_verdict(question, answer.answer, answer.refused),
        gold_rank=gold_rank([passage.url for passage in ranked_passages(final.trace)], question.gold_urls),
        evidence=_evidence(final.trace),
        scores=_scores(question, final),
        latency_ms=_latency(final),
    )


def ranked_passages(trace: Trace) -> tuple[Passage, ...]:
    """The passages as retrieval left them: the last ranking of a step named `retrieve…` or `rerank…`."""
    for step in reversed(trace.steps):
        if step.step.startswith(("retrieve", "rerank")) and step.ranking:
            return tuple(trace.passages[hit.chunk_id] for hit in step.ranking)
    return ()


def _scores(question: EvalQuestion, final: Final) -> dict[str, float]:
    passages = ranked_passages(final.trace)
    scores: dict[str, float] = {}
    if question.gold_urls and question.answerable is not False:
        scores |= retrieval_scores([passage.url for passage in passages], question.gold_urls)
    if question.answers and question.answerable is not False:
        scores |= passage_scores([passage.text for passage in passages], question.answers)
    if question.answers and question.answerable:
        given = answer_scores(without_marks(final.answer.answer), question.answers)
        scores |= dict.fromkeys(given, 0.0) if final.answer.refused else given
    return scores | _refusal_scores(question.answerable, final.answer.refused)


def _refusal_scores(answerable: bool | None, refused: bool) -> dict[str, float]:
    if answerable is None:
        return {}
    if answerable:
        return {"answered": float(not refused), "wrongly_refused": float(refused)}
    return {"rightly_refused": float(refused), "wrongly_answered": float(not refused)}


def _verdict(question: EvalQuestion, answer: str, refused: bool) -> Judgement:
    if question.answerable is None:
        return "unjudged"
    if not question.answerable:
        return "rightly_refused" if refused else "wrongly_answered"
    if refused:
        return "wrongly_refused"
    if not question.answers:
        return "unjudged"
    return "right" if contains_any(without_marks(answer), question.answers) else "wrong"


def _evidence(trace: Trace) -> float | None:
    """How sure the flow was that its passages answer the question; the scale is the flow's own."""
    noted = [step.notes.get("evidence") for step in trace.steps if step.step in ("answer", "evidence")]
    numbers = [float(note) for note in noted if isinstance(note, int | float) and math.isfinite(note)]
    return numbers[-1] if numbers else None


def _latency(final: Final) -> dict[str, float]:
    """Milliseconds of each step of the trace, and `total` where the answer tells it."""
    latency: dict[str, float] = {}
    for step in final.trace.steps:
        latency[step.step] = latency.get(step.step, 0.0) + step.ms
    if "total" in final.answer.timings_ms:
        latency["total"] = final.answer.timings_ms["total"]
    return latency

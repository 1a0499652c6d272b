"""What reranking makes of a question at every depth, from one reading as deep as any of them.

Passages are read in the order of the search, and what is made of one does not depend on how many are read.
So at a smaller depth the first of them are read, as far as the deepest reading came before it was settled,
and they stand in the same order among themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.evaluate.calibrate.first_stage import Objective, first_true, relevant_of
from server.evaluate.outcomes import BEFORE_RERANKING, last_ranking
from server.evaluate.questions import EvalQuestion
from server.models import Trace


@dataclass(frozen=True, slots=True)
class AtDepth:
    """`rank` of the first relevant passage, from 1, and how many passages were `read` for it."""

    rank: int | None
    read: int


def at_depths(
    question: EvalQuestion, trace: Trace, depths: Sequence[int], objective: Objective
) -> list[AtDepth]:
    """One entry a depth, from the trace of the question asked with the deepest."""
    return [_at_depth(question, trace, depth, objective) for depth in depths]


def ranking_at(trace: Trace, depth: int) -> list[int]:
    """The chunk ids as reranking at this depth would have ranked them."""
    before = [hit.chunk_id for hit in last_ranking(trace, BEFORE_RERANKING)]
    place = {hit.chunk_id: place for place, hit in enumerate(last_ranking(trace, ("rerank",)))}
    read = min(depth, read_of(trace))
    return [*sorted(before[:read], key=lambda chunk_id: place[chunk_id]), *before[read:]]


def read_of(trace: Trace) -> int:
    """How many passages were read; the rerank step notes it."""
    return next((int(step.notes["read"]) for step in trace.steps if step.step == "rerank"), 0)


def _at_depth(question: EvalQuestion, trace: Trace, depth: int, objective: Objective) -> AtDepth:
    passages = [trace.passages[chunk_id] for chunk_id in ranking_at(trace, depth)]
    return AtDepth(first_true(relevant_of(question, passages, objective)), min(depth, read_of(trace)))

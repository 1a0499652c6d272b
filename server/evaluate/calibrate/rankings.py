"""What the searches and the reading brought for a question, so that other settings are tried without asking.

Both fusions are linear in the α they are given: a candidate's score lies on the line through its scores at
two of them. So two asks tell every other. The α that a question is given may not be the one that is set: one
of names leans on the words (`ask/rewrite.py`), and the trace tells how far. One reading as deep as any tells
every smaller depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from server.errors import LodgeError
from server.evaluate.outcomes import BEFORE_RERANKING, last_ranking, match_gold
from server.evaluate.questions import EvalQuestion, contains_any
from server.evaluate.significance import Bools, Floats
from server.models import Passage, Trace

Objective = Literal["mrr", "answer@5"]
GivenAlpha = Callable[[str, float], float]
"""From a question, as it is searched, and the α that is set to the α it is given."""

ANSWER_DEPTH = 5
CHECKED_RANKS = 10
_CLOSE = 1e-6


@dataclass(frozen=True, slots=True)
class FirstStage:
    """One question's candidates at two values of α; all arrays have one entry a candidate.

    `text` is the question as it was searched; `relevant` says which passages are right by the objective.
    """

    text: str
    chunk_ids: npt.NDArray[np.int_]
    alphas: tuple[float, float]
    scores: tuple[Floats, Floats]
    relevant: Bools

    def at(self, alpha: float) -> Floats:
        """The scores with this α given."""
        (low, high), (first, second) = self.alphas, self.scores
        return first if low == high else first + (second - first) * ((alpha - low) / (high - low))

    def order(self, alpha: float) -> npt.NDArray[np.int_]:
        """The candidates' places, best first; equals by chunk id, as the fusion has it."""
        return np.lexsort((self.chunk_ids, -self.at(alpha)))

    def first_rank(self, alpha: float) -> int | None:
        """The rank, from 1, of the first relevant candidate."""
        return first_true(self.relevant[self.order(alpha)])


def objective_of(questions: Sequence[EvalQuestion]) -> tuple[Objective, list[EvalQuestion]]:
    """What rankings are judged by, and the questions that can: MRR by gold, or else the answer's string."""
    asked = [question for question in questions if question.answerable is not False]
    with_gold = [question for question in asked if question.gold_urls or question.gold_chunks]
    if with_gold:
        return "mrr", with_gold
    return "answer@5", [question for question in asked if question.answers]


def objective_score(objective: Objective, rank: int | None) -> float:
    """The score of a ranking whose first relevant passage has this rank."""
    if rank is None:
        return 0.0
    return 1 / rank if objective == "mrr" else float(rank <= ANSWER_DEPTH)


def gather(question: EvalQuestion, objective: Objective, zero: Trace, one: Trace) -> FirstStage:
    """From the traces of the question asked with α = 0 and with α = 1."""
    hits = last_ranking(zero, BEFORE_RERANKING)
    others = {hit.chunk_id: hit.score for hit in last_ranking(one, BEFORE_RERANKING)}
    return FirstStage(
        text=searched_text(zero),
        chunk_ids=np.array([hit.chunk_id for hit in hits], dtype=int),
        alphas=(noted_alpha(zero, 0.0), noted_alpha(one, 1.0)),
        scores=(
            np.array([hit.score for hit in hits]),
            np.array([others.get(hit.chunk_id, np.nan) for hit in hits]),
        ),
        relevant=relevant_of(question, [zero.passages[hit.chunk_id] for hit in hits], objective),
    )


def require_foretold(first: FirstStage, alpha: float, trace: Trace) -> None:
    """`LodgeError` unless the flow gave this α, and its best candidates the scores that are foretold."""
    foretold = dict(zip(first.chunk_ids.tolist(), first.at(alpha).tolist(), strict=True))
    best = last_ranking(trace, BEFORE_RERANKING)[:CHECKED_RANKS]
    near = [abs(hit.score - foretold.get(hit.chunk_id, np.nan)) < _CLOSE for hit in best]
    if not all(near) or abs(noted_alpha(trace, alpha) - alpha) > _CLOSE:
        raise LodgeError("α cannot be calibrated: the flow's ranking is not linear in it.")


def noted_alpha(trace: Trace, default: float) -> float:
    """The α that the fusion noted."""
    noted = [step.notes.get("alpha") for step in trace.steps if step.step == "retrieve"]
    return float(noted[-1]) if noted and noted[-1] is not None else default


def searched_text(trace: Trace) -> str:
    """The question as it was rewritten for the search."""
    noted = [step.notes.get("question") for step in trace.steps if step.step == "rewrite"]
    return str(noted[-1]) if noted and noted[-1] else trace.question


def relevant_of(question: EvalQuestion, passages: Sequence[Passage], objective: Objective) -> Bools:
    """Which passages are right."""
    if objective == "mrr":
        matches = match_gold(question, passages)
        return np.array([bool(golds) for golds in matches.held] if matches else [], dtype=bool)
    return np.array([contains_any(one.text, question.answers) for one in passages], dtype=bool)


def first_true(values: Bools) -> int | None:
    """The place, from 1, of the first true one."""
    places = np.flatnonzero(values)
    return int(places[0]) + 1 if places.size else None


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

"""What the searches brought for a question, so that any α can be tried without asking again.

Both fusions are linear in α: a candidate's score is (1 − α) times its score at α = 0 plus α times that at
α = 1. So two asks tell every other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from server.errors import LodgeError
from server.evaluate.answer_metrics import contains_any
from server.evaluate.asking import Asker, ask_once
from server.evaluate.outcomes import last_ranking, match_gold
from server.evaluate.questions import EvalQuestion
from server.evaluate.significance import Bools, Floats
from server.records import Candidate, Passage, Trace

Objective = Literal["mrr", "answer@5"]
ANSWER_DEPTH = 5
_CLOSE = 1e-6


@dataclass(frozen=True, slots=True)
class FirstStage:
    """One question's candidates; all arrays have one entry a candidate.

    `text` is the question as it was searched; `relevant` says which passages are right by the objective.
    """

    snapshot: str
    text: str
    passages: tuple[Passage, ...]
    at_zero: Floats
    at_one: Floats
    relevant: Bools

    def scores(self, alpha: float) -> Floats:
        """The fused scores."""
        return (1 - alpha) * self.at_zero + alpha * self.at_one

    def order(self, alpha: float) -> npt.NDArray[np.int_]:
        """The candidates' numbers, best first; equals by chunk id, as the fusion has it."""
        ids = np.array([passage.chunk_id for passage in self.passages])
        return np.lexsort((ids, -self.scores(alpha)))

    def first_rank(self, alpha: float) -> int | None:
        """The rank, from 1, of the first relevant candidate."""
        return first_true(self.relevant[self.order(alpha)])

    def candidates(self, alpha: float) -> list[Candidate]:
        """The candidates as reranking is given them."""
        scores = self.scores(alpha)
        return [Candidate(self.passages[i], float(scores[i])) for i in self.order(alpha)]


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


def gather(
    question: EvalQuestion, strategy: str, objective: Objective, at_zero: Asker, at_one: Asker
) -> FirstStage:
    """Ask with α = 0 and α = 1; where α does not matter, the two askers may be the same one."""
    zero = ask_once(at_zero, question.question, strategy, question.history).trace
    one = zero if at_one is at_zero else ask_once(at_one, question.question, strategy, question.history).trace
    ids = [hit.chunk_id for hit in last_ranking(zero)]
    passages = tuple(zero.passages[id_] for id_ in ids)
    scores_one = {hit.chunk_id: hit.score for hit in last_ranking(one)}
    return FirstStage(
        snapshot=zero.snapshot,
        text=searched_text(zero),
        passages=passages,
        at_zero=np.array([hit.score for hit in last_ranking(zero)]),
        at_one=np.array([scores_one.get(id_, np.nan) for id_ in ids]),
        relevant=_relevant(question, passages, objective),
    )


def require_linear(first: FirstStage, alpha: float, trace: Trace) -> None:
    """`LodgeError` unless the flow, asked with this α, gave the scores that are foretold here."""
    given = {hit.chunk_id: hit.score for hit in last_ranking(trace)}
    foretold = dict(zip((one.chunk_id for one in first.passages), first.scores(alpha).tolist(), strict=True))
    if given.keys() != foretold.keys() or any(not abs(given[id_] - foretold[id_]) < _CLOSE for id_ in given):
        raise LodgeError("α cannot be calibrated: the fusion in use is not linear in it.")


def searched_text(trace: Trace) -> str:
    """The question as it was rewritten for the search."""
    noted = [step.notes.get("question") for step in trace.steps if step.step == "rewrite"]
    return str(noted[-1]) if noted and noted[-1] else trace.question


def first_true(values: Bools) -> int | None:
    """The place, from 1, of the first true one."""
    places = np.flatnonzero(values)
    return int(places[0]) + 1 if places.size else None


def _relevant(question: EvalQuestion, passages: tuple[Passage, ...], objective: Objective) -> Bools:
    if objective == "mrr":
        matches = match_gold(question, passages)
        return np.array([bool(golds) for golds in matches.held] if matches else [], dtype=bool)
    return np.array([contains_any(one.text, question.answers) for one in passages], dtype=bool)

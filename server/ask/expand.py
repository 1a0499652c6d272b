"""Query expansion: what else is searched for than the question as it stands.

Multi-query, as Carnegie Mellon's assistant has it: other wordings of the question are searched beside it, the
passages of all are one list without doubles, and a cross-encoder reads the best of it for the question
itself. A language model writes the wordings; without one they come from synonyms, link texts and the
visitor's words where an editor's stand for them.

HyDE (Gao et al. 2022), as Princeton's has it: the model makes an answer up, and the search by meaning looks
for passages that are like it; of several the mean is taken. Without a model the question itself is looked
for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from server.ask.context import AskContext
from server.ask.ports import SearchLlm, Vector
from server.ask.trace import OpenStep
from server.errors import LlmUnavailableError, LodgeError

EXPANDING = frozenset({"hyde", "multiquery"})


@dataclass(frozen=True, slots=True)
class ExpandedQuestion:
    """What a question is searched with beside itself; `vector` is looked for in the place of its own."""

    wordings: tuple[str, ...] = ()
    vector: Vector | None = None

    def __bool__(self) -> bool:
        return bool(self.wordings) or self.vector is not None


def expand(question: str, ask: AskContext, step: OpenStep) -> ExpandedQuestion:
    """What the strategy's steps ask for; where the model is away, what can be had without it."""
    strategy, notes = ask.config.strategy, dict[str, Any]()
    wordings: tuple[str, ...] = ()
    vector: Vector | None = None
    if "multiquery" in strategy.steps:
        wordings, notes = _wordings(question, ask)
    if "hyde" in strategy.steps and strategy.search != "keyword":
        vector, made_up = _made_up(question, ask)
        notes |= made_up
    step.notes = notes
    return ExpandedQuestion(wordings, vector)


def _wordings(question: str, ask: AskContext) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Other wordings by the model, else by rules, and who made them, for the trace."""
    most, llm, notes = ask.config.expand.wordings, ask.models.search_llm, dict[str, Any]()
    found: Sequence[str] = ()
    if llm is not None:
        found, notes = _by_model(llm, question, most)
    by = "model" if found else "rules"
    found = found or ask.index.wordings.of(question, most, ask.said)
    return tuple(found), {"by": by, "wordings": list(found), **notes}


def _made_up(question: str, ask: AskContext) -> tuple[Vector | None, dict[str, Any]]:
    """The mean direction of hypothetical answers, shape (dims,), and the answers, for the trace."""
    llm = ask.models.search_llm
    if llm is None:
        return None, {"answers": [], "no_answers": "no_model"}
    try:
        answers = llm.hypothetical_answers(question, ask.config.expand.answers)
    except LodgeError as error:
        return None, {"answers": [], "no_answers": trouble_of(error)}
    if not answers:
        return None, {"answers": [], "no_answers": "nothing"}
    mean = ask.models.embedder.embed_passages(answers).mean(axis=0)
    unit: Vector = (mean / np.linalg.norm(mean)).astype(np.float32)
    return unit, {"answers": list(answers)}


def _by_model(llm: SearchLlm, question: str, most: int) -> tuple[Sequence[str], dict[str, Any]]:
    try:
        return llm.paraphrases(question, most), {}
    except LodgeError as error:
        return (), {"trouble": trouble_of(error)}


def trouble_of(error: LodgeError) -> str:
    """Why a model did not help, for the trace."""
    return error.trouble if isinstance(error, LlmUnavailableError) else error.code

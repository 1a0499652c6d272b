"""Query expansion: what else is searched for than the question as it stands.

Multi-query, as Carnegie Mellon's assistant has it: other wordings of the question are searched beside it, the
passages of all are one list without doubles, and a cross-encoder reads the best of it for the question
itself. A language model writes the wordings; without one they come from synonyms, link texts and the
visitor's words where an editor's stand for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from server.ask.context import AskContext
from server.ask.ports import SearchLlm
from server.ask.trace import OpenStep
from server.errors import LlmUnavailableError, LodgeError

EXPANDING = frozenset({"multiquery"})


@dataclass(frozen=True, slots=True)
class ExpandedQuestion:
    """What a question is searched with beside itself."""

    wordings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.wordings)


def expand(question: str, ask: AskContext, step: OpenStep) -> ExpandedQuestion:
    """What the strategy's steps ask for; where the model is away, what can be had without it."""
    wordings, notes = _wordings(question, ask)
    step.notes = notes
    return ExpandedQuestion(wordings)


def _wordings(question: str, ask: AskContext) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Other wordings by the model, else by rules, and who made them, for the trace."""
    most, llm, notes = ask.config.expand.wordings, ask.models.search_llm, dict[str, Any]()
    found: Sequence[str] = ()
    if llm is not None:
        found, notes = _by_model(llm, question, most)
    by = "model" if found else "rules"
    found = found or ask.index.wordings.of(question, most, ask.said)
    return tuple(found), {"by": by, "wordings": list(found), **notes}


def _by_model(llm: SearchLlm, question: str, most: int) -> tuple[Sequence[str], dict[str, Any]]:
    try:
        return llm.paraphrases(question, most), {}
    except LodgeError as error:
        return (), {"trouble": trouble_of(error)}


def trouble_of(error: LodgeError) -> str:
    """Why a model did not help, for the trace."""
    return error.trouble if isinstance(error, LlmUnavailableError) else error.code

"""Chat modes: what is retrieved with, and what the answerer is shown (docs/conversation.md)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from server.errors import BadInputError, NotReadyError


class Mode(StrEnum):
    """What is retrieved with, and what the answerer is shown."""

    SIMPLE = "simple"
    CONTEXT = "context"
    CONDENSE_QUESTION = "condense_question"
    CONDENSE_PLUS_CONTEXT = "condense_plus_context"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a mode means.

    `retrieves`: from the site's pages; else the model answers from memory alone (closed book). `rewrites`:
    the stand-alone form of the question is retrieved with and answered; else the last turn as it was typed.
    `history_in_prompt`: a language model is also shown the turns before.
    """

    retrieves: bool
    rewrites: bool
    history_in_prompt: bool
    needs_llm: bool = False


PLANS = {
    Mode.SIMPLE: Plan(retrieves=False, rewrites=False, history_in_prompt=True, needs_llm=True),
    Mode.CONTEXT: Plan(retrieves=True, rewrites=False, history_in_prompt=True),
    Mode.CONDENSE_QUESTION: Plan(retrieves=True, rewrites=True, history_in_prompt=False),
    Mode.CONDENSE_PLUS_CONTEXT: Plan(retrieves=True, rewrites=True, history_in_prompt=True),
}
# By measurement (docs/conversation.md): rewriting finds the page of a follow-up far more often than the last
# turn alone. The two that rewrite retrieve alike; the one without the history has the shorter prompt.
DEFAULT_MODE = Mode.CONDENSE_QUESTION


def plan_of(name: str, *, has_llm: bool) -> Plan:
    """The plan of a mode by its name.

    `BadInputError` names the known modes; `NotReadyError`: the mode needs a language model and there is none.
    """
    if name not in set(Mode):
        raise BadInputError(f"There is no mode {name!r}. There are: {', '.join(Mode)}.", code="unknown_mode")
    plan = PLANS[Mode(name)]
    if plan.needs_llm and not has_llm:
        raise NotReadyError(f"The mode {name!r} needs a language model, and none is configured.")
    return plan

"""Head to head by hand over the admin API: the next pair, what one prefers, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from litestar import get, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.workbench.access.auth import EDITORS, Caller
from server.workbench.blind.service import BlindComparisons, Choice, Compared, NextPair
from server.workbench.faults import faults

Run = Annotated[str, QueryParameter(description="A kept run: its name, its beginning, or latest.")]
Strategy = Annotated[str, QueryParameter(description="One of the run's strategies; none: its first.")]
Again = Annotated[str | None, QueryParameter(description="A question judged before, to judge it again.")]


@dataclass(frozen=True, slots=True)
class PreferenceBody:
    """Which of the two answers is better, in the order in which the caller was shown them.

    The two are named as in the address of `next`.
    """

    a: str
    b: str
    choice: Choice
    a_strategy: str = ""
    b_strategy: str = ""


def blind_handlers(blind: BlindComparisons) -> list[HTTPRouteHandler]:
    """`/head-to-head` and what is under it."""

    @get("/head-to-head/next", sync_to_thread=True, guards=EDITORS, responses=faults(404))
    def next_pair(  # noqa: PLR0913, PLR0917  (what the address says)
        request: Caller,
        a: Run,
        b: Run,
        a_strategy: Strategy = "",
        b_strategy: Strategy = "",
        question: Again = None,
    ) -> NextPair:
        """Two answers to one question that the caller has not judged yet, without a word on whose they are.

        Everyone sees them in an order of their own. `pair` is null where none is left.
        """
        sides = Compared(a, a_strategy), Compared(b, b_strategy)
        return blind.next(*sides, by=request.user, question_id=question)

    @put("/head-to-head/{question_id:str}", sync_to_thread=True, guards=EDITORS, responses=faults(404))
    def prefer(request: Caller, question_id: FromPath[str], data: JSONBody[PreferenceBody]) -> PreferenceBody:
        """Keep which answer the caller finds better, in place of what they found before."""
        sides = Compared(data.a, data.a_strategy), Compared(data.b, data.b_strategy)
        blind.prefer(*sides, question_id, data.choice, request.user)
        return data

    @get("/head-to-head", sync_to_thread=True, responses=faults(404))
    def found(a: Run, b: Run, a_strategy: Strategy = "", b_strategy: Strategy = "") -> dict[str, Any]:
        """What was found so far: shares with 95 % intervals, who judged how many, and their agreement.

        A question counts for what most of its judges prefer. `cohen` is of each two people, `fleiss` of all
        where there are more than two.
        """
        return blind.found(Compared(a, a_strategy), Compared(b, b_strategy))

    return [next_pair, prefer, found]

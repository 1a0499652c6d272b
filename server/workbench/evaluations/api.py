"""What `lodge eval` has kept, over the admin API: runs with their metrics, and two of them side by side."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, QueryParameter

from server.workbench.evaluations.service import KeptEvaluations
from server.workbench.faults import faults

Limit = Annotated[int, QueryParameter(ge=1, le=200, description="At most this many, the newest.")]
Before = Annotated[str, QueryParameter(description="The earlier run: its name, its beginning, or latest.")]
After = Annotated[str, QueryParameter(description="The later run, named likewise.")]


def evaluation_handlers(evaluations: KeptEvaluations) -> list[HTTPRouteHandler]:
    """`/evaluations` and what is under it."""

    @get("/evaluations", sync_to_thread=True)
    def all_evaluations(limit: Limit = 50) -> dict[str, Any]:
        """The runs that `lodge eval` has kept, newest first, with each strategy's metrics."""
        return {"evaluations": evaluations.entries(limit)}

    @get("/evaluations/compare", sync_to_thread=True, responses=faults(404))
    def compare_evaluations(before: Before, after: After) -> dict[str, Any]:
        """What changed from one run to another, as `lodge eval compare --json` tells it.

        Each metric has its difference, the interval of a paired bootstrap over the shared questions, and a
        verdict; `changes` are the questions that came out differently, worse ones first.
        """
        return evaluations.compare(before, after)

    @get("/evaluations/{name:str}", sync_to_thread=True)
    def one_evaluation(name: FromPath[str]) -> dict[str, Any]:
        """One run: the JSON that `lodge eval` printed, and what it was made with."""
        return evaluations.one(name)

    return [all_evaluations, compare_evaluations, one_evaluation]

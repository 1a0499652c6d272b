"""A golden question made of a trace, over the admin API: a wrong answer today, a regression test tomorrow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from server.errors import BadInputError
from server.http.protocols import AdminRecords
from server.workbench.access.auth import Caller, requires
from server.workbench.faults import faults
from server.workbench.golden.api import GoldenRecords, GoldenView, view
from server.workbench.golden.from_trace import golden_of

NO_ANSWER = (
    "Say what the right answer is: a page that should answer, words that it must hold, or that it must be "
    "refused."
)


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """What the right answer would have been: a `page` or `pages`, words, or a refusal; one at least."""

    page: str | None = None
    pages: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    refuse: bool = False


@dataclass(frozen=True, slots=True)
class MadeOfTrace:
    """The golden questions that were made of a trace, and the question that one would ask."""

    golden: list[GoldenView]
    question: str


def golden_trace_handlers(records: AdminRecords, golden: GoldenRecords) -> list[HTTPRouteHandler]:
    """`/traces/{id}/golden`."""

    @get("/traces/{trace_id:str}/golden", sync_to_thread=True, responses=faults(401, 404))
    def golden_of_trace(trace_id: FromPath[str]) -> MadeOfTrace:
        """Those that were made of this trace, and the question as it would be kept."""
        offered = golden_of(records.trace(trace_id))
        made = golden.golden.all(from_trace=trace_id)
        return MadeOfTrace([view(one) for one in made], offered.question)

    @post(
        "/traces/{trace_id:str}/golden",
        sync_to_thread=True,
        guards=[requires("editor")],
        responses=faults(400, 401, 403, 404),
    )
    def make_golden(request: Caller, trace_id: FromPath[str], data: JSONBody[RightAnswer]) -> GoldenView:
        """Keep the question of this trace as a golden one.

        It is kept as it stands alone, with site and topic, and without what is personal in it. Where the
        trace has one with this right answer already, that is returned.
        """
        pages = (*((data.page,) if data.page else ()), *data.pages)
        if not (pages or data.answers or data.refuse):
            raise BadInputError(NO_ANSWER)
        right = (pages, tuple(data.answers), data.refuse)
        for one in golden.golden.all(from_trace=trace_id):
            if (one.pages, one.answers, one.refuse) == right:
                return view(one)
        asked = golden_of(records.trace(trace_id))
        made = replace(asked, pages=right[0], answers=right[1], refuse=right[2])
        return view(golden.golden.add(made, by=request.user))

    return [golden_of_trace, make_golden]

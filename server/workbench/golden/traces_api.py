"""A golden question made of a trace, over the admin API: a wrong answer today, a regression test tomorrow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from server.errors import BadInputError
from server.storage.conversations import ConversationStore
from server.workbench.access.auth import EDITORS, Caller
from server.workbench.golden.api import GoldenView, view
from server.workbench.golden.of_trace import golden_of
from server.workbench.golden.store import GoldenStore

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


def golden_trace_handlers(conversations: ConversationStore, store: GoldenStore) -> list[HTTPRouteHandler]:
    """`/traces/{id}/golden`."""

    @get("/traces/{trace_id:str}/golden", sync_to_thread=True)
    def golden_of_trace(trace_id: FromPath[str]) -> MadeOfTrace:
        """Those that were made of this trace, and the question as it would be kept."""
        offered = golden_of(conversations.trace(trace_id))
        made = store.all(from_trace=trace_id)
        return MadeOfTrace([view(one) for one in made], offered.question)

    @post("/traces/{trace_id:str}/golden", sync_to_thread=True, guards=EDITORS)
    def make_golden(request: Caller, trace_id: FromPath[str], data: JSONBody[RightAnswer]) -> GoldenView:
        """Keep the question of this trace as a golden one.

        It is kept as it stands alone, with site and topic, and without what is personal in it. Where the
        trace has one with this right answer already, that is returned.
        """
        pages = (*((data.page,) if data.page else ()), *data.pages)
        if not (pages or data.answers or data.refuse):
            raise BadInputError(NO_ANSWER)
        right = (pages, tuple(data.answers), data.refuse)
        for one in store.all(from_trace=trace_id):
            if (one.pages, one.answers, one.refuse) == right:
                return view(one)
        asked = golden_of(conversations.trace(trace_id))
        made = replace(asked, pages=right[0], answers=right[1], refuse=right[2])
        return view(store.add(made, by=request.user))

    return [golden_of_trace, make_golden]

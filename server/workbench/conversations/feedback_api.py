"""The feedback queue over the admin API: what visitors said of answers, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from litestar import get, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.masking import Masker
from server.models import FeedbackFilter, FeedbackState
from server.workbench.access.auth import EDITORS, Caller
from server.workbench.conversations.api import Before, Limit
from server.workbench.conversations.feedback_store import FeedbackStore, QueuedFeedback
from server.workbench.masking import sees_personal_data

OfState = Annotated[
    FeedbackState | None, QueryParameter(name="state", description="Only what is in this state.")
]
Helpful = Annotated[bool | None, QueryParameter(description="Only thumbs up, or only thumbs down.")]
Since = Annotated[str | None, QueryParameter(description="Given on this ISO 8601 day or time, or later.")]
Until = Annotated[
    str | None, QueryParameter(description="Given on this ISO 8601 day or earlier, or before this time.")
]
OfSite = Annotated[str | None, QueryParameter(description="On answers of this site.")]


@dataclass(frozen=True, slots=True)
class FeedbackPage:
    """Feedback with a reason or a comment, and thumbs down, newest first; `states` counts all there is."""

    feedback: list[QueuedFeedback]
    next: str | None
    states: dict[str, int]


@dataclass(frozen=True, slots=True)
class Handling:
    """What became of feedback."""

    state: FeedbackState
    note: str = ""


def feedback_handlers(store: FeedbackStore) -> list[HTTPRouteHandler]:
    """`GET /feedback` and `PUT /feedback/{message_id}`."""

    @get("/feedback", sync_to_thread=True)
    def feedback(  # noqa: PLR0913, PLR0917  (a parameter each)
        request: Caller,
        became: OfState = None,
        helpful: Helpful = None,
        since: Since = None,
        until: Until = None,
        site: OfSite = None,
        limit: Limit = 25,
        before: Before = None,
    ) -> FeedbackPage:
        """What visitors wrote about answers; `next` is the `before` of the page that follows."""
        wanted = FeedbackFilter(became, helpful, since, until, site)
        found = store.queue(limit=limit + 1, before=before, wanted=wanted)
        plain = sees_personal_data(request.auth)
        rows = [row if plain else _masked(row) for row in found[:limit]]
        following = rows[-1].cursor if len(found) > limit else None
        return FeedbackPage(rows, following, store.states())

    @put("/feedback/{message_id:str}", sync_to_thread=True, guards=EDITORS)
    def handle(request: Caller, message_id: FromPath[str], data: JSONBody[Handling]) -> Handling:
        """Note what became of it; it is new again when its visitor says something else."""
        store.handle(message_id, data.state, data.note, by=request.user)
        return data

    return [feedback, handle]


def _masked(row: QueuedFeedback) -> QueuedFeedback:
    """What was said before is not at hand, so whatever looks personal in the answer is masked too."""
    masker = Masker()
    return replace(
        row,
        asked=row.asked and masker.masked(row.asked),
        question=masker.masked(row.question),
        comment=masker.masked(row.comment),
        answer=masker.masked(row.answer),
    )

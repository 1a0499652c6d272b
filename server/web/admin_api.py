"""The admin API, which the console and a partner's scripts speak to: what visitors asked and were told.

What editors write is in `curation_api.py`, the trace of one answer in `traces_api.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from litestar import Request, Router, get
from litestar.datastructures import ResponseHeader
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, QueryParameter

from server.web.auth import bearer, requires
from server.web.curation_api import CurationRecords, curated_handlers, notice_handlers
from server.web.protocols import AdminRecords
from server.web.sites_api import SiteEntries, site_handlers
from server.web.traces_api import Workshop, trace_handlers

Limit = Annotated[int, QueryParameter(ge=1, le=200, description="At most this many rows.")]
Before = Annotated[
    str | None, QueryParameter(description="Rows older than this: an ISO 8601 time, or a row's `cursor`.")
]


@dataclass(frozen=True, slots=True)
class Me:
    """What the caller's token allows."""

    role: str


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation in a list. `messages` and `refused` are counts; times are ISO 8601, UTC."""

    id: str
    site: str
    started_at: str
    last_at: str
    first_question: str | None
    answerer: str | None
    messages: int
    refused: int
    cursor: str


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Conversations, newest first. `next` is the `before` of the page that follows, or null at the end."""

    conversations: list[ConversationRow]
    next: str | None


@dataclass(frozen=True, slots=True)
class FeedbackRow:
    """What the visitor thinks of an answer; `reason` and `comment` may be empty."""

    helpful: bool
    reason: str
    comment: str
    given_at: str


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A question or an answer. `answer` is the contract's JSON; it and all after it are the assistant's."""

    id: str
    role: str
    text: str
    at: str
    refused: bool
    answer: dict[str, Any] | None
    refusal_reason: str | None
    answerer: str | None
    strategy: str | None
    snapshot: str | None
    trace_id: str | None
    total_ms: float | None
    feedback: FeedbackRow | None


@dataclass(frozen=True, slots=True)
class ConversationView:
    """One conversation with its messages, oldest first."""

    id: str
    site: str
    started_at: str
    last_at: str
    messages: list[MessageRow]


class ConsoleRecords(AdminRecords, CurationRecords, Protocol):
    """All that the admin API needs of the records store."""


def admin_router(records: ConsoleRecords, sites: SiteEntries, workshop: Workshop | None = None) -> Router:
    """`/admin/api/v1`, behind bearer tokens; without a workshop nothing is replayed."""
    return Router(
        "/admin/api/v1",
        route_handlers=[
            me,
            *_conversation_handlers(records),
            *trace_handlers(records, workshop),
            *curated_handlers(records),
            *notice_handlers(records),
            *site_handlers(sites),
        ],
        guards=[bearer(records), requires("viewer")],
        security=[{"bearer": []}],
        response_headers=[ResponseHeader(name="Cache-Control", value="no-store")],
        tags=["admin"],
    )


@get("/me", sync_to_thread=False)
def me(request: Request[Any, str, Any]) -> Me:
    """The role of the token that asks."""
    return Me(request.auth)


def _conversation_handlers(records: AdminRecords) -> list[HTTPRouteHandler]:
    @get("/conversations", sync_to_thread=True)
    def conversations(limit: Limit = 50, before: Before = None) -> ConversationPage:
        """The latest conversations, newest first."""
        found = records.conversations(limit=limit + 1, before=before)
        rows = [ConversationRow(**row) for row in found[:limit]]
        return ConversationPage(rows, next=rows[-1].cursor if len(found) > limit else None)

    @get("/conversations/{conversation_id:str}", sync_to_thread=True)
    def conversation(conversation_id: FromPath[str]) -> ConversationView:
        """One conversation, as its visitor saw it."""
        found = records.conversation(conversation_id)
        messages = [MessageRow(**row) for row in found["messages"]]
        return ConversationView(**{**found, "messages": messages})

    return [conversations, conversation]

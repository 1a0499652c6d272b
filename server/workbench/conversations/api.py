"""Conversations over the admin API: found by a filter, read as the visitor saw them, exported.

What is personal in a visitor's words is masked for everyone but developers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, delete, get, put
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, OpenAPIType, Operation, Schema
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.response import Stream

from server.masking import Masker
from server.models import ConversationFilter, HelpShown, Rating
from server.storage.conversations import ConversationStore
from server.workbench.access.auth import DEVELOPERS, EDITORS, Caller
from server.workbench.conversations.retention_store import RetentionStore
from server.workbench.conversations.store import ConversationChoices, ConversationRow, ConversationSearch
from server.workbench.exporting import FORMATS, Rows, export_row, file_of
from server.workbench.faults import faults
from server.workbench.masking import masked_conversation, masked_exchange, masked_trace, sees_personal_data

EXPORTED_AT_ONCE = 200  # conversations

Limit = Annotated[int, QueryParameter(ge=1, le=200, description="At most this many rows.")]
Before = Annotated[
    str | None, QueryParameter(description="Rows older than this: an ISO 8601 time, or a row's `cursor`.")
]
Since = Annotated[str | None, QueryParameter(description="Begun on this ISO 8601 day or time, or later.")]
Until = Annotated[
    str | None, QueryParameter(description="Begun on this ISO 8601 day or earlier, or before this time.")
]
OfSite = Annotated[str | None, QueryParameter(description="Asked on this site.")]
Topic = Annotated[str | None, QueryParameter(description="With a question taken to be about this topic.")]
Refused = Annotated[bool | None, QueryParameter(description="With an answer that is, or is not, a refusal.")]
Degraded = Annotated[
    bool | None, QueryParameter(description="With an answer that stood in for the language model's, or not.")
]
Rated = Annotated[
    Rating | None, QueryParameter(description="With an answer that its visitor rated so, at all, or not.")
]
Answerer = Annotated[
    str | None, QueryParameter(description="With an answer by this: extractive, llm, curated and so on.")
]
Help = Annotated[
    HelpShown | None,
    QueryParameter(description="With a line that got help lines, or that may have called for them."),
]
Text = Annotated[
    str | None,
    QueryParameter(
        max_length=500, description="With these words in a question or answer, whatever the case."
    ),
]
Url = Annotated[
    str | None,
    QueryParameter(max_length=2000, description="With an answer that cites a page whose address begins so."),
]
Format = Annotated[Literal["csv", "jsonl", "parquet"], QueryParameter(description="Of the file.")]


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
class MessageView:
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
class HoldRow:
    """Since when, by whom and why a conversation has to be kept."""

    at: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class ConversationView:
    """One conversation with its messages, oldest first. `hold` is null where it may go."""

    id: str
    site: str
    started_at: str
    last_at: str
    messages: list[MessageView]
    hold: HoldRow | None


@dataclass
class _Export(Operation):
    """Describes the file in each of its formats."""

    def __post_init__(self) -> None:
        sent = (self.responses or {})["200"]
        if isinstance(sent, OpenAPIResponse):
            file = Schema(type=OpenAPIType.STRING)
            sent.content = {media_type: OpenAPIMediaType(schema=file) for _, media_type in FORMATS.values()}


def wanted(  # noqa: PLR0913, PLR0917  (a parameter each)
    since: Since = None,
    until: Until = None,
    site: OfSite = None,
    topic: Topic = None,
    refused: Refused = None,
    degraded: Degraded = None,
    rating: Rated = None,
    answerer: Answerer = None,
    text: Text = None,
    url: Url = None,
    help: Help = None,  # noqa: A002  (the parameter's name in the address)
) -> ConversationFilter:
    """The filter in a request's query; one and the same exchange has to be as all from `topic` on say."""
    return ConversationFilter(since, until, site, topic, refused, degraded, rating, answerer, text, url, help)


def conversation_handlers(search: ConversationSearch, store: ConversationStore) -> list[HTTPRouteHandler]:
    """`/conversations`, what can be chosen there, the export, and one of them."""
    filtered = {"wanted": Provide(wanted, sync_to_thread=False)}

    @get("/conversations", sync_to_thread=True, dependencies=filtered)
    def conversations(
        request: Caller, wanted: NamedDependency[ConversationFilter], limit: Limit = 50, before: Before = None
    ) -> ConversationPage:
        """The latest conversations that the filter finds, newest first."""
        found = search.conversations(limit=limit + 1, before=before, wanted=wanted)
        plain = sees_personal_data(request.auth)
        rows = [row if plain else masked_row(row) for row in found[:limit]]
        return ConversationPage(rows, next=rows[-1].cursor if len(found) > limit else None)

    @get("/conversations/choices", sync_to_thread=True)
    def choices() -> ConversationChoices:
        """The sites, topics and answerers that there are."""
        return search.choices()

    @get("/conversations/export", sync_to_thread=True, dependencies=filtered, operation_class=_Export)
    def export(
        request: Caller,
        wanted: NamedDependency[ConversationFilter],
        format: Format = "csv",  # noqa: A002
    ) -> Stream:
        """Every question and answer of the conversations that the filter finds, newest conversation first."""
        write, media_type = FORMATS[format]
        batches = _batches(search, wanted, plain=sees_personal_data(request.auth))
        # What cannot be looked for is said now; once something is sent, it is too late for a status.
        begun = chain([next(batches, [])], batches)
        headers = {"Content-Disposition": f'attachment; filename="conversations.{format}"'}
        return Stream(write(begun), media_type=media_type, headers=headers)

    @get("/conversations/{conversation_id:str}", sync_to_thread=True)
    def conversation(request: Caller, conversation_id: FromPath[str]) -> ConversationView:
        """One conversation, as its visitor saw it."""
        found = store.conversation(conversation_id)
        if not sees_personal_data(request.auth):
            found = masked_conversation(found)
        return msgspec.convert(found, ConversationView)

    return [conversations, choices, export, conversation]


def masked_row(row: ConversationRow) -> ConversationRow:
    """The same row of a list; it has the first question alone."""
    return replace(row, first_question=row.first_question and Masker().masked(row.first_question))


def _batches(search: ConversationSearch, wanted: ConversationFilter, *, plain: bool) -> Iterator[Rows]:
    """A short transaction each: a long one would keep the write-ahead log from being emptied."""
    before = None
    while found := search.conversations(limit=EXPORTED_AT_ONCE, before=before, wanted=wanted):
        maskers = {row.id: Masker() for row in found}
        exchanges = search.exchanges([row.id for row in found])
        yield [
            export_row(one if plain else masked_exchange(maskers[one["conversation_id"]], one))
            for one in exchanges
        ]
        before = found[-1].cursor


@dataclass(frozen=True, slots=True)
class HoldBody:
    """Why a conversation has to be kept: a case, an order, who asked."""

    reason: str


def retention_handlers(store: ConversationStore, retention: RetentionStore) -> list[HTTPRouteHandler]:
    """Under `/conversations/{id}`: `export`, `hold`, and its end."""

    @get(
        "/conversations/{conversation_id:str}/export",
        sync_to_thread=True,
        guards=EDITORS,
        responses=file_of("application/json", dict[str, Any], "The file."),
    )
    def export(request: Caller, conversation_id: FromPath[str]) -> Response[str]:
        """All that is kept of one conversation, as a JSON file: `conversation` and `traces`."""
        conversation = store.conversation(conversation_id)
        traces = [
            store.trace(message["trace_id"])
            for message in conversation["messages"]
            if message["trace_id"] is not None
        ]
        if not sees_personal_data(request.auth):
            conversation, traces = masked_conversation(conversation), [masked_trace(one) for one in traces]
        body: dict[str, Any] = {"conversation": conversation, "traces": traces}
        return Response(
            json.dumps(body, ensure_ascii=False, indent=2),
            media_type="application/json",
            headers={"Content-Disposition": 'attachment; filename="conversation.json"'},
        )

    @delete(
        "/conversations/{conversation_id:str}",
        sync_to_thread=True,
        guards=DEVELOPERS,
        responses=faults(409, told={409: "The conversation is on hold."}),
    )
    def erase(request: Caller, conversation_id: FromPath[str]) -> None:
        """Erase it with messages, traces and feedback; 409 while it is on hold."""
        retention.erase(conversation_id, by=request.user)

    @put("/conversations/{conversation_id:str}/hold", sync_to_thread=True, guards=DEVELOPERS)
    def hold(request: Caller, conversation_id: FromPath[str], data: JSONBody[HoldBody]) -> HoldBody:
        """Keep it: no purge and no visitor removes it any more."""
        retention.hold(conversation_id, data.reason, by=request.user)
        return data

    @delete("/conversations/{conversation_id:str}/hold", sync_to_thread=True, guards=DEVELOPERS)
    def release(request: Caller, conversation_id: FromPath[str]) -> None:
        """It may go again."""
        retention.release(conversation_id, by=request.user)

    return [export, erase, hold, release]

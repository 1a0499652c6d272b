"""The trace of one answer, over the admin API: its passages as tables, one page in it, and asking again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

import msgspec
from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.errors import BadInputError
from server.storage.conversations import ConversationStore
from server.workbench.access.auth import DEVELOPERS, Caller
from server.workbench.faults import described
from server.workbench.masking import masked_trace, sees_personal_data
from server.workbench.traces.service import Changes, TraceService
from server.workbench.traces.table import PassageTable, passage_tables

PageUrl = Annotated[str, QueryParameter(min_length=1, max_length=2000, description="The page's address.")]


@dataclass(frozen=True, slots=True)
class PassageTables:
    """The passages of an answer: a table for each question of the line that was looked up."""

    tables: list[PassageTable]


def trace_handlers(store: ConversationStore, service: TraceService | None) -> list[HTTPRouteHandler]:
    """`/traces/{id}` and what is under it; without the service, only what the records tell by themselves."""

    @get("/traces/{trace_id:str}", sync_to_thread=True)
    def trace(request: Caller, trace_id: FromPath[str]) -> dict[str, Any]:
        """What every step of one answer saw, with the answer and its conversation's id beside it."""
        return _seen_by(request, store.trace(trace_id))

    @get("/traces/{trace_id:str}/passages", sync_to_thread=True)
    def passages(request: Caller, trace_id: FromPath[str]) -> PassageTables:
        """The passages of one answer: rank and score at every step, and where each fell."""
        return PassageTables(passage_tables(_seen_by(request, store.trace(trace_id))))

    more = _live_handlers(store, service) if service else ()
    return described([trace, passages, *more], {404: "There is no trace with that id."})


def _seen_by(request: Caller, trace: dict[str, Any]) -> dict[str, Any]:
    """The trace as the caller's role may see it."""
    return trace if sees_personal_data(request.auth) else masked_trace(trace)


def _live_handlers(store: ConversationStore, service: TraceService) -> list[HTTPRouteHandler]:
    @get("/traces/{trace_id:str}/page", sync_to_thread=True)
    def page(trace_id: FromPath[str], url: PageUrl) -> dict[str, Any]:
        """Where a page's passages stood at every step of an answer, or why the page is not in the index.

        `code` and `sentence` say what became of it, `told_by` who knows it: the trace, the live snapshot, the
        crawl store or nobody.
        """
        return service.page(store.trace(trace_id), url)

    @post("/traces/{trace_id:str}/replay", status_code=200, sync_to_thread=True, guards=DEVELOPERS)
    def replay(trace_id: FromPath[str], data: JSONBody[dict[str, Any]]) -> dict[str, Any]:
        """Ask the same question again over the live snapshot, with or without changes; nothing is recorded.

        The body is an object with any of `strategy`, `fusion`, `alpha`, `candidates`, `rerank_candidates`,
        `rerank_stop`, `passages`, `refusal_threshold`, `seems_threshold`, `gate_threshold`, `answerer` and
        `filters` (as `POST /api/ask` takes them). Returns the new `answer`, its `trace` and `tables`, and
        what is `different`.
        """
        return service.replay(store.trace(trace_id), changes_of(data))

    return [page, replay]


def changes_of(body: Mapping[str, Any]) -> Changes:
    """The changes of a body; a `BadInputError` names what is not one of them, or not of its kind."""
    known = [field.name for field in fields(Changes)]
    if unknown := [name for name in body if name not in known]:
        raise BadInputError(f"There is no change {unknown[0]!r}. There are: {', '.join(known)}.")
    try:
        return msgspec.convert(body, Changes)
    except msgspec.ValidationError as error:
        raise BadInputError(f"{error}.") from None

"""The trace of one answer, over the admin API: its passages as tables, one page in it, and asking again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Annotated, Any, Protocol

import msgspec
from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.errors import BadInputError
from server.http.protocols import AdminRecords
from server.workbench.access.auth import Caller, requires
from server.workbench.faults import faults
from server.workbench.masking import masked_trace, sees_personal_data
from server.workbench.traces.replay import Changes
from server.workbench.traces.table import PassageTable, passage_tables

PageUrl = Annotated[str, QueryParameter(min_length=1, max_length=2000, description="The page's address.")]


class Workshop(Protocol):
    """Asks a trace's question again, and knows what became of a page."""

    def replay(self, trace: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
        """`changes`, `answer`, `trace`, `tables` and `different`; `BadInputError` for what cannot be used."""
        ...

    def page(self, trace: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Where the page's passages stood, or why they did not; `BadInputError` for no address."""
        ...


@dataclass(frozen=True, slots=True)
class PassageTables:
    """The passages of an answer: a table for each question of the line that was looked up."""

    tables: list[PassageTable]


_faults = partial(faults, told={404: "There is no trace with that id."})


def trace_handlers(records: AdminRecords, workshop: Workshop | None) -> list[HTTPRouteHandler]:
    """`/traces/{id}` and what is under it; without a workshop, only what the records tell by themselves."""

    @get("/traces/{trace_id:str}", sync_to_thread=True)
    def trace(request: Caller, trace_id: FromPath[str]) -> dict[str, Any]:
        """What every step of one answer saw, with the answer and its conversation's id beside it."""
        return _seen_by(request, records.trace(trace_id))

    @get("/traces/{trace_id:str}/passages", sync_to_thread=True, responses=_faults(401, 404))
    def passages(request: Caller, trace_id: FromPath[str]) -> PassageTables:
        """The passages of one answer: rank and score at every step, and where each fell."""
        return PassageTables(passage_tables(_seen_by(request, records.trace(trace_id))))

    return [trace, passages, *(_live_handlers(records, workshop) if workshop else ())]


def _seen_by(request: Caller, trace: dict[str, Any]) -> dict[str, Any]:
    """The trace as the caller's role may see it."""
    return trace if sees_personal_data(request.auth) else masked_trace(trace)


def _live_handlers(records: AdminRecords, workshop: Workshop) -> list[HTTPRouteHandler]:
    @get("/traces/{trace_id:str}/page", sync_to_thread=True, responses=_faults(400, 401, 404, 503))
    def page(trace_id: FromPath[str], url: PageUrl) -> dict[str, Any]:
        """Where a page's passages stood at every step of an answer, or why the page is not in the index.

        `code` and `sentence` say what became of it, `told_by` who knows it: the trace, the live snapshot, the
        crawl store or nobody.
        """
        return workshop.page(records.trace(trace_id), url)

    @post(
        "/traces/{trace_id:str}/replay",
        status_code=200,
        sync_to_thread=True,
        guards=[requires("developer")],
        responses=_faults(400, 401, 403, 404, 503),
    )
    def replay(trace_id: FromPath[str], data: JSONBody[dict[str, Any]]) -> dict[str, Any]:
        """Ask the same question again over the live snapshot, with or without changes; nothing is recorded.

        The body is an object with any of `strategy`, `fusion`, `alpha`, `candidates`, `rerank_candidates`,
        `rerank_stop`, `passages`, `refusal_threshold`, `gate_threshold`, `answerer` and `filters` (as
        `POST /api/ask` takes them). Returns the new `answer`, its `trace` and `tables`, and what is
        `different`.
        """
        return workshop.replay(records.trace(trace_id), changes_of(data))

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

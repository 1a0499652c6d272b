"""Gaps over the admin API: questions of one meaning that were not answered well. Editors say what became of
them; grouping, and asking again what was mended, is done aside whenever somebody looks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, get_args

from litestar import get, post, put
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.ask.refuse import contacts_for
from server.errors import NotReadyError
from server.http.protocols import SiteLookup
from server.masking import Masker
from server.models import MISSING, TO_DO, GapFilter, GapKind, GapState, GapStates, TurnFilter
from server.workbench.access.auth import EDITORS, Caller
from server.workbench.coverage.api import ASKED
from server.workbench.faults import described
from server.workbench.gaps.service import GapService
from server.workbench.gaps.store import GapStore
from server.workbench.jobs import Jobs
from server.workbench.masking import sees_personal_data

Kind = Annotated[
    Literal["missing", "no_evidence", "unhelpful", "low_evidence", "off_topic"],
    QueryParameter(description="What went wrong; `missing` is all of it but what was off topic."),
]
State = Annotated[
    Literal["to_do", "all", "open", "mended", "answered", "unanswered", "reopened", "ignored"],
    QueryParameter(
        name="state", description="What became of them; `to_do` is open, reopened and still unanswered."
    ),
]
Limit = Annotated[int, QueryParameter(ge=1, le=100, description="At most this many gaps.")]
Offset = Annotated[int, QueryParameter(ge=0, le=1_000_000, description="After so many.")]


@dataclass(frozen=True, slots=True)
class GapChange:
    """What became of a gap; to ignore it takes a `note`."""

    state: Literal["mended", "ignored", "reopened"]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ApartBody:
    """One of a gap's questions, by the trace of its answer."""

    trace_id: str


def gap_handlers(
    store: GapStore, sites: SiteLookup, jobs: Jobs, service: GapService | None
) -> list[HTTPRouteHandler]:
    """`/gaps` and what is under it; without the service nothing is grouped or asked again."""

    def seen(request: Caller, gap: dict[str, Any]) -> dict[str, Any]:
        """With the contacts of its topic, and as the caller's role may see it."""
        topics = [gap["topic"]] if gap["topic"] else []
        contacts = [asdict(contact) for contact in contacts_for(sites.get(gap["site"]), topics)]
        return (gap if sees_personal_data(request.auth) else _masked(gap)) | {"contacts": contacts}

    @get("/gaps", sync_to_thread=True, dependencies=ASKED)
    def gaps(  # noqa: PLR0913, PLR0917  (a parameter each)
        request: Caller,
        asked: NamedDependency[TurnFilter],
        kind: Kind = "missing",
        became: State = "to_do",
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> dict[str, Any]:
        """The gaps with most questions first.

        `next` is the `offset` of what follows; `states` counts all gaps; `waiting` questions are still to be
        put into gaps, which has begun; `snapshot` is the live one.
        """
        if service:
            service.begin(jobs, request.user)
        wanted = GapFilter(_kinds(kind), _states(became), asked)
        found = store.all(wanted, limit=limit + 1, offset=offset)
        return {
            "gaps": [seen(request, gap) for gap in found[:limit]],
            "next": offset + limit if len(found) > limit else None,
            "states": store.states(),
            "waiting": store.count_waiting(),
            "snapshot": service.live if service else None,
        }

    @get("/gaps/{gap_id:int}", sync_to_thread=True)
    def gap(request: Caller, gap_id: FromPath[int]) -> dict[str, Any]:
        """One gap, with all its questions counted."""
        return seen(request, store.get(gap_id))

    @put("/gaps/{gap_id:int}", sync_to_thread=True, guards=EDITORS)
    def change_gap(request: Caller, gap_id: FromPath[int], data: JSONBody[GapChange]) -> dict[str, Any]:
        """Mark it as mended (it is asked again once a newer snapshot is live), ignore it, or reopen it."""
        live = service.live if service else None
        store.change(gap_id, data.state, data.note, snapshot=live, by=request.user)
        return seen(request, store.get(gap_id))

    @post("/gaps/{gap_id:int}/ask", status_code=200, sync_to_thread=True, guards=EDITORS)
    def ask_again(request: Caller, gap_id: FromPath[int]) -> dict[str, Any]:
        """Ask its question now; `again` is the answer. No conversation has it."""
        if service:
            service.ask_again(gap_id, request.user)
        return seen(request, store.get(gap_id))

    @post("/gaps/{gap_id:int}/apart", status_code=200, sync_to_thread=True, guards=EDITORS)
    def set_apart(request: Caller, gap_id: FromPath[int], data: JSONBody[ApartBody]) -> dict[str, Any]:
        """Two questions in one gap: put this one, and those nearer to it, into a gap of its own; the answer
        is that gap."""
        if service is None:
            raise NotReadyError("Nothing can be told apart here: this server has no models.")
        return seen(request, store.get(service.set_apart(gap_id, data.trace_id, request.user)))

    told = {404: "There is no gap with that id."}
    return described([gaps, gap, change_gap, ask_again, set_apart], told)


def _kinds(kind: str) -> tuple[GapKind, ...]:
    return MISSING if kind == "missing" else tuple(one for one in get_args(GapKind) if one == kind)


def _states(state: str) -> tuple[GapState, ...]:
    if state == "to_do":
        return TO_DO
    return GapStates if state == "all" else tuple(one for one in GapStates if one == state)


def _masked(gap: dict[str, Any]) -> dict[str, Any]:
    """Its questions are of different conversations, so each has masks of its own."""
    samples = [
        one
        | {
            "question": Masker().masked(one["question"]),
            "asked": one["asked"] and Masker().masked(one["asked"]),
        }
        for one in gap["samples"]
    ]
    return gap | {"question": Masker().masked(gap["question"]), "samples": samples}

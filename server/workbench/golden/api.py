"""Golden questions over the admin API: kept, asked, and what became of them. Viewers read, editors write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Protocol

from litestar import Response, delete, get, post, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.http.middleware import MAIN
from server.models.golden import GoldenOutcome, GoldenQuestion
from server.workbench.access.auth import Caller, requires
from server.workbench.exporting import file_of
from server.workbench.faults import faults

Site = Annotated[str | None, QueryParameter(description="Only those of this site.")]
Limit = Annotated[int, QueryParameter(ge=1, le=200, description="At most this many, the newest.")]


class GoldenShelf(Protocol):
    """What the admin API needs of the kept golden questions; `by` is the name of the token that asks."""

    def all(self, site: str | None = None, from_trace: str | None = None) -> Sequence[GoldenQuestion]:
        """Those of a site, or all; or only those that were made from a trace."""
        ...

    def get(self, golden_id: str) -> GoldenQuestion:
        """One; `NotFoundError`."""
        ...

    def add(self, golden: GoldenQuestion, *, by: str) -> GoldenQuestion:
        """Keep a new one under an id made of its words; `BadInputError` says what is wrong."""
        ...

    def put(self, golden: GoldenQuestion, *, by: str) -> GoldenQuestion | None:
        """Keep it in place of what had its id; `BadInputError` says what is wrong."""
        ...

    def remove(self, golden_id: str, *, by: str) -> GoldenQuestion:
        """Remove it; `NotFoundError`."""
        ...

    def record_of(self, site: str | None = None) -> dict[str, dict[str, Any]]:
        """By id: passed, failed, number, at and failure."""
        ...

    def history(self, golden_id: str, *, limit: int = 50) -> list[dict[str, Any]]:
        """What became of one, newest first."""
        ...

    def runs(self, site: str | None = None, *, limit: int = 50) -> list[dict[str, Any]]:
        """The latest runs, newest first."""
        ...

    def run(self, number: int) -> dict[str, Any]:
        """One run; `NotFoundError`."""
        ...

    def outcomes(self, number: int) -> Sequence[GoldenOutcome]:
        """What became of each question in one run; `NotFoundError`."""
        ...


class GoldenRecords(Protocol):
    """The records store, as far as golden questions go."""

    @property
    def golden(self) -> GoldenShelf:
        """Their shelf."""
        ...


@dataclass(frozen=True, slots=True)
class GoldenBody:
    """A question whose right answer is known.

    Of `pages` (addresses) the answer must cite one, of `answers` (words) it must hold one; an empty list asks
    for nothing. `refuse`: the site must not answer it.
    """

    question: str
    pages: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    refuse: bool = False
    topic: str | None = None
    site: str = MAIN
    from_trace: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """How often it passed and failed; at its last run, when that was, and why it failed (null: it passed)."""

    passed: int
    failed: int
    number: int
    at: str
    failure: str | None


@dataclass(frozen=True, slots=True)
class GoldenView(GoldenBody):
    """A golden question as it is kept; `record` is null while it was never asked."""

    id: str = ""
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class GoldenList:
    """Golden questions, by site and id."""

    golden: list[GoldenView]


@dataclass(frozen=True, slots=True)
class Turnout:
    """What became of a question in one run; `failure` is null where it passed."""

    number: int
    at: str
    site: str
    occasion: str
    snapshot: str
    strategy: str
    by: str
    failure: str | None
    answer: str
    cited: list[str]


@dataclass(frozen=True, slots=True)
class GoldenHistoryView:
    """What became of one question, newest first."""

    history: list[Turnout]


def golden_handlers(records: GoldenRecords) -> list[HTTPRouteHandler]:
    """`/golden`, `/golden/{id}`, its history, and `/golden/export`; the runs are in `golden_runs_api.py`."""
    shelf = records.golden

    @get("/golden", sync_to_thread=True, responses=faults(401))
    def golden_questions(site: Site = None) -> GoldenList:
        """All golden questions, or those of a site, each with what became of it so far."""
        known = shelf.record_of()
        return GoldenList([view(golden, known.get(golden.id)) for golden in shelf.all(site)])

    @get(
        "/golden/export",
        sync_to_thread=True,
        responses=file_of("application/jsonl", str, "The questions file."),
    )
    def export_golden(site: Site = None) -> Response[bytes]:
        """The same as a questions file for `lodge eval --questions`: a JSON line each."""
        lines = (json.dumps(golden.as_question(), ensure_ascii=False) + "\n" for golden in shelf.all(site))
        headers = {"Content-Disposition": 'attachment; filename="golden_questions.jsonl"'}
        return Response("".join(lines).encode(), media_type="application/jsonl", headers=headers)

    @post("/golden", sync_to_thread=True, guards=[requires("editor")], responses=faults(400, 401, 403))
    def add_golden(request: Caller, data: JSONBody[GoldenBody]) -> GoldenView:
        """Keep a new golden question; its id is made of its words."""
        return view(shelf.add(_golden(data), by=request.user))

    @get("/golden/{golden_id:str}", sync_to_thread=True, responses=faults(401, 404))
    def golden_question(golden_id: FromPath[str]) -> GoldenView:
        """One golden question."""
        return _kept(shelf, golden_id)

    @put(
        "/golden/{golden_id:str}",
        sync_to_thread=True,
        guards=[requires("editor")],
        responses=faults(400, 401, 403),
    )
    def put_golden(request: Caller, golden_id: FromPath[str], data: JSONBody[GoldenBody]) -> GoldenView:
        """Keep this golden question, in place of what had the id."""
        shelf.put(_golden(data, golden_id), by=request.user)
        return _kept(shelf, golden_id)

    @delete(
        "/golden/{golden_id:str}",
        sync_to_thread=True,
        guards=[requires("editor")],
        responses=faults(401, 403, 404),
    )
    def delete_golden(request: Caller, golden_id: FromPath[str]) -> None:
        """Remove a golden question; the runs it was in keep what became of it."""
        shelf.remove(golden_id, by=request.user)

    @get("/golden/{golden_id:str}/history", sync_to_thread=True, responses=faults(401, 404))
    def golden_history(golden_id: FromPath[str], limit: Limit = 50) -> GoldenHistoryView:
        """What became of it in every run, newest first; of one that was removed, too."""
        rows = shelf.history(golden_id, limit=limit)
        if not rows:
            shelf.get(golden_id)
        return GoldenHistoryView([Turnout(**row) for row in rows])

    return [
        golden_questions,
        export_golden,
        add_golden,
        golden_question,
        put_golden,
        delete_golden,
        golden_history,
    ]


def _golden(body: GoldenBody, golden_id: str = "") -> GoldenQuestion:
    """What a body says, under an id."""
    return GoldenQuestion(
        golden_id,
        body.site,
        body.question,
        tuple(body.pages),
        tuple(body.answers),
        body.refuse,
        body.topic or None,
        body.from_trace or None,
    )


def view(golden: GoldenQuestion, record: dict[str, Any] | None = None) -> GoldenView:
    """A golden question as the API shows it, with what `GoldenShelf.record_of` knows of it."""
    kept = asdict(golden) | {"pages": list(golden.pages), "answers": list(golden.answers)}
    return GoldenView(**kept, record=Record(**record) if record else None)


def _kept(shelf: GoldenShelf, golden_id: str) -> GoldenView:
    golden = shelf.get(golden_id)
    return view(golden, shelf.record_of().get(golden_id))

"""Golden questions over the admin API: kept, asked, and what became of them. Viewers read, editors write.

A run is begun aside, watched as a job, and compared with others.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

import msgspec
from litestar import Response, delete, get, post, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.errors import NotReadyError
from server.models.golden import GoldenOutcome, GoldenQuestion, GoldenSource
from server.models.sites import MAIN
from server.workbench.access.auth import EDITORS, Caller
from server.workbench.exporting import file_of
from server.workbench.faults import faults
from server.workbench.golden.service import GoldenRuns
from server.workbench.golden.store import GoldenRecord, GoldenStore, RunRow, Turnout
from server.workbench.job_store import Job
from server.workbench.jobs import Jobs, Restart
from server.workbench.jobs_api import seen

Site = Annotated[str | None, QueryParameter(description="Only those of this site.")]
Limit = Annotated[int, QueryParameter(ge=1, le=200, description="At most this many, the newest.")]


@dataclass(frozen=True, slots=True)
class GoldenBody:
    """A question whose right answer is known.

    Of `pages` (addresses) the answer must cite one, of `answers` (words) it must hold one; an empty list asks
    for nothing. `refuse`: the site must not answer it. `known_gap`: why it is known not to be answered
    rightly yet; such a question is asked like the others and holds nothing back. `source`: "visitors", where
    it was sampled from what they asked.
    """

    question: str
    pages: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    refuse: bool = False
    topic: str | None = None
    site: str = MAIN
    from_trace: str | None = None
    known_gap: str = ""
    source: GoldenSource = ""


@dataclass(frozen=True, slots=True)
class GoldenView(GoldenBody):
    """A golden question as it is kept; `record` is null while it was never asked."""

    id: str = ""
    record: GoldenRecord | None = None


@dataclass(frozen=True, slots=True)
class GoldenList:
    """Golden questions, by site and id."""

    golden: list[GoldenView]


@dataclass(frozen=True, slots=True)
class GoldenHistoryView:
    """What became of one question, newest first."""

    history: list[Turnout]


def golden_handlers(store: GoldenStore) -> list[HTTPRouteHandler]:
    """`/golden`, `/golden/{id}`, its history, and `/golden/export`."""

    @get("/golden", sync_to_thread=True)
    def golden_questions(site: Site = None) -> GoldenList:
        """All golden questions, or those of a site, each with what became of it so far."""
        known = store.record_of()
        return GoldenList([view(golden, known.get(golden.id)) for golden in store.all(site)])

    @get(
        "/golden/export",
        sync_to_thread=True,
        responses=file_of("application/jsonl", str, "The questions file."),
    )
    def export_golden(site: Site = None) -> Response[bytes]:
        """The same as a questions file for `lodge eval --questions`: a JSON line each."""
        lines = (json.dumps(golden.as_question(), ensure_ascii=False) + "\n" for golden in store.all(site))
        headers = {"Content-Disposition": 'attachment; filename="golden_questions.jsonl"'}
        return Response("".join(lines).encode(), media_type="application/jsonl", headers=headers)

    @post("/golden", sync_to_thread=True, guards=EDITORS)
    def add_golden(request: Caller, data: JSONBody[GoldenBody]) -> GoldenView:
        """Keep a new golden question; its id is made of its words."""
        return view(store.add(_golden(data), by=request.user))

    @get("/golden/{golden_id:str}", sync_to_thread=True)
    def golden_question(golden_id: FromPath[str]) -> GoldenView:
        """One golden question."""
        return _kept(store, golden_id)

    @put("/golden/{golden_id:str}", sync_to_thread=True, guards=EDITORS)
    def put_golden(request: Caller, golden_id: FromPath[str], data: JSONBody[GoldenBody]) -> GoldenView:
        """Keep this golden question, in place of what had the id."""
        store.put(_golden(data, golden_id), by=request.user)
        return _kept(store, golden_id)

    @delete("/golden/{golden_id:str}", sync_to_thread=True, guards=EDITORS)
    def delete_golden(request: Caller, golden_id: FromPath[str]) -> None:
        """Remove a golden question; the runs it was in keep what became of it."""
        store.remove(golden_id, by=request.user)

    @get("/golden/{golden_id:str}/history", sync_to_thread=True)
    def golden_history(golden_id: FromPath[str], limit: Limit = 50) -> GoldenHistoryView:
        """What became of it in every run, newest first; of one that was removed, too."""
        rows = store.history(golden_id, limit=limit)
        if not rows:
            store.get(golden_id)
        return GoldenHistoryView(rows)

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
    or_none = {"topic": body.topic or None, "from_trace": body.from_trace or None}
    return msgspec.convert(asdict(body) | or_none | {"id": golden_id}, GoldenQuestion)


def view(golden: GoldenQuestion, record: GoldenRecord | None = None) -> GoldenView:
    """A golden question as the API shows it, with what became of it."""
    return GoldenView(**msgspec.to_builtins(golden), record=record)


def _kept(store: GoldenStore, golden_id: str) -> GoldenView:
    golden = store.get(golden_id)
    return view(golden, store.record_of().get(golden_id))


KIND = "golden"
Before = Annotated[int, QueryParameter(description="The number of the earlier run.")]
After = Annotated[int, QueryParameter(description="The number of the later run.")]


@dataclass(frozen=True, slots=True)
class RunBody:
    """Whose questions to ask; without a `strategy` that which visitors of the site get."""

    site: str = MAIN
    strategy: str | None = None


@dataclass(frozen=True, slots=True)
class RunList:
    """Runs, newest first."""

    runs: list[RunRow]


@dataclass(frozen=True, slots=True)
class OutcomeView:
    """What became of a question in a run. `question` is how it reads now, null where it was removed since."""

    id: str
    question: str | None
    failure: str | None
    answer: str
    cited: list[str]
    known_gap: bool = False


@dataclass(frozen=True, slots=True)
class RunView:
    """A run with what became of every question in it, those that failed first."""

    run: RunRow
    outcomes: list[OutcomeView]


@dataclass(frozen=True, slots=True)
class Flip:
    """A question that passed in one run and failed in the other."""

    id: str
    question: str | None
    before: OutcomeView
    after: OutcomeView


@dataclass(frozen=True, slots=True)
class RunDifference:
    """What flipped from one run to another; the others were in only one of them, or came out the same.

    `same` counts those that passed in both or failed in both.
    """

    before: RunRow
    after: RunRow
    broke: list[Flip]
    mended: list[Flip]
    same: int
    only_before: int
    only_after: int


def golden_run_handlers(store: GoldenStore, runner: GoldenRuns | None, jobs: Jobs) -> list[HTTPRouteHandler]:
    """`POST /golden/run`, `/golden/runs` and what is under it."""

    def begin(site: str, strategy: str | None, by: str) -> Job:
        if runner is None:
            raise NotReadyError("Nothing can be asked for now; `/readyz` says what is missing.")
        ready = runner
        ready.check(site, strategy)
        return jobs.start(
            KIND,
            site,
            by,
            lambda progress: ready.run(site, strategy, by, progress),
            arguments={"strategy": strategy},
        )

    jobs.restarts[KIND] = Restart("editor", lambda site, given, by: begin(site, given["strategy"], by))

    @post("/golden/run", status_code=202, sync_to_thread=True, guards=EDITORS, responses=faults(409))
    def run_golden(request: Caller, data: JSONBody[RunBody]) -> dict[str, Any]:
        """Ask all golden questions of a site, aside; the job's `result` is the run. Visitors come first."""
        return seen(begin(data.site, data.strategy, request.user))

    @get("/golden/runs", sync_to_thread=True)
    def golden_runs(site: Site = None, limit: Limit = 50) -> RunList:
        """The latest runs, newest first."""
        return RunList(store.runs(site, limit=limit))

    @get("/golden/runs/compare", sync_to_thread=True, responses=faults(404))
    def compare_golden_runs(before: Before, after: After) -> RunDifference:
        """Two runs side by side: what broke, what was mended, and how many came out the same."""
        return _difference(store, before, after)

    @get("/golden/runs/{number:int}", sync_to_thread=True)
    def golden_run(number: FromPath[int]) -> RunView:
        """One run, with what became of every question."""
        outcomes = sorted(store.outcomes(number), key=lambda outcome: outcome.passed)
        asked = _questions(store)
        return RunView(store.run(number), [_outcome(one, asked) for one in outcomes])

    return [run_golden, golden_runs, compare_golden_runs, golden_run]


def _difference(store: GoldenStore, before: int, after: int) -> RunDifference:
    one, other = ({o.golden_id: o for o in store.outcomes(number)} for number in (before, after))
    asked, shared = _questions(store), [own for own in one if own in other]
    flips = [own for own in shared if one[own].passed != other[own].passed]

    def flip(own: str) -> Flip:
        return Flip(own, asked.get(own), _outcome(one[own], asked), _outcome(other[own], asked))

    return RunDifference(
        before=store.run(before),
        after=store.run(after),
        broke=[flip(own) for own in flips if one[own].passed],
        mended=[flip(own) for own in flips if other[own].passed],
        same=len(shared) - len(flips),
        only_before=len(one) - len(shared),
        only_after=len(other) - len(shared),
    )


def _questions(store: GoldenStore) -> dict[str, str]:
    return {golden.id: golden.question for golden in store.all()}


def _outcome(outcome: GoldenOutcome, asked: dict[str, str]) -> OutcomeView:
    found = asdict(outcome) | {"cited": list(outcome.cited)}
    own = found.pop("golden_id")
    return OutcomeView(id=own, question=asked.get(own), **found)

"""Golden questions asked, over the admin API: a run is begun aside, watched as a job, and compared."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Protocol

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.errors import NotReadyError
from server.http.middleware import MAIN
from server.models.golden import GoldenOutcome
from server.workbench.access.auth import Caller, requires
from server.workbench.faults import faults
from server.workbench.golden.api import GoldenRecords, GoldenShelf, Limit, Site
from server.workbench.job_store import Job
from server.workbench.jobs import Jobs, Progress, Restart
from server.workbench.jobs_api import seen

KIND = "golden"
Before = Annotated[int, QueryParameter(description="The number of the earlier run.")]
After = Annotated[int, QueryParameter(description="The number of the later run.")]


class GoldenRunner(Protocol):
    """Asks golden questions over the live snapshot."""

    def check(self, site: str, strategy: str | None = None) -> None:
        """`BadInputError` where there is nothing to ask, or no such strategy."""
        ...

    def run(
        self, site: str, strategy: str | None, by: str, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Ask them all, keep the run, and return it."""
        ...


@dataclass(frozen=True, slots=True)
class RunBody:
    """Whose questions to ask; without a `strategy` that which visitors of the site get."""

    site: str = MAIN
    strategy: str | None = None


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run with its counts. `occasion` is why it was run: "asked" by a person."""

    number: int
    at: str
    site: str
    occasion: str
    snapshot: str
    strategy: str
    by: str
    passed: int
    failed: int


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


def golden_run_handlers(
    records: GoldenRecords, runner: GoldenRunner | None, jobs: Jobs
) -> list[HTTPRouteHandler]:
    """`POST /golden/run`, `/golden/runs` and what is under it."""
    shelf = records.golden

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

    @post(
        "/golden/run",
        status_code=202,
        sync_to_thread=True,
        guards=[requires("editor")],
        responses=faults(400, 401, 403, 409, 503),
    )
    def run_golden(request: Caller, data: JSONBody[RunBody]) -> dict[str, Any]:
        """Ask all golden questions of a site, aside; the job's `result` is the run. Visitors come first."""
        return seen(begin(data.site, data.strategy, request.user))

    @get("/golden/runs", sync_to_thread=True, responses=faults(401))
    def golden_runs(site: Site = None, limit: Limit = 50) -> RunList:
        """The latest runs, newest first."""
        return RunList([RunRow(**row) for row in shelf.runs(site, limit=limit)])

    @get("/golden/runs/compare", sync_to_thread=True, responses=faults(400, 401, 404))
    def compare_golden_runs(before: Before, after: After) -> RunDifference:
        """Two runs side by side: what broke, what was mended, and how many came out the same."""
        return _difference(shelf, before, after)

    @get("/golden/runs/{number:int}", sync_to_thread=True, responses=faults(401, 404))
    def golden_run(number: FromPath[int]) -> RunView:
        """One run, with what became of every question."""
        outcomes = sorted(shelf.outcomes(number), key=lambda outcome: outcome.passed)
        asked = _questions(shelf)
        return RunView(RunRow(**shelf.run(number)), [_outcome(one, asked) for one in outcomes])

    return [run_golden, golden_runs, compare_golden_runs, golden_run]


def _difference(shelf: GoldenShelf, before: int, after: int) -> RunDifference:
    one, other = ({o.golden_id: o for o in shelf.outcomes(number)} for number in (before, after))
    asked, shared = _questions(shelf), [own for own in one if own in other]
    flips = [own for own in shared if one[own].passed != other[own].passed]

    def flip(own: str) -> Flip:
        return Flip(own, asked.get(own), _outcome(one[own], asked), _outcome(other[own], asked))

    return RunDifference(
        before=RunRow(**shelf.run(before)),
        after=RunRow(**shelf.run(after)),
        broke=[flip(own) for own in flips if one[own].passed],
        mended=[flip(own) for own in flips if other[own].passed],
        same=len(shared) - len(flips),
        only_before=len(one) - len(shared),
        only_after=len(other) - len(shared),
    )


def _questions(shelf: GoldenShelf) -> dict[str, str]:
    return {golden.id: golden.question for golden in shelf.all()}


def _outcome(outcome: GoldenOutcome, asked: dict[str, str]) -> OutcomeView:
    found = asdict(outcome) | {"cited": list(outcome.cited)}
    own = found.pop("golden_id")
    return OutcomeView(id=own, question=asked.get(own), **found)

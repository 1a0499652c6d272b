"""A draft tried before it is live, over the admin API: which pages go, and which answers change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from server.errors import BadInputError, NotFoundError, NotReadyError
from server.masking import Masker, in_every_text
from server.models.curation import RuleSet
from server.workbench.access.auth import Caller, requires
from server.workbench.faults import faults
from server.workbench.job_store import Job
from server.workbench.jobs import Jobs, Progress, Restart
from server.workbench.jobs_api import seen
from server.workbench.masking import sees_personal_data

PREVIEW = "preview"
MOST_QUESTIONS = 5000


class Previews(Protocol):
    """Tries a draft on the live snapshot."""

    def pages(self, book: RuleSet) -> dict[str, Any]:
        """Which pages go."""
        ...

    def preview(self, book: RuleSet, progress: Progress, limit: int) -> dict[str, Any]:
        """Which answers change."""
        ...

    def breaks(self, book: RuleSet) -> list[dict[str, Any]]:
        """Which golden questions break: id, question, failure."""
        ...


@dataclass(frozen=True, slots=True)
class PreviewBody:
    """How many of the latest different questions to try a draft on."""

    questions: int = 1000


def preview_handlers(
    drafted: Callable[[str], RuleSet], previews: Previews | None, jobs: Jobs
) -> list[HTTPRouteHandler]:
    """`/rules/{site}/draft/pages` and `/preview`, and `/previews/{id}`; `drafted` gives a site's draft."""
    editors = [requires("editor")]

    def ready() -> Previews:
        if previews is None:
            raise NotReadyError("Nothing can be tried here: this server has no models.")
        return previews

    def begin(site: str, questions: int, by: str) -> Job:
        book, tries = drafted(site), ready()
        return jobs.start(
            PREVIEW,
            site,
            by,
            lambda progress: tries.preview(book, progress, questions),
            arguments={"questions": questions},
            personal=True,
        )

    jobs.restarts[PREVIEW] = Restart("editor", lambda site, given, by: begin(site, given["questions"], by))

    @get("/rules/{site:str}/draft/pages", sync_to_thread=True, responses=faults(409))
    def draft_pages(site: FromPath[str]) -> dict[str, Any]:
        """How many pages the draft leaves out, and a sample of those that go, the most cited first."""
        return ready().pages(drafted(site))

    @post("/rules/{site:str}/draft/preview", sync_to_thread=True, guards=editors, responses=faults(409))
    def preview(request: Caller, site: FromPath[str], data: JSONBody[PreviewBody]) -> dict[str, Any]:
        """Try the draft on golden and past questions, aside; the answer is a job (`/previews/{id}`)."""
        if not 0 <= data.questions <= MOST_QUESTIONS:
            raise BadInputError(f"questions takes 0 to {MOST_QUESTIONS:,}.")
        return _masked(request.auth, begin(site, data.questions, request.user))

    @get("/previews/{job_id:str}", sync_to_thread=True)
    def one_preview(request: Caller, job_id: FromPath[str]) -> dict[str, Any]:
        """How far a preview is; once it is done, what the draft would change. Visitors' data is masked."""
        job = jobs.get(job_id)
        if job.kind != PREVIEW:
            raise NotFoundError("There is no such preview.")
        return _masked(request.auth, job)

    return [draft_pages, preview, one_preview]


def _masked(role: str, job: Job) -> dict[str, Any]:
    """A job as JSON; past questions are visitors' words, and so is the line that says what it is at."""
    told = seen(job)
    if sees_personal_data(role):
        return told
    result = told["result"]
    if result:
        result = result | {"changes": [_masked_change(one) for one in result["changes"]]}
    return told | {"says": Masker().masked(told["says"]), "result": result}


def _masked_change(change: dict[str, Any]) -> dict[str, Any]:
    masker = Masker()
    masked = change | {"question": masker.masked(change["question"])}
    return masked | {side: in_every_text(masker.echoed, change[side]) for side in ("before", "after")}

"""What is being done aside, over the admin API: watched by everyone, ended and begun again by editors."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from litestar import delete, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED

from server.masking import Masker, in_every_text
from server.workbench.access.auth import EDITORS, Caller, require_role
from server.workbench.faults import faults
from server.workbench.job_store import Job
from server.workbench.jobs import Jobs
from server.workbench.masking import sees_personal_data

OfKind = Annotated[str | None, QueryParameter(description="Only those of this kind.")]
About = Annotated[str | None, QueryParameter(description="Only those about this, such as a site.")]

# A route whose answer is a job that has just begun.
BEGINS_JOB: dict[str, Any] = {"status_code": HTTP_202_ACCEPTED, "responses": faults(404, 409)}


def job_handlers(jobs: Jobs) -> list[HTTPRouteHandler]:
    """`/jobs` and what is under it."""

    @get("/jobs", sync_to_thread=True)
    def all_jobs(request: Caller, kind: OfKind = None, about: About = None) -> dict[str, Any]:
        """The jobs of all servers that are kept, newest first, without their results."""
        return {"jobs": [_shown(request, job) | {"result": None} for job in jobs.all(kind, about)]}

    @get("/jobs/{job_id:str}", sync_to_thread=True)
    def one_job(request: Caller, job_id: FromPath[str]) -> dict[str, Any]:
        """One job, whichever server does it: how far it is, and once it is done its result."""
        return _shown(request, jobs.get(job_id))

    @delete("/jobs/{job_id:str}", sync_to_thread=True, guards=EDITORS, status_code=HTTP_200_OK)
    def cancel_job(request: Caller, job_id: FromPath[str]) -> dict[str, Any]:
        """End it at its next step; what it has kept so far stays kept."""
        return _shown(request, jobs.cancel(job_id))

    @post("/jobs/{job_id:str}/again", sync_to_thread=True, guards=EDITORS, **BEGINS_JOB)
    def start_again(request: Caller, job_id: FromPath[str]) -> dict[str, Any]:
        """A new job like one that was lost, failed or cancelled; it takes the role that began it."""
        require_role(request, jobs.restart_of(jobs.get(job_id)).least)
        return _shown(request, jobs.again(job_id, by=request.user))

    return [all_jobs, one_job, cancel_job, start_again]


def seen(job: Job) -> dict[str, Any]:
    """A job as JSON: id, kind, about, by, started_at, ended_at, state, done, total, says, result, and the
    arguments it was started with, the server that does it, and whether its result holds visitors' words."""
    return asdict(job)


def _shown(request: Caller, job: Job) -> dict[str, Any]:
    """As the caller's role may see it."""
    told = seen(job)
    if not job.personal or sees_personal_data(request.auth):
        return told
    masked = Masker().masked
    return told | {"says": masked(job.says), "result": in_every_text(masked, job.result)}

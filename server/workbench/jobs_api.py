"""What is being done aside, over the admin API: watched by everyone, ended by editors."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from litestar import delete, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, QueryParameter
from litestar.status_codes import HTTP_200_OK

from server.workbench.access.auth import requires
from server.workbench.jobs import Job, Jobs

OfKind = Annotated[str | None, QueryParameter(description="Only those of this kind.")]
About = Annotated[str | None, QueryParameter(description="Only those about this, such as a site.")]


def job_handlers(jobs: Jobs) -> list[HTTPRouteHandler]:
    """`/jobs` and `/jobs/{id}`."""

    @get("/jobs", sync_to_thread=False)
    def all_jobs(kind: OfKind = None, about: About = None) -> dict[str, Any]:
        """The jobs since the server was started, newest first, without their results."""
        return {"jobs": [seen(job) | {"result": None} for job in jobs.all(kind, about)]}

    @get("/jobs/{job_id:str}", sync_to_thread=False)
    def one_job(job_id: FromPath[str]) -> dict[str, Any]:
        """One job: how far it is, and once it is done its result."""
        return seen(jobs.get(job_id))

    @delete("/jobs/{job_id:str}", sync_to_thread=False, guards=[requires("editor")], status_code=HTTP_200_OK)
    def cancel_job(job_id: FromPath[str]) -> dict[str, Any]:
        """End it at its next step; what it has kept so far stays kept."""
        return seen(jobs.cancel(job_id))

    return [all_jobs, one_job, cancel_job]


def seen(job: Job) -> dict[str, Any]:
    """A job as JSON: id, kind, about, by, started_at, ended_at, state, done, total, says, result."""
    return asdict(job)

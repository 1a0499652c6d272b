"""Crawls over the admin API: what the last one did, page by page; started, stopped and scheduled by
developers. A crawl is a job of the kind `crawl` (`jobs_api.py`), and is stopped by cancelling it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from litestar import get, post, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody, QueryParameter

from server.workbench.access.auth import DEVELOPERS, Caller
from server.workbench.crawls.schedules_store import CrawlSchedule, Then
from server.workbench.crawls.service import CrawlService
from server.workbench.faults import faults
from server.workbench.jobs_api import BEGINS_JOB, seen

OfSite = Annotated[str, QueryParameter(description="The crawled site, as `GET /crawl` names it.")]
Fate = Annotated[
    str | None,
    QueryParameter(
        description="Only of this fate: fetched, unchanged, gone, redirect, skipped, failed or queued."
    ),
]
Reason = Annotated[str | None, QueryParameter(description="Only addresses with this reason.")]
Letters = Annotated[
    str | None, QueryParameter(max_length=2000, description="Only addresses with these letters in them.")
]
Limit = Annotated[int, QueryParameter(ge=1, le=500, description="At most this many rows.")]
Cursor = Annotated[int, QueryParameter(ge=0, description="Rows after this: the `next` of a page.")]


@dataclass(frozen=True, slots=True)
class CrawlBody:
    """What to crawl: a `site` from the addresses it was crawled from before, or from these `urls`.

    `prefixes`: only what is below them.
    """

    site: str | None = None
    urls: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ScheduleBody:
    """When a site is crawled: at an `hour` of a `zone`, every day, or every week on a `weekday` (0: Monday).

    `every` never: no longer. `then`: nothing more, build a snapshot of it, or publish that too unless a
    golden question fails. Without `urls` it is crawled from where it was crawled from before.
    """

    site: str
    every: Literal["day", "week", "never"] = "week"
    hour: int = 3
    weekday: int = 6
    zone: str = "UTC"
    then: Then = "nothing"
    urls: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)


def crawl_handlers(crawls: CrawlService) -> list[HTTPRouteHandler]:
    """`/crawl` and what is under it."""

    @get("/crawl", sync_to_thread=True)
    def last_crawls() -> dict[str, Any]:
        """The last crawl of each site: when, how long, and how many pages had which fate for which reason."""
        return {"sites": crawls.sites()}

    @get("/crawl/pages", sync_to_thread=True, responses=faults(404))
    def pages(  # noqa: PLR0913, PLR0917  (a filter has so many parts)
        site: OfSite,
        fate: Fate = None,
        reason: Reason = None,
        url: Letters = None,
        cursor: Cursor = 0,
        limit: Limit = 50,
    ) -> dict[str, Any]:
        """Every address that a site's last crawl came across, with what became of it and why."""
        rows = crawls.pages(site, limit=limit + 1, after=cursor, fate=fate, reason=reason, url=url)
        shown = rows[:limit]
        return {"pages": shown, "next": shown[-1]["cursor"] if len(rows) > limit else None}

    @post("/crawl/start", sync_to_thread=True, guards=DEVELOPERS, **BEGINS_JOB)
    def start(request: Caller, data: JSONBody[CrawlBody]) -> dict[str, Any]:
        """A job that crawls by the settings, in a process of its own; what was unfinished goes on."""
        return seen(crawls.start(data.site, data.urls, data.prefixes, by=request.user))

    @get("/crawl/schedule", sync_to_thread=True)
    def schedules() -> dict[str, Any]:
        """When sites are crawled by themselves, when that is next, and what came of the last time."""
        return {"schedules": crawls.schedules()}

    @put("/crawl/schedule", sync_to_thread=True, guards=DEVELOPERS, responses=faults(404))
    def put_schedule(request: Caller, data: JSONBody[ScheduleBody]) -> dict[str, Any]:
        """Have a site crawled by itself, or no longer; all schedules as they are then."""
        if data.every == "never":
            return {"schedules": crawls.remove_schedule(data.site, by=request.user)}
        lists = {"urls": tuple(data.urls), "prefixes": tuple(data.prefixes)}
        schedule = CrawlSchedule(**{**asdict(data), **lists})
        return {"schedules": crawls.put_schedule(schedule, by=request.user)}

    return [last_crawls, pages, start, schedules, put_schedule]

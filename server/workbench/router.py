"""The admin API, which the console and a partner's scripts speak to.

What visitors asked and were told is in `conversations_api.py`, holds and erasing in `retention_api.py`,
the trace of one answer in `traces_api.py`,
what editors write in `curation_api.py`, what they set in `rules_api.py` and `previews_api.py`, who changed
what in `audit_api.py`, work done aside in `jobs_api.py`, golden questions and their runs in
`golden_*_api.py`, what `lodge eval` found in `evaluations_api.py`, snapshots in `snapshots_api.py`, crawls in
`crawl_api.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from litestar import Request, Router, get
from litestar.datastructures import ResponseHeader

from server.http.limits import AuthThrottle
from server.storage.store import RecordsStore
from server.workbench.access.audit_api import audit_handler
from server.workbench.access.auth import bearer, requires
from server.workbench.conversations.api import conversation_handlers
from server.workbench.conversations.feedback_api import feedback_handlers
from server.workbench.conversations.retention_api import retention_handlers
from server.workbench.coverage.api import coverage_handlers, overview_handler
from server.workbench.crawls.api import crawl_handlers
from server.workbench.crawls.service import CrawlService
from server.workbench.curation.api import curated_handlers, notice_handlers
from server.workbench.curation.preview_api import Previews, preview_handlers
from server.workbench.curation.rules_api import draft_of, rules_handlers
from server.workbench.evaluations.api import evaluation_handlers
from server.workbench.evaluations.service import KeptEvaluations
from server.workbench.faults import described
from server.workbench.gaps.api import gap_handlers
from server.workbench.gaps.protocols import Insight
from server.workbench.golden.api import golden_handlers
from server.workbench.golden.runs_api import GoldenRunner, golden_run_handlers
from server.workbench.golden.traces_api import golden_trace_handlers
from server.workbench.job_store import JobStore
from server.workbench.jobs import Jobs
from server.workbench.jobs_api import job_handlers
from server.workbench.sites.api import SiteEntries, site_handlers
from server.workbench.snapshots.api import snapshot_handlers
from server.workbench.snapshots.service import SnapshotService
from server.workbench.traces.api import Workshop, trace_handlers


@dataclass(frozen=True, slots=True)
class Me:
    """What the caller's token allows."""

    role: str


@dataclass(frozen=True, slots=True)
class Tools:
    """What the console works with beyond the records; without one, what it does is not to be had."""

    workshop: Workshop | None = None
    previews: Previews | None = None
    jobs: Jobs | None = None
    golden: GoldenRunner | None = None
    evaluations: KeptEvaluations | None = None
    insight: Insight | None = None
    snapshots: SnapshotService | None = None
    crawls: CrawlService | None = None


def admin_router(
    records: RecordsStore,
    sites: SiteEntries,
    tools: Tools | None = None,
    guesses: AuthThrottle | None = None,
) -> Router:
    """`/admin/api/v1`, behind bearer tokens; without `guesses` nobody is shut out for guessing at them."""
    tools = tools or Tools()
    jobs = tools.jobs or Jobs(JobStore(records.transactions))
    return Router(
        "/admin/api/v1",
        route_handlers=described(
            [
                me,
                *conversation_handlers(records),
                *retention_handlers(records),
                *trace_handlers(records, tools.workshop),
                *curated_handlers(records),
                *notice_handlers(records),
                *site_handlers(sites, records),
                *rules_handlers(records, tools.previews, sites),
                *preview_handlers(partial(draft_of, records), tools.previews, jobs),
                audit_handler(records),
                *job_handlers(jobs),
                *golden_handlers(records),
                *golden_run_handlers(records, tools.golden, jobs),
                *golden_trace_handlers(records, records),
                *(evaluation_handlers(tools.evaluations) if tools.evaluations else ()),
                overview_handler(records),
                *gap_handlers(records, sites, jobs, tools.insight),
                *feedback_handlers(records),
                *coverage_handlers(tools.insight),
                *(snapshot_handlers(tools.snapshots) if tools.snapshots else ()),
                *(crawl_handlers(tools.crawls) if tools.crawls else ()),
            ]
        ),
        guards=[bearer(records, guesses), requires("viewer")],
        security=[{"bearer": []}],
        response_headers=[ResponseHeader(name="Cache-Control", value="no-store")],
        tags=["admin"],
    )


@get("/me", sync_to_thread=False)
def me(request: Request[Any, str, Any]) -> Me:
    """The role of the token that asks."""
    return Me(request.auth)

"""The admin API, which the console and a partner's scripts speak to: the routes of every feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from litestar import Request, Router, get
from litestar.datastructures import ResponseHeader
from litestar.handlers import HTTPRouteHandler

from server.http.limits import AuthThrottle
from server.workbench.access.audit_api import audit_handler
from server.workbench.access.auth import bearer, requires
from server.workbench.access.session_api import session_handlers
from server.workbench.blind.api import blind_handlers
from server.workbench.blind.service import BlindComparisons
from server.workbench.conversations.api import conversation_handlers, retention_handlers
from server.workbench.conversations.feedback_api import feedback_handlers
from server.workbench.coverage.api import coverage_handlers, overview_handler
from server.workbench.coverage.judgements_api import judgement_handlers
from server.workbench.coverage.service import CoverageService
from server.workbench.crawls.api import crawl_handlers
from server.workbench.crawls.service import CrawlService
from server.workbench.curation.api import curated_handlers, notice_handlers, suggestion_handlers
from server.workbench.curation.rules_api import preview_handlers, rules_handlers
from server.workbench.curation.trial import DraftPreviews
from server.workbench.evaluations.api import evaluation_handlers
from server.workbench.evaluations.service import KeptEvaluations
from server.workbench.faults import described
from server.workbench.gaps.api import gap_handlers
from server.workbench.gaps.service import GapService
from server.workbench.golden.api import golden_handlers, golden_run_handlers
from server.workbench.golden.service import GoldenRuns
from server.workbench.golden.traces_api import golden_trace_handlers
from server.workbench.hours.api import hours_handlers
from server.workbench.hours.service import HoursService
from server.workbench.job_store import JobStore
from server.workbench.jobs import Jobs
from server.workbench.jobs_api import job_handlers
from server.workbench.labelling.api import labelling_handlers
from server.workbench.labelling.service import LabellingService
from server.workbench.mending.api import mending_handlers
from server.workbench.mending.service import MendingService
from server.workbench.notifications.api import notification_handlers
from server.workbench.notifications.service import NotificationService
from server.workbench.owners.api import owned_handler, owner_handlers
from server.workbench.owners.service import OwnerService
from server.workbench.records import Records
from server.workbench.sites.api import SiteEntries, site_handlers
from server.workbench.snapshots.api import snapshot_handlers
from server.workbench.snapshots.service import SnapshotService
from server.workbench.traces.api import trace_handlers
from server.workbench.traces.service import TraceService


@dataclass(frozen=True, slots=True)
class Me:
    """What the caller's token allows."""

    role: str


@dataclass(frozen=True, slots=True)
class Tools:
    """What the console works with beyond the records; without one, what it does is not to be had."""

    traces: TraceService | None = None
    previews: DraftPreviews | None = None
    jobs: Jobs | None = None
    golden: GoldenRuns | None = None
    evaluations: KeptEvaluations | None = None
    gaps: GapService | None = None
    coverage: CoverageService | None = None
    snapshots: SnapshotService | None = None
    crawls: CrawlService | None = None
    mending: MendingService | None = None
    hours: HoursService | None = None
    notifications: NotificationService | None = None
    owners: OwnerService | None = None
    labelling: LabellingService | None = None


class _Once(Router):
    """Is registered once. Litestar copies a router, every handler of it, so that it can be elsewhere, too."""

    def __deepcopy__(self, _: dict[int, Any]) -> _Once:
        return self


def admin_router(
    records: Records, sites: SiteEntries, tools: Tools | None = None, guesses: AuthThrottle | None = None
) -> Router:
    """`/admin/api/v1`, behind bearer tokens; without `guesses` nobody is shut out for guessing at them.

    All of it takes a viewer, but for signing in and what is for owners.
    """
    tools = tools or Tools()
    jobs = tools.jobs or Jobs(JobStore(records.transactions))
    everybodys = described([me, *session_handlers(records.tokens), owned_handler(tools.owners)])
    viewers = _Once("/", route_handlers=_viewers(records, sites, tools, jobs), guards=[requires("viewer")])
    return _Once(
        "/admin/api/v1",
        route_handlers=[*everybodys, viewers],
        guards=[bearer(records.tokens, guesses), requires("owner")],
        security=[{"bearer": []}],
        response_headers=[ResponseHeader(name="Cache-Control", value="no-store")],
        tags=["admin"],
    )


def _viewers(records: Records, sites: SiteEntries, tools: Tools, jobs: Jobs) -> list[HTTPRouteHandler]:
    """The routes of every feature."""
    return described(
        [
            *conversation_handlers(records.search, records.conversations),
            *retention_handlers(records.conversations, records.retention),
            *trace_handlers(records.conversations, tools.traces),
            *curated_handlers(records.curation),
            *notice_handlers(records.curation),
            *suggestion_handlers(records.suggestions),
            *site_handlers(sites, records.audit),
            *rules_handlers(records.rulebooks, tools.previews, sites),
            *preview_handlers(records.rulebooks, tools.previews, jobs),
            *mending_handlers(records.conversations, records.rulebooks, sites, tools.mending),
            *hours_handlers(records.hours, tools.hours),
            audit_handler(records.audit),
            *job_handlers(jobs),
            *golden_handlers(records.golden),
            *golden_run_handlers(records.golden, tools.golden, jobs),
            *golden_trace_handlers(records.conversations, records.golden),
            *labelling_handlers(tools.labelling or _labelling(records)),
            *(evaluation_handlers(tools.evaluations) if tools.evaluations else ()),
            *(_blind(tools.evaluations, records) if tools.evaluations else ()),
            overview_handler(records.coverage),
            *judgement_handlers(records.judgements),
            *gap_handlers(records.gaps, sites, jobs, tools.gaps),
            *feedback_handlers(records.feedback),
            *coverage_handlers(tools.coverage),
            *(snapshot_handlers(tools.snapshots) if tools.snapshots else ()),
            *(crawl_handlers(tools.crawls) if tools.crawls else ()),
            *notification_handlers(records.subscriptions, records.outbox, tools.notifications),
            *owner_handlers(records.owners),
        ]
    )


def _labelling(records: Records) -> LabellingService:
    return LabellingService(records.labels, records.golden, records.conversations)


def _blind(evaluations: KeptEvaluations, records: Records) -> list[HTTPRouteHandler]:
    return blind_handlers(BlindComparisons(evaluations.folder, records.preferences))


@get("/me", sync_to_thread=False)
def me(request: Request[Any, str, Any]) -> Me:
    """The role of the token that asks."""
    return Me(request.auth)

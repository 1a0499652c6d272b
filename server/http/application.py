"""Puts the web layer together: routes, errors, headers, templates."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from litestar import Router
from litestar.config.compression import CompressionConfig
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.template import TemplateConfig

from server.http.assets import Assets, asset_router
from server.http.bodies import CheckedRequest
from server.http.errors import problem_handlers
from server.http.headers import cross_origin, security_headers
from server.http.health import health_router
from server.http.metrics import Metrics, metrics_router
from server.http.middleware import SchemeMiddleware, allow_all
from server.http.options import WebOptions
from server.http.outcomes import Outcomes
from server.http.protocols import Asker, Readiness
from server.http.request_checks import no_repeated_parameter, only_hosts, written_from_known_pages
from server.visitor.erasing import Eraser
from server.visitor.flow import FlowRunner
from server.visitor.i18n import Catalogue
from server.visitor.limits import Limiter
from server.visitor.masks import VisitorMasks
from server.visitor.routes import api_router, page_router
from server.visitor.service import ChatService
from server.visitor.sessions import PendingQuestions
from server.visitor.site_context import SiteContexts
from server.visitor.theme import theme_router
from server.visitor.views import environment
from server.visitor.widget import loader_router
from server.workbench.access.auth import BEARER
from server.workbench.access.guessing import AuthThrottle
from server.workbench.coverage.service import CoverageService
from server.workbench.crawls.api import CrawlDesk
from server.workbench.curation.trial import DraftPreviews
from server.workbench.evaluations.api import Evaluations
from server.workbench.gaps.service import GapService
from server.workbench.golden.service import GoldenRuns
from server.workbench.jobs import Jobs
from server.workbench.records import Records
from server.workbench.router import Tools, admin_router
from server.workbench.sites.api import SiteEntries
from server.workbench.snapshots.api import SnapshotDesk
from server.workbench.traces.service import TraceService

# Compressed as it is made. Files are compressed once, and a stream of events must not wait for a full buffer.
_COMPRESSION = CompressionConfig(
    "gzip", exclude=["^/static", "^/sites", "^/widget.js", "^/chat/events", "^/api"]
)


class AppParts(Protocol):
    """The parts that the server runs on; it closes them when it stops."""

    @property
    def asker(self) -> Asker:
        """Answers questions."""
        ...

    @property
    def readiness(self) -> Readiness:
        """Says what is missing."""
        ...

    @property
    def records(self) -> Records:
        """What was asked and answered."""
        ...

    @property
    def sites(self) -> SiteEntries:
        """The web sites that are answered for."""
        ...

    @property
    def traces(self) -> TraceService:
        """Asks the question of a trace again."""
        ...

    @property
    def previews(self) -> DraftPreviews:
        """Tries what editors have drafted."""
        ...

    @property
    def gaps(self) -> GapService:
        """Groups questions by meaning, and asks them again."""
        ...

    @property
    def coverage(self) -> CoverageService:
        """Holds pages against questions."""
        ...

    @property
    def jobs(self) -> Jobs:
        """Work that is done aside."""
        ...

    @property
    def golden(self) -> GoldenRuns:
        """Asks golden questions."""
        ...

    @property
    def evaluations(self) -> Evaluations:
        """What `lodge eval` has kept."""
        ...

    @property
    def snapshots(self) -> SnapshotDesk | None:
        """Looks at snapshots, and publishes them."""
        ...

    @property
    def crawls(self) -> CrawlDesk | None:
        """Looks at crawls, and starts them."""
        ...

    def close(self) -> None:
        """Let go of files and threads."""
        ...


def web_app(options: WebOptions, parts: AppParts) -> SchemeMiddleware:
    """The server over these parts. It closes them when it stops, after the answers that are under way."""
    eraser = Eraser(parts.records.conversations)
    flows = FlowRunner(
        parts.asker,
        options.answer_workers,
        eraser.ended,
        queue=options.answer_queue,
        hurry_from=options.hurry_from,
    )
    assets = Assets.read()
    catalogue = Catalogue.read(options.messages_dir)
    views = environment(assets)
    metrics = Metrics()
    metrics.watch(flows, parts.readiness)
    masks = VisitorMasks(parts.sites, options.masked)
    limiter, waiting = Limiter(options.limits), PendingQuestions(options.limits.store)
    store = parts.records.conversations
    desk = ChatService(flows, parts.sites, store, eraser, limiter, Outcomes(metrics), masks, waiting)
    places = SiteContexts(parts.sites, catalogue)
    leaving = threading.Event()

    def stop() -> None:
        flows.close()
        parts.close()

    app = SchemeMiddleware(
        route_handlers=[
            *_routers(parts, limiter, AuthThrottle(options.limits)),
            health_router(parts.readiness, leaving),
            metrics_router(metrics, options.metrics_token, AuthThrottle(options.limits, at="the metrics")),
        ],
        dependencies={
            "desk": _always(desk),
            "assets": _always(assets),
            "views": _always(views),
            "sites": _always(parts.sites),
            "catalogue": _always(catalogue),
            "place": Provide(places.of, sync_to_thread=False),
        },
        guards=[only_hosts(options.allowed_hosts), written_from_known_pages, no_repeated_parameter],
        exception_handlers=problem_handlers(places),
        before_send=[
            allow_all,
            security_headers(parts.sites),
            cross_origin(parts.sites),
            metrics.count_response,
        ],
        request_class=CheckedRequest,
        request_max_body_size=options.max_body_bytes,
        template_config=TemplateConfig(instance=JinjaTemplateEngine.from_environment(views)),
        compression_config=_COMPRESSION,
        openapi_config=_openapi(),
        on_shutdown=[stop],
        logging_config=None,
    )
    app.trusted_hops = options.limits.trusted_hops
    app.leaving = leaving
    return app


def _routers(parts: AppParts, limiter: Limiter, guesses: AuthThrottle) -> list[Router]:
    return [
        page_router(limiter),
        api_router(limiter),
        asset_router(),
        theme_router(),
        loader_router(),
        admin_router(parts.records, parts.sites, _tools(parts), guesses),
    ]


def _tools(parts: AppParts) -> Tools:
    return Tools(
        parts.traces,
        parts.previews,
        parts.jobs,
        parts.golden,
        parts.evaluations,
        parts.gaps,
        parts.coverage,
        parts.snapshots,
        parts.crawls,
    )


def _always(thing: object) -> Provide:
    """A dependency that is the same thing for every request."""
    provide: Callable[[], object] = lambda: thing  # noqa: E731
    return Provide(provide, sync_to_thread=False)


def _openapi() -> OpenAPIConfig:
    """The schema at /schema/openapi.json; the usual viewers would fetch scripts from elsewhere."""
    return OpenAPIConfig(
        title="Lodge",
        version="1",
        components=Components(security_schemes={"bearer": BEARER}),
        description="Ask a university's web site; every answer names the page it comes from.",
        render_plugins=[JsonRenderPlugin(path=("/", "/openapi.json"))],
        use_handler_docstrings=True,
    )

"""The server: settings and parts become a Litestar application; its routes, headers, limits and templates."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from litestar import Router
from litestar.config.compression import CompressionConfig
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.template import TemplateConfig

from server.counting import Counter
from server.http.errors import problem_handlers
from server.http.limits import AuthThrottle, Limiter, LimitOptions, counting_requests
from server.http.metrics import Metrics, Outcomes, health_router, metrics_router
from server.http.middleware import (
    CheckedRequest,
    SchemeMiddleware,
    allow_all,
    always,
    cross_origin,
    no_repeated_parameter,
    only_hosts,
    security_headers,
    written_from_known_pages,
)
from server.masking import PATTERNS, Pattern
from server.messages.catalogue import MESSAGES_DIR, Catalogue
from server.settings import Settings
from server.visitor.api import ask, feedback_api
from server.visitor.assets import (
    Assets,
    demo_page,
    environment,
    site_logo,
    site_style,
    static_file,
    widget_file,
)
from server.visitor.chat import (
    PendingQuestions,
    chat_ask,
    chat_erase,
    chat_events,
    chat_page,
    chat_restore,
    chat_save,
    chat_without_script,
    feedback_form,
)
from server.visitor.service import ChatService, FlowRunner
from server.visitor.sessions import Eraser, VisitorMasks
from server.visitor.site_context import SiteContexts
from server.wiring.opening import patterns_of
from server.wiring.serving import Serving
from server.workbench.access.auth import BEARER
from server.workbench.router import Tools, admin_router

# Compressed as it is made. Files are compressed once, and a stream of events must not wait for a full buffer.
_COMPRESSION = CompressionConfig(
    "gzip", exclude=["^/static", "^/sites", "^/widget.js", "^/chat/events", "^/api"]
)


@dataclass(frozen=True, slots=True)
class WebOptions:
    """Options of the web layer. A longer request body is rejected; at most so many questions are worked on at
    the same time, and at most `answer_queue` wait. While `shed_from` wait, load is shed: they are answered
    by keyword search alone; 0: never.

    `messages_dir` may hold languages beside those that ship. `metrics_token` lets its holder read
    `/metrics`; empty: nobody. `masked` says what is personal in visitors' words; with none,
    nothing is masked. `allowed_hosts` are the names that the server goes by, separated by spaces; empty: any.
    """

    max_body_bytes: int = 65_536
    answer_workers: int = 2
    answer_queue: int = 64
    shed_from: int = 0
    limits: LimitOptions = field(default_factory=LimitOptions)
    messages_dir: Path = MESSAGES_DIR
    metrics_token: str = field(default="", repr=False)
    masked: Sequence[Pattern] = PATTERNS
    allowed_hosts: str = ""


def create_app(settings: Settings, parts: Serving) -> SchemeMiddleware:
    """The server over these parts, which it closes when it stops."""
    return web_app(web_options(settings), parts)


def web_options(settings: Settings) -> WebOptions:
    """The settings that the web layer needs."""
    return WebOptions(
        max_body_bytes=settings.max_body_bytes,
        answer_workers=settings.workers,
        answer_queue=settings.answer_queue,
        shed_from=settings.hurry_from,
        limits=LimitOptions(
            settings.limit_address,
            settings.limit_conversation,
            settings.limit_site,
            settings.trusted_hops,
            settings.limit_url,
            settings.limit_guesses,
            settings.limit_requests,
        ),
        messages_dir=settings.messages_dir,
        metrics_token=settings.metrics_token,
        masked=patterns_of(settings),
        allowed_hosts=settings.allowed_hosts,
    )


def web_app(options: WebOptions, parts: Serving) -> SchemeMiddleware:
    """The server over these parts. It closes them when it stops, after the answers that are under way."""
    store = parts.records.conversations
    eraser = Eraser(store)
    flows = FlowRunner(
        parts.asker.ask,
        options.answer_workers,
        eraser.ended,
        queue=options.answer_queue,
        shed_from=options.shed_from,
    )
    assets, catalogue = Assets.read(), Catalogue.read(options.messages_dir)
    views, metrics = environment(assets), _metrics(parts, flows)
    masks = VisitorMasks(parts.sites, options.masked)
    counter = Counter(options.limits.store)
    limiter, waiting = Limiter(options.limits, counter), PendingQuestions(counter.shared)
    desk = ChatService(flows, parts.sites, store, eraser, limiter, Outcomes(metrics), masks)
    places = SiteContexts(parts.sites, catalogue)
    leaving = threading.Event()

    def stop() -> None:
        flows.close()
        parts.close()

    app = SchemeMiddleware(
        route_handlers=[
            *_routers(parts, limiter, AuthThrottle(options.limits, counter)),
            health_router(parts.readiness, leaving),
            metrics_router(
                metrics, options.metrics_token, AuthThrottle(options.limits, counter, at="the metrics")
            ),
        ],
        dependencies={
            "desk": always(desk),
            "pending": always(waiting),
            "assets": always(assets),
            "views": always(views),
            "sites": always(parts.sites),
            "catalogue": always(catalogue),
            "place": Provide(places.of, sync_to_thread=False),
        },
        guards=[only_hosts(options.allowed_hosts), written_from_known_pages, no_repeated_parameter],
        exception_handlers=problem_handlers(places.error_page),
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
        on_startup=[counter.open],
        on_shutdown=[stop, counter.close],
        logging_config=None,
    )
    app.trusted_hops = options.limits.trusted_hops
    app.leaving = leaving
    return app


def _metrics(parts: Serving, flows: FlowRunner) -> Metrics:
    metrics = Metrics()
    metrics.watch(
        parts.readiness,
        {
            "lodge_workers": ("Questions that can be worked on at once.", lambda: flows.workers),
            "lodge_workers_busy": ("Questions that are being worked on.", lambda: flows.busy),
            "lodge_queue_depth": ("Questions that wait for a worker.", lambda: flows.waiting),
        },
    )
    return metrics


def _routers(parts: Serving, limiter: Limiter, guesses: AuthThrottle) -> list[Router]:
    counted = [counting_requests(limiter)]
    chat = [chat_page, chat_without_script, chat_ask, chat_events]
    conversation = [chat_restore, chat_save, chat_erase, feedback_form]
    return [
        Router("/", route_handlers=[*chat, *conversation, demo_page], guards=counted),
        Router("/api", route_handlers=[ask, feedback_api], guards=counted, tags=["ask"]),
        Router("/", route_handlers=[static_file, site_style, site_logo, widget_file]),
        admin_router(parts.records, parts.sites, tools_of(parts), guesses),
    ]


def tools_of(parts: Serving) -> Tools:
    """What the console works with, of a server's parts."""
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
        parts.mending,
        parts.hours,
        parts.notifications,
        parts.owners,
        parts.labelling,
    )


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

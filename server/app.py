"""The server: the settings and the parts become a Litestar application."""

from __future__ import annotations

from server.http.application import AppParts, web_app
from server.http.limits import LimitOptions
from server.http.middleware import SchemeMiddleware
from server.http.options import WebOptions
from server.settings import Settings
from server.wiring.opening import patterns_of


def create_app(settings: Settings, parts: AppParts) -> SchemeMiddleware:
    """The server over these parts, which it closes when it stops."""
    return web_app(web_options(settings), parts)


def web_options(settings: Settings) -> WebOptions:
    """Those of the settings that the web layer needs."""
    return WebOptions(
        max_body_bytes=settings.max_body_bytes,
        answer_workers=settings.workers,
        answer_queue=settings.answer_queue,
        hurry_from=settings.hurry_from,
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

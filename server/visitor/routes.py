"""Which handlers make up the visitor's pages and the public API."""

from __future__ import annotations

from litestar import Router

from server.http.limits import Limiter, counting_requests
from server.visitor.api import ask
from server.visitor.chat import chat_ask, chat_events, chat_page, chat_without_script
from server.visitor.conversation import chat_erase, chat_restore, chat_save
from server.visitor.feedback import feedback_api, feedback_form
from server.visitor.widget import demo_page


def page_router(limiter: Limiter) -> Router:
    """The visitor's pages."""
    conversation = [chat_restore, chat_save, chat_erase, feedback_form]
    chat = [chat_page, chat_without_script, chat_ask, chat_events]
    handlers = [*chat, *conversation, demo_page]
    return Router("/", route_handlers=handlers, guards=[counting_requests(limiter)])


def api_router(limiter: Limiter) -> Router:
    """The public API."""
    return Router(
        "/api", route_handlers=[ask, feedback_api], guards=[counting_requests(limiter)], tags=["ask"]
    )

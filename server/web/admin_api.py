"""The admin API, which the console and a partner's scripts speak to.

What visitors asked and were told is in `conversations_api.py`, what editors write in `curation_api.py`, who
changed what in `audit_api.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from litestar import Request, Router, get
from litestar.datastructures import ResponseHeader
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from server.web.audit_api import AuditRecords, audit_handler
from server.web.auth import Caller, bearer, requires
from server.web.conversations_api import conversation_handlers
from server.web.curation_api import CurationRecords, curated_handlers, notice_handlers
from server.web.masking import masked_trace, sees_personal_data
from server.web.protocols import AdminRecords
from server.web.sites_api import SiteEntries, SiteNotes, site_handlers


@dataclass(frozen=True, slots=True)
class Me:
    """What the caller's token allows."""

    role: str


class ConsoleRecords(AdminRecords, CurationRecords, AuditRecords, SiteNotes, Protocol):
    """All that the admin API needs of the records store."""


def admin_router(records: ConsoleRecords, sites: SiteEntries) -> Router:
    """`/admin/api/v1`, behind bearer tokens."""
    return Router(
        "/admin/api/v1",
        route_handlers=[
            me,
            *conversation_handlers(records),
            _trace_handler(records),
            *curated_handlers(records),
            *notice_handlers(records),
            *site_handlers(sites, records),
            audit_handler(records),
        ],
        guards=[bearer(records), requires("viewer")],
        security=[{"bearer": []}],
        response_headers=[ResponseHeader(name="Cache-Control", value="no-store")],
        tags=["admin"],
    )


@get("/me", sync_to_thread=False)
def me(request: Request[Any, str, Any]) -> Me:
    """The role of the token that asks."""
    return Me(request.auth)


def _trace_handler(records: AdminRecords) -> HTTPRouteHandler:
    @get("/traces/{trace_id:str}", sync_to_thread=True)
    def trace(request: Caller, trace_id: FromPath[str]) -> dict[str, Any]:
        """What every step of one answer saw, with the answer and its conversation's id beside it."""
        found = records.trace(trace_id)
        return found if sees_personal_data(request.auth) else masked_trace(found)

    return trace

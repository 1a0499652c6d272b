"""The audit log over the admin API, for developers: who changed what, and what was there before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter

from server.storage.audit import AuditEntry, AuditLog
from server.workbench.access.auth import DEVELOPERS

Limit = Annotated[int, QueryParameter(ge=1, le=200, description="At most this many rows.")]
Before = Annotated[str | None, QueryParameter(description="Rows older than the one with this `cursor`.")]
Kind = Annotated[
    str | None, QueryParameter(description="Only changes of this kind: curated, gap, site and so on.")
]
Who = Annotated[
    str | None, QueryParameter(description='Only what this token changed, by its name, or "command line".')
]


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Entries, newest first. `next` is the `before` of the page that follows, or null at the end."""

    changes: list[AuditEntry]
    next: str | None


def audit_handler(log: AuditLog) -> HTTPRouteHandler:
    """`GET /audit`."""

    @get("/audit", sync_to_thread=True, guards=DEVELOPERS)
    def audit(limit: Limit = 50, before: Before = None, kind: Kind = None, who: Who = None) -> ChangePage:
        """Every change over this API and by the command line, newest first."""
        found = log.changes(limit=limit + 1, before=before, kind=kind, who=who)
        return ChangePage(found[:limit], next=found[limit - 1].cursor if len(found) > limit else None)

    return audit

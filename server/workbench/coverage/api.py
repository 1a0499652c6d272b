"""The overview over the admin API: how many questions, what became of them, and how long they took."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Response, get
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter

from server.models import TurnFilter
from server.workbench.coverage.service import CoverageService
from server.workbench.coverage.store import CoverageStore, Overview
from server.workbench.exporting import csv_file, file_of

Since = Annotated[str | None, QueryParameter(description="Asked on this ISO 8601 day (UTC) or later.")]
Until = Annotated[str | None, QueryParameter(description="Asked on this ISO 8601 day (UTC) or earlier.")]
OfSite = Annotated[str | None, QueryParameter(description="Asked on this site.")]
Topic = Annotated[str | None, QueryParameter(description="Taken to be about this topic.")]


def asked(since: Since = None, until: Until = None, site: OfSite = None, topic: Topic = None) -> TurnFilter:
    """The questions that a request's query is about."""
    return TurnFilter(since, until, site, topic)


ASKED = {"asked": Provide(asked, sync_to_thread=False)}


def overview_handler(store: CoverageStore) -> HTTPRouteHandler:
    """`GET /overview`."""

    @get("/overview", sync_to_thread=True, dependencies=ASKED)
    def overview(asked: NamedDependency[TurnFilter]) -> Overview:
        """Questions, answers, refusals, ratings and times, by day, site and topic."""
        return store.overview(asked)

    return overview


Months = Annotated[
    int, QueryParameter(ge=1, le=240, description="A page without a newer day than so many months is stale.")
]
Text = Annotated[
    str, QueryParameter(max_length=500, description="Only pages with these words in title or address.")
]
Limit = Annotated[int, QueryParameter(ge=1, le=500, description="At most this many pages.")]
Offset = Annotated[int, QueryParameter(ge=0, le=10_000_000, description="After so many.")]
COLUMNS = ("url", "title", "topic", "day")


def coverage_handlers(service: CoverageService | None) -> list[HTTPRouteHandler]:
    """`/coverage`, `/coverage/never-cited` and its export; nothing without the service."""
    if service is None:
        return []

    @get("/coverage", sync_to_thread=True, dependencies=ASKED)
    def coverage(asked: NamedDependency[TurnFilter], months: Months = 24) -> dict[str, Any]:
        """Topics asked against topics written, and cited pages that are badly rated or stale.

        `pages`, `cited` and `never_cited` are numbers of pages of the live `snapshot`. Rows of `topics`:
        topic, questions, refused, pages, asked_share, pages_share; of `badly_rated`: url, title, times,
        rated, unhelpful, unhelpful_share; of `stale`: url, title, topic, times, day, reason (old,
        past_terms), term.
        """
        return service.coverage(asked, months)

    @get("/coverage/never-cited", sync_to_thread=True, dependencies=ASKED)
    def never_cited(
        asked: NamedDependency[TurnFilter], text: Text = "", limit: Limit = 50, offset: Offset = 0
    ) -> dict[str, Any]:
        """Pages of the live snapshot that no answer cites, by address: url, title, topic, day."""
        found = service.never_cited(asked, text)
        following = offset + limit if len(found) > offset + limit else None
        return {"count": len(found), "pages": found[offset : offset + limit], "next": following}

    @get(
        "/coverage/never-cited/export",
        sync_to_thread=True,
        dependencies=ASKED,
        responses=file_of("text/csv", str, "The file."),
    )
    def export(asked: NamedDependency[TurnFilter], text: Text = "") -> Response[bytes]:
        """The same as a CSV file, all of them."""
        return Response(
            csv_file(COLUMNS, service.never_cited(asked, text)),
            media_type="text/csv",
            headers={"Content-Disposition": 'attachment; filename="never-cited.csv"'},
        )

    return [coverage, never_cited, export]

"""Coverage over the admin API: pages held against what was asked."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter

from server.records import TurnFilter
from server.web.exporting import csv_file, file_of
from server.web.insight_protocols import Insight
from server.web.overview_api import ASKED

Months = Annotated[
    int, QueryParameter(ge=1, le=240, description="A page without a newer day than so many months is stale.")
]
Text = Annotated[
    str, QueryParameter(max_length=500, description="Only pages with these words in title or address.")
]
Limit = Annotated[int, QueryParameter(ge=1, le=500, description="At most this many pages.")]
Offset = Annotated[int, QueryParameter(ge=0, le=10_000_000, description="After so many.")]
COLUMNS = ("url", "title", "topic", "day")


def coverage_handlers(insight: Insight | None) -> list[HTTPRouteHandler]:
    """`/coverage`, `/coverage/never-cited` and its export; nothing without insight."""
    if insight is None:
        return []

    @get("/coverage", sync_to_thread=True, dependencies=ASKED)
    def coverage(asked: NamedDependency[TurnFilter], months: Months = 24) -> dict[str, Any]:
        """Topics asked against topics written, and cited pages that are badly rated or stale.

        `pages`, `cited` and `never_cited` are numbers of pages of the live `snapshot`. Rows of `topics`:
        topic, questions, refused, pages, asked_share, pages_share; of `badly_rated`: url, title, times,
        rated, unhelpful, unhelpful_share; of `stale`: url, title, times, day, reason (old, past_terms), term.
        """
        return insight.coverage(asked, months)

    @get("/coverage/never-cited", sync_to_thread=True, dependencies=ASKED)
    def never_cited(
        asked: NamedDependency[TurnFilter], text: Text = "", limit: Limit = 50, offset: Offset = 0
    ) -> dict[str, Any]:
        """Pages of the live snapshot that no answer cites, by address: url, title, topic, day."""
        found = insight.never_cited(asked, text)
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
            csv_file(COLUMNS, insight.never_cited(asked, text)),
            media_type="text/csv",
            headers={"Content-Disposition": 'attachment; filename="never-cited.csv"'},
        )

    return [coverage, never_cited, export]

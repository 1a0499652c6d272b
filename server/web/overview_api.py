"""The overview over the admin API: how many questions, what became of them, and how long they took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from litestar import get
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter

from server.records import TurnFilter
from server.web.insight_protocols import HasInsight

Since = Annotated[str | None, QueryParameter(description="Asked on this ISO 8601 day (UTC) or later.")]
Until = Annotated[str | None, QueryParameter(description="Asked on this ISO 8601 day (UTC) or earlier.")]
OfSite = Annotated[str | None, QueryParameter(description="Asked on this site.")]
Topic = Annotated[str | None, QueryParameter(description="Taken to be about this topic.")]


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of some questions. `name` is a day, a site or a topic (empty: none); times are exact."""

    name: str
    questions: int
    answered: int
    refused: int
    degraded: int
    helpful: int
    unhelpful: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class Overview:
    """All questions that are counted, and the same by day, site and topic."""

    total: Counts
    days: list[Counts]
    sites: list[Counts]
    topics: list[Counts]


def asked(since: Since = None, until: Until = None, site: OfSite = None, topic: Topic = None) -> TurnFilter:
    """The questions that a request's query is about."""
    return TurnFilter(since, until, site, topic)


ASKED = {"asked": Provide(asked, sync_to_thread=False)}


def overview_handler(records: HasInsight) -> HTTPRouteHandler:
    """`GET /overview`."""

    @get("/overview", sync_to_thread=True, dependencies=ASKED)
    def overview(asked: NamedDependency[TurnFilter]) -> Overview:
        """Questions, answers, refusals, ratings and times, by day, site and topic."""
        found = records.insight.overview(asked)
        rows: dict[str, Any] = {
            name: [Counts(**row) for row in found[name]] for name in ("days", "sites", "topics")
        }
        return Overview(Counts(**found["total"]), **rows)

    return overview

"""The table of sites as the admin API tells it."""

from __future__ import annotations

from dataclasses import dataclass

from litestar import get
from litestar.handlers import HTTPRouteHandler

from server.records import Site
from server.web.protocols import Sites


@dataclass(frozen=True, slots=True)
class SiteRow:
    """A site of the table. No `languages`: all that there are; an empty `strategy`: the server's own."""

    key: str
    name: str
    origins: list[str]
    languages: list[str]
    content_language: str
    contact_url: str
    strategy: str
    max_question_chars: int
    topics: list[str]
    position: str


@dataclass(frozen=True, slots=True)
class SiteList:
    """Every site, the default one first."""

    sites: list[SiteRow]


def sites_handler(sites: Sites) -> HTTPRouteHandler:
    """`GET /sites`."""

    @get("/sites", sync_to_thread=False)
    def table_of_sites() -> SiteList:
        """The web sites that are answered for, and what each is allowed."""
        return SiteList([_row(site) for site in sites.all()])

    return table_of_sites


def _row(site: Site) -> SiteRow:
    return SiteRow(
        key=site.key,
        name=site.name,
        origins=list(site.origins),
        languages=list(site.languages),
        content_language=site.content_language,
        contact_url=site.contact_url,
        strategy=site.strategy,
        max_question_chars=site.max_question_chars,
        topics=[topic.name for topic in site.topics],
        position=site.theme.position,
    )

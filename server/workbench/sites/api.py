"""The table of sites over the admin API: viewers read it, developers change it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Protocol

import msgspec
from litestar import delete, get, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from server.errors import NotFoundError
from server.http.protocols import SiteLookup
from server.models import Site
from server.storage.audit import AuditLog
from server.workbench.access.auth import DEVELOPERS, Caller
from server.workbench.faults import faults


class SiteEntries(SiteLookup, Protocol):
    """The table of sites with the file behind it."""

    def entry(self, key: str) -> dict[str, Any]:
        """What the file says of a site; `NotFoundError`."""
        ...

    def put(self, key: str, values: dict[str, Any]) -> dict[str, Any] | None:
        """Write a site's entry; what was there before, or a `BadInputError` that names what is wrong."""
        ...

    def remove(self, key: str) -> dict[str, Any]:
        """Take a site's entry out; `NotFoundError` when there is none."""
        ...


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


_TOLD = {404: "The table has no such entry.", 400: "The entry cannot be used; it says why."}


def site_handlers(sites: SiteEntries, log: AuditLog) -> list[HTTPRouteHandler]:
    """`GET /sites`, and `GET`, `PUT` and `DELETE /sites/{key}`."""

    @get("/sites", sync_to_thread=False)
    def table_of_sites() -> SiteList:
        """The web sites that are answered for, and what each is allowed."""
        return SiteList([_row(site) for site in sites.all()])

    @get("/sites/{key:str}", sync_to_thread=True, responses=faults(404, 400, told=_TOLD))
    def site_entry(key: FromPath[str]) -> dict[str, Any]:
        """What the file says of a site: the keys of docs/sites.md, as JSON."""
        return sites.entry(key)

    @put("/sites/{key:str}", guards=DEVELOPERS, sync_to_thread=True, responses=faults(400, told=_TOLD))
    def put_site(request: Caller, key: FromPath[str], data: JSONBody[dict[str, Any]]) -> dict[str, Any]:
        """Write a site's entry in place of the one it has; it holds at once, its contrasts are checked.

        A logo is a file beside the table, and named, not sent.
        """
        with log.noting(("site", key), _entry_before(sites, key), data, by=request.user):
            sites.put(key, data)
        return sites.entry(key)

    @delete("/sites/{key:str}", guards=DEVELOPERS, sync_to_thread=True, responses=faults(404, told=_TOLD))
    def remove_site(request: Caller, key: FromPath[str]) -> None:
        """Take a site's entry out; `main` is then what the settings say."""
        with log.noting(("site", key), _entry_before(sites, key), None, by=request.user):
            sites.remove(key)

    return [table_of_sites, site_entry, put_site, remove_site]


def _entry_before(sites: SiteEntries, key: str) -> dict[str, Any] | None:
    try:
        return sites.entry(key)
    except NotFoundError:
        return None


def _row(site: Site) -> SiteRow:
    of_row = {"topics": [topic.name for topic in site.topics], "position": site.theme.position}
    same = {one.name: getattr(site, one.name) for one in fields(SiteRow) if one.name not in of_row}
    return msgspec.convert(same | of_row, SiteRow)

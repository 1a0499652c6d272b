"""What editors write, over the admin API: curated answers and notices. Viewers read, editors write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from litestar import delete, get, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.errors import NotFoundError
from server.models.curation import Notice
from server.models.sites import MAIN
from server.workbench.access.auth import EDITORS, Caller
from server.workbench.curation.store import (
    CuratedBody,
    CuratedView,
    CurationStore,
    Kept,
    curated_of,
    curated_view,
)
from server.workbench.faults import described

OfSite = Annotated[str | None, QueryParameter(description="Only those of this site.")]


@dataclass(frozen=True, slots=True)
class CuratedList:
    """Curated answers, by site and id."""

    curated: list[CuratedView]


@dataclass(frozen=True, slots=True)
class NoticeBody:
    """Urgent words for all visitors of a site until an ISO 8601 moment, UTC where it names no zone."""

    text: str
    until: str
    url: str = ""
    site: str = MAIN


@dataclass(frozen=True, slots=True)
class NoticeView(NoticeBody):
    """A notice as it is kept."""

    id: str = ""


@dataclass(frozen=True, slots=True)
class NoticeList:
    """Notices, by site and id; those that are over too."""

    notices: list[NoticeView]


_TOLD = {404: "There is none with that id."}


def curated_handlers(store: CurationStore) -> list[HTTPRouteHandler]:
    """`/curated` and `/curated/{id}`."""

    @get("/curated", sync_to_thread=True)
    def curated_answers(site: OfSite = None) -> CuratedList:
        """All curated answers, or those of a site."""
        return CuratedList([curated_view(answer) for answer in store.curated(site)])

    @get("/curated/{answer_id:str}", sync_to_thread=True)
    def curated_answer(answer_id: FromPath[str]) -> CuratedView:
        """One curated answer."""
        return curated_view(_find(store.curated(), answer_id))

    @put("/curated/{answer_id:str}", sync_to_thread=True, guards=EDITORS)
    def put_curated_answer(
        request: Caller, answer_id: FromPath[str], data: JSONBody[CuratedBody]
    ) -> CuratedView:
        """Keep this answer, in place of what had the id; visitors get it within seconds."""
        store.put_curated(curated_of(answer_id, data), by=request.user)
        return curated_view(_find(store.curated(), answer_id))

    @delete("/curated/{answer_id:str}", sync_to_thread=True, guards=EDITORS)
    def delete_curated_answer(request: Caller, answer_id: FromPath[str]) -> None:
        """Remove a curated answer."""
        store.remove_curated(answer_id, by=request.user)

    handlers = [curated_answers, curated_answer, put_curated_answer, delete_curated_answer]
    return described(handlers, _TOLD)


def notice_handlers(store: CurationStore) -> list[HTTPRouteHandler]:
    """`/notices` and `/notices/{id}`."""

    @get("/notices", sync_to_thread=True)
    def notices(site: OfSite = None) -> NoticeList:
        """All notices, or those of a site."""
        return NoticeList([notice_view(notice) for notice in store.notices(site)])

    @get("/notices/{notice_id:str}", sync_to_thread=True)
    def notice(notice_id: FromPath[str]) -> NoticeView:
        """One notice."""
        return notice_view(_find(store.notices(), notice_id))

    @put("/notices/{notice_id:str}", sync_to_thread=True, guards=EDITORS)
    def put_notice(request: Caller, notice_id: FromPath[str], data: JSONBody[NoticeBody]) -> NoticeView:
        """Keep this notice, in place of what had the id; visitors see it within seconds."""
        store.put_notice(Notice(notice_id, data.site, data.text, data.until, data.url), by=request.user)
        return notice_view(_find(store.notices(), notice_id))

    @delete("/notices/{notice_id:str}", sync_to_thread=True, guards=EDITORS)
    def delete_notice(request: Caller, notice_id: FromPath[str]) -> None:
        """Remove a notice."""
        store.remove_notice(notice_id, by=request.user)

    return described([notices, notice, put_notice, delete_notice], _TOLD)


def _find(kept: Sequence[Kept], own: str) -> Kept:
    for one in kept:
        if one.id == own:
            return one
    raise NotFoundError(f"There is nothing with the id {own!r}.")


def notice_view(notice: Notice) -> NoticeView:
    """A notice as it is given out."""
    return NoticeView(notice.text, notice.until, notice.url, notice.site, notice.id)

"""What editors write, over the admin API: curated answers, notices, whether a suggested question is right.

Viewers read, editors write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from litestar import delete, get, post, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from server.errors import NotFoundError
from server.models.curation import AskedSuggestion, Notice
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
from server.workbench.curation.suggestions_store import SuggestionStore
from server.workbench.faults import described, faults

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


@dataclass(frozen=True, slots=True)
class SuggestionName:
    """A suggested question of a site; `lang` is "" where its words stand for every language."""

    question: str
    lang: str = ""
    site: str = MAIN


@dataclass(frozen=True, slots=True)
class SuggestionView(SuggestionName):
    """It as it was last asked: the pages that it was answered from, and the `page` that is right.

    `fault` says why visitors are not shown it; null: they are.
    """

    refused: bool = False
    cited: list[str] = field(default_factory=list)
    page: str | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class SuggestionList:
    """Suggested questions, by site and words."""

    suggestions: list[SuggestionView]


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


def suggestion_handlers(store: SuggestionStore) -> list[HTTPRouteHandler]:
    """`/suggestions` and `/suggestions/accept`."""

    @get("/suggestions", sync_to_thread=True)
    def suggestions(site: OfSite = None) -> SuggestionList:
        """The suggested questions as they were asked when the live snapshot was published."""
        return SuggestionList([_suggestion_view(one) for one in store.all(site)])

    @post(
        "/suggestions/accept",
        sync_to_thread=True,
        guards=EDITORS,
        status_code=HTTP_200_OK,
        responses=faults(404, 409),
    )
    def accept_suggestion(request: Caller, data: JSONBody[SuggestionName]) -> SuggestionView:
        """The page that it is answered from now is right: visitors are shown it again within seconds."""
        return _suggestion_view(store.accept(data.site, data.lang, data.question, by=request.user))

    return [suggestions, accept_suggestion]


def _suggestion_view(one: AskedSuggestion) -> SuggestionView:
    return SuggestionView(one.question, one.lang, one.site, one.refused, list(one.cited), one.page, one.fault)


def _find(kept: Sequence[Kept], own: str) -> Kept:
    for one in kept:
        if one.id == own:
            return one
    raise NotFoundError(f"There is nothing with the id {own!r}.")


def notice_view(notice: Notice) -> NoticeView:
    """A notice as it is given out."""
    return NoticeView(notice.text, notice.until, notice.url, notice.site, notice.id)

"""What editors write, over the admin API: curated answers and notices. Viewers read, editors write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Protocol, TypeVar

from litestar import delete, get, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.errors import NotFoundError
from server.http.middleware import MAIN
from server.models.curation import CuratedAnswer, Notice
from server.workbench.access.auth import Caller, requires
from server.workbench.faults import faults

Kept = TypeVar("Kept", CuratedAnswer, Notice)
OfSite = Annotated[str | None, QueryParameter(description="Only those of this site.")]


class CurationRecords(Protocol):
    """What the admin API reads and writes of what editors wrote; `by` is the name of the token that asks."""

    def curated(self, site: str | None = None) -> Sequence[CuratedAnswer]:
        """The curated answers of a site, or all."""
        ...

    def put_curated(self, answer: CuratedAnswer, *, by: str) -> CuratedAnswer | None:
        """Keep it in place of what had its id; `BadInputError` says what is wrong."""
        ...

    def remove_curated(self, answer_id: str, *, by: str) -> CuratedAnswer:
        """Remove it; `NotFoundError` when there is none."""
        ...

    def notices(self, site: str | None = None) -> Sequence[Notice]:
        """The notices of a site, or all, those that are over too."""
        ...

    def put_notice(self, notice: Notice, *, by: str) -> Notice | None:
        """Keep it in place of what had its id; `BadInputError` says what is wrong."""
        ...

    def remove_notice(self, notice_id: str, *, by: str) -> Notice:
        """Remove it; `NotFoundError` when there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Link:
    """Where a visitor can read more; `url` is an http or https address."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class CuratedBody:
    """An answer as an editor gives it: ways to ask for it, one at least, and the words.

    With a `topic` it is given only to questions that sound like it; `valid_from` and `valid_until` are ISO
    days, both included.
    """

    phrasings: list[str]
    text: str
    links: list[Link] = field(default_factory=list)
    topic: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    site: str = MAIN


@dataclass(frozen=True, slots=True)
class CuratedView(CuratedBody):
    """An answer as it is kept."""

    id: str = ""


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


_faults = partial(
    faults,
    told={
        400: "What was given cannot be kept; the message says why.",
        404: "There is none with that id.",
    },
)


def curated_handlers(records: CurationRecords) -> list[HTTPRouteHandler]:
    """`/curated` and `/curated/{id}`."""

    @get("/curated", sync_to_thread=True, responses=_faults(401))
    def curated_answers(site: OfSite = None) -> CuratedList:
        """All curated answers, or those of a site."""
        return CuratedList([curated_view(answer) for answer in records.curated(site)])

    @get("/curated/{answer_id:str}", sync_to_thread=True, responses=_faults(401, 404))
    def curated_answer(answer_id: FromPath[str]) -> CuratedView:
        """One curated answer."""
        return curated_view(_find(records.curated(), answer_id))

    @put(
        "/curated/{answer_id:str}",
        sync_to_thread=True,
        guards=[requires("editor")],
        responses=_faults(400, 401, 403),
    )
    def put_curated_answer(
        request: Caller, answer_id: FromPath[str], data: JSONBody[CuratedBody]
    ) -> CuratedView:
        """Keep this answer, in place of what had the id; visitors get it within seconds."""
        records.put_curated(curated_of(answer_id, data), by=request.user)
        return curated_view(_find(records.curated(), answer_id))

    @delete(
        "/curated/{answer_id:str}",
        sync_to_thread=True,
        guards=[requires("editor")],
        responses=_faults(401, 403, 404),
    )
    def delete_curated_answer(request: Caller, answer_id: FromPath[str]) -> None:
        """Remove a curated answer."""
        records.remove_curated(answer_id, by=request.user)

    return [curated_answers, curated_answer, put_curated_answer, delete_curated_answer]


def notice_handlers(records: CurationRecords) -> list[HTTPRouteHandler]:
    """`/notices` and `/notices/{id}`."""

    @get("/notices", sync_to_thread=True, responses=_faults(401))
    def notices(site: OfSite = None) -> NoticeList:
        """All notices, or those of a site."""
        return NoticeList([notice_view(notice) for notice in records.notices(site)])

    @get("/notices/{notice_id:str}", sync_to_thread=True, responses=_faults(401, 404))
    def notice(notice_id: FromPath[str]) -> NoticeView:
        """One notice."""
        return notice_view(_find(records.notices(), notice_id))

    @put(
        "/notices/{notice_id:str}",
        sync_to_thread=True,
        guards=[requires("editor")],
        responses=_faults(400, 401, 403),
    )
    def put_notice(request: Caller, notice_id: FromPath[str], data: JSONBody[NoticeBody]) -> NoticeView:
        """Keep this notice, in place of what had the id; visitors see it within seconds."""
        records.put_notice(Notice(notice_id, data.site, data.text, data.until, data.url), by=request.user)
        return notice_view(_find(records.notices(), notice_id))

    @delete(
        "/notices/{notice_id:str}",
        sync_to_thread=True,
        guards=[requires("editor")],
        responses=_faults(401, 403, 404),
    )
    def delete_notice(request: Caller, notice_id: FromPath[str]) -> None:
        """Remove a notice."""
        records.remove_notice(notice_id, by=request.user)

    return [notices, notice, put_notice, delete_notice]


def _find(kept: Sequence[Kept], own: str) -> Kept:
    for one in kept:
        if one.id == own:
            return one
    raise NotFoundError(f"There is nothing with the id {own!r}.")


def curated_of(answer_id: str, body: CuratedBody) -> CuratedAnswer:
    """An answer from what was given."""
    return CuratedAnswer(
        answer_id,
        body.site,
        tuple(body.phrasings),
        body.text,
        tuple((link.label, link.url) for link in body.links),
        body.topic,
        body.valid_from,
        body.valid_until,
    )


def curated_view(answer: CuratedAnswer) -> CuratedView:
    """An answer as it is given out."""
    return CuratedView(
        list(answer.phrasings),
        answer.text,
        [Link(label, url) for label, url in answer.links],
        answer.topic,
        answer.valid_from,
        answer.valid_until,
        answer.site,
        answer.id,
    )


def notice_view(notice: Notice) -> NoticeView:
    """A notice as it is given out."""
    return NoticeView(notice.text, notice.until, notice.url, notice.site, notice.id)

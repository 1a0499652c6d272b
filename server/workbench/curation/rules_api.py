"""What editors set for a site, as JSON takes and gives it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from litestar import delete, get, post, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from server.errors import ConflictError, NotAllowedError, NotFoundError
from server.models.curation import CuratedAnswer, Favour, LeaveOut, Notice, OfficeContact, RuleSet, Wording
from server.workbench.access.auth import Caller, requires
from server.workbench.curation.api import CuratedView, NoticeView, curated_of, curated_view, notice_view
from server.workbench.curation.preview_api import Previews
from server.workbench.faults import faults


class KeptDraft(Protocol):
    """What is about to be published for a site; `base` was live when it was begun."""

    @property
    def book(self) -> RuleSet:
        """The draft."""
        ...

    @property
    def base(self) -> RuleSet:
        """What it was begun from."""
        ...

    @property
    def by(self) -> str:
        """Who changed it last."""
        ...

    @property
    def at(self) -> str:
        """When, ISO 8601."""
        ...


@dataclass(frozen=True, slots=True)
class RulebookBody:
    """What editors set for a site, whole. Ids are small words of the editor's own, each once in its list.

    `suggestions` and `contacts`, where there are any, take the place of those in the table of sites.
    """

    leave_out: list[LeaveOut] = field(default_factory=list)
    favours: list[Favour] = field(default_factory=list)
    wordings: list[Wording] = field(default_factory=list)
    suggestions: list[str] = field(default_factory=list)
    contacts: list[OfficeContact] = field(default_factory=list)
    curated: list[CuratedView] = field(default_factory=list)
    notices: list[NoticeView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DraftView:
    """A draft, and what was live when it was begun."""

    book: RulebookBody
    base: RulebookBody
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class RulesView:
    """What is live for a site (`number` counts what was published), and its draft."""

    site: str
    number: int
    live: RulebookBody
    draft: DraftView | None


def rulebook_of(site: str, body: RulebookBody) -> RuleSet:
    """A rulebook from what was given."""
    return RuleSet(
        site,
        tuple(body.leave_out),
        tuple(body.favours),
        tuple(body.wordings),
        tuple(body.suggestions),
        tuple(body.contacts),
        tuple(_curated(site, one) for one in body.curated),
        tuple(Notice(one.id, site, one.text, one.until, one.url) for one in body.notices),
    )


def _curated(site: str, one: CuratedView) -> CuratedAnswer:
    return replace(curated_of(one.id, one), site=site)


def body_of(book: RuleSet) -> RulebookBody:
    """A rulebook as it is given out."""
    return RulebookBody(
        list(book.leave_out),
        list(book.favours),
        list(book.wordings),
        list(book.suggestions),
        list(book.contacts),
        [curated_view(one) for one in book.curated],
        [notice_view(one) for one in book.notices],
    )


def draft_view(draft: KeptDraft) -> DraftView:
    """A draft as it is given out."""
    return DraftView(body_of(draft.book), body_of(draft.base), draft.by, draft.at)


class Rulebooks(Protocol):
    """Where rulebooks are kept; `by` is the name of the token that asks."""

    def book(self, site: str) -> RuleSet:
        """All that is live for a site."""
        ...

    def draft(self, site: str) -> KeptDraft | None:
        """Its draft, if there is one."""
        ...

    def put_draft(self, book: RuleSet, *, by: str) -> KeptDraft:
        """Keep a draft; `BadInputError` says what is wrong."""
        ...

    def drop_draft(self, site: str, *, by: str) -> None:
        """Forget it; `NotFoundError`."""
        ...

    def publish(self, site: str, *, note: str, by: str) -> RuleSet:
        """Make it live; `NotFoundError`, `ConflictError`."""
        ...

    def go_back(self, site: str, *, by: str) -> RuleSet:
        """Undo what was published last; `NotFoundError`, `ConflictError`."""
        ...

    def history(self, site: str, *, limit: int) -> list[dict[str, Any]]:
        """What was published, newest first."""
        ...


class RuleRecords(Protocol):
    """The part of the records store that has rulebooks."""

    @property
    def rulebooks(self) -> Rulebooks:
        """Those of all sites."""
        ...


class Sites(Protocol):
    """The table of sites."""

    def get(self, key: str) -> object | None:
        """The site of that key, if there is one."""
        ...


@dataclass(frozen=True, slots=True)
class PublishBody:
    """A word on what changes, for the history; `override`: why a developer breaks golden questions."""

    note: str = ""
    override: str = ""


def rules_handlers(records: RuleRecords, previews: Previews | None, sites: Sites) -> list[HTTPRouteHandler]:
    """`/rules/{site}` with its draft, its history, publishing and going back."""
    editors = [requires("editor")]
    conflicts = faults(409, told={409: "Golden questions break, or somebody has published meanwhile."})

    def known(site: str) -> str:
        if sites.get(site) is None:
            raise NotFoundError(f"There is no site {site!r}.")
        return site

    def view(site: str) -> RulesView:
        live, draft = records.rulebooks.book(known(site)), records.rulebooks.draft(site)
        return RulesView(site, live.number, body_of(live), draft_view(draft) if draft else None)

    @get("/rules/{site:str}", sync_to_thread=True)
    def rules(site: FromPath[str]) -> RulesView:
        """What is live for a site, and its draft."""
        return view(site)

    @put("/rules/{site:str}/draft", sync_to_thread=True, guards=editors)
    def put_draft(request: Caller, site: FromPath[str], data: JSONBody[RulebookBody]) -> RulesView:
        """Keep a draft; nothing of it is live until it is published."""
        records.rulebooks.put_draft(rulebook_of(known(site), data), by=request.user)
        return view(site)

    @delete("/rules/{site:str}/draft", sync_to_thread=True, guards=editors)
    def drop_draft(request: Caller, site: FromPath[str]) -> None:
        """Forget the draft."""
        records.rulebooks.drop_draft(known(site), by=request.user)

    @post(
        "/rules/{site:str}/publish",
        sync_to_thread=True,
        guards=editors,
        status_code=HTTP_200_OK,
        responses=conflicts,
    )
    def publish(request: Caller, site: FromPath[str], data: JSONBody[PublishBody]) -> RulesView:
        """Make the draft live at once. Golden questions that it breaks are in the way of everyone but a
        developer who gives a reason."""
        book, override = draft_of(records, known(site)), data.override.strip()
        if override and request.auth != "developer":
            raise NotAllowedError("Only a developer may publish what breaks golden questions.", code="role")
        broken = previews.breaks(book) if previews and not override else []
        if broken:
            named = "; ".join(f"“{one['question']}”: {one['failure']}" for one in broken)
            raise ConflictError(f"Golden questions break: {named}", code="golden")
        note = f"{data.note} (against golden questions: {override})" if override else data.note
        records.rulebooks.publish(site, note=note.strip(), by=request.user)
        return view(site)

    @post(
        "/rules/{site:str}/back",
        sync_to_thread=True,
        guards=editors,
        status_code=HTTP_200_OK,
        responses=conflicts,
    )
    def go_back(request: Caller, site: FromPath[str]) -> RulesView:
        """Undo what was published last, at once."""
        records.rulebooks.go_back(known(site), by=request.user)
        return view(site)

    @get("/rules/{site:str}/history", sync_to_thread=True)
    def history(site: FromPath[str]) -> dict[str, Any]:
        """What was published, newest first: number, at, by, note, before and document."""
        return {"versions": records.rulebooks.history(known(site), limit=50)}

    return [rules, put_draft, drop_draft, publish, go_back, history]


def draft_of(records: RuleRecords, site: str) -> RuleSet:
    """The draft of a site; `NotFoundError` when there is none."""
    draft = records.rulebooks.draft(site)
    if draft is None:
        raise NotFoundError("There is no draft for that site.")
    return draft.book

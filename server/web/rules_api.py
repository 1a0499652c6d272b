"""What editors set for a site, over the admin API: drafted, tried, published, undone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from litestar import delete, get, post, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from server.errors import ConflictError, NotAllowedError, NotFoundError
from server.rulebook import Rulebook
from server.web.auth import Caller, requires
from server.web.faults import faults
from server.web.previews_api import Previews
from server.web.rules_body import KeptDraft, RulebookBody, RulesView, body_of, draft_view, rulebook_of


class Rulebooks(Protocol):
    """Where rulebooks are kept; `by` is the name of the token that asks."""

    def book(self, site: str) -> Rulebook:
        """All that is live for a site."""
        ...

    def draft(self, site: str) -> KeptDraft | None:
        """Its draft, if there is one."""
        ...

    def put_draft(self, book: Rulebook, *, by: str) -> KeptDraft:
        """Keep a draft; `BadInputError` says what is wrong."""
        ...

    def drop_draft(self, site: str, *, by: str) -> None:
        """Forget it; `NotFoundError`."""
        ...

    def publish(self, site: str, *, note: str, by: str) -> Rulebook:
        """Make it live; `NotFoundError`, `ConflictError`."""
        ...

    def go_back(self, site: str, *, by: str) -> Rulebook:
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


def draft_of(records: RuleRecords, site: str) -> Rulebook:
    """The draft of a site; `NotFoundError` when there is none."""
    draft = records.rulebooks.draft(site)
    if draft is None:
        raise NotFoundError("There is no draft for that site.")
    return draft.book

"""What editors set for a site, as JSON takes and gives it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from server.curation import CuratedAnswer, Notice
from server.rulebook import Favour, LeaveOut, OfficeContact, Rulebook, Wording
from server.web.curation_api import CuratedView, NoticeView, curated_of, curated_view, notice_view


class KeptDraft(Protocol):
    """What is about to be published for a site; `base` was live when it was begun."""

    @property
    def book(self) -> Rulebook:
        """The draft."""
        ...

    @property
    def base(self) -> Rulebook:
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


def rulebook_of(site: str, body: RulebookBody) -> Rulebook:
    """A rulebook from what was given."""
    return Rulebook(
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


def body_of(book: Rulebook) -> RulebookBody:
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

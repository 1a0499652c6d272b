"""What editors write for visitors: answers in their own words, notices, rules, suggested questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, get_args

from server.errors import ConflictError
from server.models.golden import bare_address
from server.models.sites import Audience, PageKind


@dataclass(frozen=True, slots=True)
class CuratedAnswer:
    """An editor's answer to a question of one site.

    `phrasings` are ways to ask it, one at least; `links` are (label, URL) pairs. With a `topic` it is given
    only to questions that sound like it. It is valid from and until these ISO days, both included.
    """

    id: str
    site: str
    phrasings: tuple[str, ...]
    text: str
    links: tuple[tuple[str, str], ...] = ()
    topic: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None

    def valid_on(self, day: str) -> bool:
        """Whether it holds on an ISO day."""
        return (self.valid_from or day) <= day <= (self.valid_until or day)


@dataclass(frozen=True, slots=True)
class Notice:
    """Urgent words of one site that stand above all its answers until an ISO 8601 moment, UTC."""

    id: str
    site: str
    text: str
    until: str
    url: str = ""


LeaveOutKind = Literal["prefix", "pattern", "pages", "older", "thinner"]
FavourKind = Literal["prefer", "pin"]


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """Pages that no answer is made from, by what their `kind` makes of `value`.

    `prefix`: how the address begins, or its path where the value begins with a slash. `pattern`: an address
    with `*` for anything. `pages`: addresses, one a line. `older`: last changed so many months ago or more; a
    page without a day stays. `thinner`: fewer characters of text than that.
    """

    id: str
    kind: LeaveOutKind
    value: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Favour:
    """A page that comes before others for questions of a `topic`, or with a `phrase` in them.

    `prefer`: it answers where it answers about as well as any other. `pin`: it answers wherever it answers at
    all, and comes first in any case. `page` is an address; for `prefer` also the beginning of several.
    """

    id: str
    kind: FavourKind
    page: str
    topic: str | None = None
    phrase: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class PageLabel:
    """What kind of page a page is, and for whom, where its own signs tell it wrongly.

    `page` is an address, or the beginning of several with `*` at its end. `kind` None: as it was told;
    `audiences` None: likewise; none of them: for anyone.
    """

    id: str
    page: str
    kind: PageKind | None = None
    audiences: tuple[Audience, ...] | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Wording:
    """Visitors say one of `says`, and the pages write `means`: it is looked for in the pages' words."""

    id: str
    says: tuple[str, ...]
    means: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class OfficeContact:
    """Whom to ask about a topic, or about anything (`topic` None), as plain words and addresses."""

    id: str
    label: str
    topic: str | None = None
    email: str = ""
    phone: str = ""
    url: str = ""
    hours: str = ""


@dataclass(frozen=True, slots=True)
class AskedSuggestion:
    """What a site's suggested question was answered from when it was asked: its pages, best first.

    `lang` is "" where its words stand for every language. `page` is the one that it is known to be rightly
    answered from; None: it never was answered from any.
    """

    site: str
    lang: str
    question: str
    refused: bool
    cited: tuple[str, ...] = ()
    page: str | None = None

    @property
    def fault(self) -> str | None:
        """Why it is not shown to visitors, as a sentence; None: it is right."""
        if self.refused:
            return "It is not answered."
        if self.page and self.cited and bare_address(self.cited[0]) != bare_address(self.page):
            return f"It is answered from {self.cited[0]}; the right page is {self.page}."
        return None


@dataclass(frozen=True, slots=True)
class RuleSet:
    """All that editors have set for one site. `number` counts what was published, 0: nothing yet.

    `suggestions` and `contacts`, where there are any, take the place of those in the table of sites.
    """

    site: str
    leave_out: tuple[LeaveOut, ...] = ()
    favours: tuple[Favour, ...] = ()
    wordings: tuple[Wording, ...] = ()
    suggestions: tuple[str, ...] = ()
    contacts: tuple[OfficeContact, ...] = ()
    curated: tuple[CuratedAnswer, ...] = ()
    notices: tuple[Notice, ...] = ()
    number: int = 0
    labels: tuple[PageLabel, ...] = ()


Item = TypeVar("Item", LeaveOut, Favour, PageLabel, Wording, OfficeContact, CuratedAnswer, Notice)


ItemList = Literal["leave_out", "favours", "labels", "wordings", "contacts", "curated", "notices"]


@dataclass(frozen=True, slots=True)
class ItemRef:
    """One item of a rulebook: the list that it is in, and its id."""

    part: ItemList
    id: str


def narrowed(base: RuleSet, draft: RuleSet, chosen: Sequence[ItemRef]) -> RuleSet:
    """Of what a draft changed of `base`, the chosen items alone; one that the draft has not is removed."""
    lists: dict[str, Any] = {}
    for name in get_args(ItemList):
        kept, wanted = ({one.id: one for one in getattr(book, name)} for book in (base, draft))
        for own in (one.id for one in chosen if one.part == name):
            if own in wanted:
                kept[own] = wanted[own]
            else:
                kept.pop(own, None)
        lists[name] = tuple(kept.values())
    return replace(base, **lists)


def sets_the_same(one: RuleSet, other: RuleSet) -> bool:
    """Whether two rulebooks have the same items, in whatever order."""
    lists = all(set(getattr(one, name)) == set(getattr(other, name)) for name in get_args(ItemList))
    return lists and one.suggestions == other.suggestions


def merged(base: RuleSet, draft: RuleSet, live: RuleSet) -> RuleSet:
    """What a draft changed of `base`, done to what is live now.

    Raises `ConflictError` where both changed the same thing, differently.
    """
    suggestions = live.suggestions
    if draft.suggestions != base.suggestions:
        if live.suggestions not in (base.suggestions, draft.suggestions):
            raise _conflict("The suggested questions were")
        suggestions = draft.suggestions
    return replace(
        live,
        leave_out=_merged(base.leave_out, draft.leave_out, live.leave_out),
        favours=_merged(base.favours, draft.favours, live.favours),
        labels=_merged(base.labels, draft.labels, live.labels),
        wordings=_merged(base.wordings, draft.wordings, live.wordings),
        contacts=_merged(base.contacts, draft.contacts, live.contacts),
        curated=_merged(base.curated, draft.curated, live.curated),
        notices=_merged(base.notices, draft.notices, live.notices),
        suggestions=suggestions,
    )


def _merged(base: tuple[Item, ...], draft: tuple[Item, ...], live: tuple[Item, ...]) -> tuple[Item, ...]:
    """The draft as it stands where nobody else changed any; else what is live, and what is new behind it."""
    if live == base:
        return draft
    was, wanted, now = ({one.id: one for one in some} for some in (base, draft, live))
    for own in {**was, **wanted}:
        if was.get(own) == wanted.get(own):
            continue
        if now.get(own) not in (was.get(own), wanted.get(own)):
            raise _conflict(f"{own!r} was")
        if own in wanted:
            now[own] = wanted[own]
        else:
            now.pop(own, None)
    return tuple(now.values())


def _conflict(what: str) -> ConflictError:
    return ConflictError(
        f"{what} changed by somebody else since this draft was begun. Look at what is live, then begin anew."
    )

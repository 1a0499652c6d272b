"""What an editor sets, before it is kept: whatever could not be used is a `BadInputError` that names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

from server.errors import BadInputError
from server.records_db.curation_check import (
    MAX_LABEL_CHARS,
    MAX_PHRASING_CHARS,
    MAX_TOPIC_CHARS,
    MAX_URL_CHARS,
    check_names,
    checked_answer,
    checked_notice,
    line_of,
    url_of,
)
from server.rulebook import Favour, FavourKind, Item, LeaveOut, LeaveOutKind, OfficeContact, Rulebook, Wording

MOST_ITEMS, MAX_PAGES, MAX_NUMBER_DIGITS = 500, 2000, 6
MAX_WHY_CHARS, MAX_SUGGESTIONS = 500, 12


def checked_rulebook(book: Rulebook, live: Rulebook) -> Rulebook:
    """A rulebook as it is kept: texts without space around them. A notice that is live may be over."""
    named: Mapping[str, Sequence[Any]] = {
        "filters": book.leave_out,
        "preferred pages": book.favours,
        "wordings": book.wordings,
        "contacts": book.contacts,
        "curated answers": book.curated,
        "notices": book.notices,
    }
    for what, items in named.items():
        _check_ids(what, [item.id for item in items], book.site)
    if len(book.suggestions) > MAX_SUGGESTIONS:
        raise BadInputError(f"A site takes at most {MAX_SUGGESTIONS} suggested questions.")
    now, known = datetime.now(UTC), set(live.notices)
    return replace(
        book,
        leave_out=tuple(map(_leave_out, book.leave_out)),
        favours=tuple(map(_favour, book.favours)),
        wordings=tuple(map(_wording, book.wordings)),
        contacts=tuple(map(_contact, book.contacts)),
        curated=tuple(checked_answer(_of_site(one, book.site)) for one in book.curated),
        notices=tuple(
            one if one in known else checked_notice(_of_site(one, book.site), now) for one in book.notices
        ),
        suggestions=tuple(dict.fromkeys(map(_suggestion, book.suggestions))),
    )


def _check_ids(what: str, ids: Sequence[str], site: str) -> None:
    if len(ids) > MOST_ITEMS:
        raise BadInputError(f"A site takes at most {MOST_ITEMS} {what}.")
    for own in ids:
        check_names(own, site)
    if len(set(ids)) < len(ids):
        twice = next(own for own in ids if ids.count(own) > 1)
        raise BadInputError(f"There are two {what} with the id {twice!r}.")


def _of_site(item: Item, site: str) -> Item:
    if getattr(item, "site", site) != site:
        raise BadInputError(f"{item.id!r} is of another site than {site}.")
    return item


def _leave_out(rule: LeaveOut) -> LeaveOut:
    name, value = f"The filter {rule.id!r}", rule.value.strip()
    _check_kind(name, rule.kind, get_args(LeaveOutKind))
    if rule.kind == "pages":
        lines = dict.fromkeys(line.strip() for line in value.splitlines() if line.strip())
        if not 1 <= len(lines) <= MAX_PAGES:
            raise BadInputError(f"{name} takes 1 to {MAX_PAGES} addresses, one a line.")
        value = "\n".join(map(url_of, lines))
    elif rule.kind in {"older", "thinner"}:
        if not (value.isascii() and value.isdigit() and len(value) <= MAX_NUMBER_DIGITS and int(value)):
            what = "months" if rule.kind == "older" else "characters"
            raise BadInputError(f"{name} takes a number of {what}; {value!r} is none.")
    else:
        value = line_of(value, f"{name}: what it leaves out", MAX_URL_CHARS)
        if not value.strip("*/ ") or value in {"http://", "https://"}:
            raise BadInputError(f"{name} would leave out every page.")
    return replace(rule, value=value, why=_why(rule.why))


def _favour(rule: Favour) -> Favour:
    name = f"The preferred page {rule.id!r}"
    _check_kind(name, rule.kind, get_args(FavourKind))
    if bool(rule.topic) == bool(rule.phrase):
        raise BadInputError(f"{name} takes either a topic or a phrase of the questions that it is for.")
    return replace(
        rule,
        page=url_of(rule.page),
        topic=line_of(rule.topic, "A topic", MAX_TOPIC_CHARS) if rule.topic else None,
        phrase=line_of(rule.phrase, "A phrase", MAX_PHRASING_CHARS) if rule.phrase else None,
        why=_why(rule.why),
    )


def _wording(one: Wording) -> Wording:
    says = tuple(dict.fromkeys(line_of(said, "What visitors say", MAX_LABEL_CHARS) for said in one.says))
    means = line_of(one.means, "What the pages write", MAX_LABEL_CHARS)
    if not says:
        raise BadInputError(f"The wording {one.id!r} does not say what visitors say.")
    if means.casefold() in {said.casefold() for said in says}:
        raise BadInputError(f"The wording {one.id!r} puts {means!r} in place of itself.")
    return replace(one, says=says, means=means, why=_why(one.why))


def _suggestion(text: str) -> str:
    return line_of(text, "A suggested question", MAX_PHRASING_CHARS)


def _contact(one: OfficeContact) -> OfficeContact:
    if not (one.email.strip() or one.phone.strip() or one.url.strip()):
        raise BadInputError(f"The contact {one.id!r} has no e-mail address, telephone number or page.")
    return replace(
        one,
        label=line_of(one.label, "A contact's name", MAX_LABEL_CHARS),
        topic=line_of(one.topic, "A topic", MAX_TOPIC_CHARS) if one.topic else None,
        email=_optional(one.email, "An e-mail address"),
        phone=_optional(one.phone, "A telephone number"),
        hours=_optional(one.hours, "A contact's hours"),
        url=url_of(one.url) if one.url.strip() else "",
    )


def _check_kind(name: str, kind: str, kinds: Sequence[str]) -> None:
    if kind not in kinds:
        raise BadInputError(f"{name} has the kind {kind!r}; it takes one of: {', '.join(kinds)}.")


def _optional(text: str, what: str) -> str:
    return line_of(text, what, MAX_LABEL_CHARS) if text.strip() else ""


def _why(text: str) -> str:
    return line_of(text, "The reason", MAX_WHY_CHARS) if text.strip() else ""

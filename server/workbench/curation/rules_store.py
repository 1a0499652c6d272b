"""Query rules: what editors set for a site, as a draft and as published versions, and what may be kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, get_args

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from server.errors import BadInputError, NotFoundError
from server.models import Audience, PageKind
from server.models.curation import (
    CuratedAnswer,
    Favour,
    FavourKind,
    Item,
    ItemRef,
    LeaveOut,
    LeaveOutKind,
    Notice,
    OfficeContact,
    PageLabel,
    RuleSet,
    Wording,
    merged,
    narrowed,
    sets_the_same,
)
from server.storage.audit import COMMAND_LINE, Kind, note_change
from server.storage.engine import Transactions
from server.storage.kept import Shelf, read_version, renew_version
from server.storage.tables.editors import StoredDraft, StoredRulebook
from server.workbench.checks import MAX_TOPIC_CHARS, MAX_URL_CHARS, check_names, line_of, url_of
from server.workbench.curation.store import (
    ANSWERS,
    MAX_LABEL_CHARS,
    MAX_PHRASING_CHARS,
    NOTICES,
    Kept,
    checked_answer,
    checked_notice,
    kept_of,
)

MOST_ITEMS, MAX_PAGES, MAX_NUMBER_DIGITS = 500, 2000, 6
MAX_WHY_CHARS, MAX_SUGGESTIONS = 500, 12


def checked_rulebook(book: RuleSet, live: RuleSet) -> RuleSet:
    """A rulebook as it is kept: texts without space around them. A notice that is live may be over."""
    named: Mapping[str, Sequence[Any]] = {
        "filters": book.leave_out,
        "preferred pages": book.favours,
        "page labels": book.labels,
        "wordings": book.wordings,
        "contacts": book.contacts,
        "curated answers": book.curated,
        "notices": book.notices,
    }
    for what, items in named.items():
        _check_ids(what, [item.id for item in items], book.site)
    if len(book.suggestions) > MAX_SUGGESTIONS:
        raise BadInputError(f"A site takes at most {MAX_SUGGESTIONS} suggested questions.")
    known = set(live.notices)
    return replace(
        book,
        leave_out=tuple(map(_leave_out, book.leave_out)),
        favours=tuple(map(_favour, book.favours)),
        labels=tuple(map(_label, book.labels)),
        wordings=tuple(map(_wording, book.wordings)),
        contacts=tuple(map(_contact, book.contacts)),
        curated=tuple(checked_answer(_of_site(one, book.site)) for one in book.curated),
        notices=tuple(
            one if one in known else checked_notice(_of_site(one, book.site)) for one in book.notices
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


def _label(one: PageLabel) -> PageLabel:
    name = f"The page label {one.id!r}"
    if one.kind is None and one.audiences is None:
        raise BadInputError(f"{name} says neither what kind of page it is nor whom it is for.")
    if one.kind is not None:
        _check_kind(name, one.kind, get_args(PageKind))
    for audience in one.audiences or ():
        if audience not in get_args(Audience):
            known = ", ".join(get_args(Audience))
            raise BadInputError(f"{name} has the audience {audience!r}; it takes any of: {known}.")
    audiences = None if one.audiences is None else tuple(dict.fromkeys(one.audiences))
    return replace(one, page=url_of(one.page), audiences=audiences, why=_why(one.why))


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


NO_DRAFT = "There is no draft for that site."
JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """What is about to be published for a site; `base` was live when it was begun."""

    book: RuleSet
    base: RuleSet
    by: str
    at: str


class RuleSetStore:
    """The rulebooks of all sites. Every method is one transaction; changes are in the audit log."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions
        self._told: list[Callable[[], None]] = []

    def tell(self, *listeners: Callable[[], None]) -> None:
        """Call these whenever something has gone live by this object; other processes look for themselves."""
        self._told += listeners

    def live(self) -> list[RuleSet]:
        """The live rulebook of every site that has one, without what is kept elsewhere: answers, notices."""
        last = select(func.max(StoredRulebook.number)).group_by(StoredRulebook.site)
        query = select(StoredRulebook.number, StoredRulebook.document).where(StoredRulebook.number.in_(last))
        with self._transactions.reading() as connection:
            rows = connection.execute(query).all()
        return [replace(read_rulebook(row.document, row.number), curated=(), notices=()) for row in rows]

    def version(self) -> str:
        """Another value after every change to what editors have set or written."""
        with self._transactions.reading() as connection:
            return read_version(connection)

    def book(self, site: str) -> RuleSet:
        """All that is live for a site."""
        with self._transactions.reading() as connection:
            return _live(connection, site)

    def draft(self, site: str) -> RuleDraft | None:
        """What is about to be published for a site, if somebody has begun a draft."""
        with self._transactions.reading() as connection:
            return _draft(connection, site)

    def draft_of(self, site: str, only: Sequence[ItemRef] = ()) -> RuleSet:
        """The draft of a site; with `only`, what is live with these items of it.

        `NotFoundError` when there is none, or it has not changed such an item; `ConflictError` where somebody
        else has.
        """
        with self._transactions.reading() as connection:
            draft = _draft_of(connection, site)
            return _chosen(draft, _live(connection, site), only) if only else draft.book

    def put_draft(self, book: RuleSet, *, by: str = COMMAND_LINE) -> RuleDraft:
        """Keeps a draft in place of the site's last one; nothing of it is live. `BadInputError`."""
        with self._transactions.writing() as connection:
            live, before = _live(connection, book.site), _draft(connection, book.site)
            book = replace(checked_rulebook(book, live), number=0)
            base, at = before.base if before else live, datetime.now(UTC)
            was, now = asdict(before.book if before else live), asdict(book)
            row = {"site": book.site, "at": at, "by": by, "base": asdict(base), "document": now}
            connection.execute(delete(StoredDraft).where(StoredDraft.site == book.site))
            connection.execute(insert(StoredDraft), row)
            _note(connection, by, ("draft", book.site), was, now)
        return RuleDraft(book, base, by, at.isoformat())

    def drop_draft(self, site: str, *, by: str = COMMAND_LINE) -> None:
        """Forgets a draft; `NotFoundError` when there is none."""
        with self._transactions.writing() as connection:
            draft = _draft_of(connection, site)
            connection.execute(delete(StoredDraft).where(StoredDraft.site == site))
            note_change(connection, by, ("draft", site), asdict(draft.book), None)

    def publish(
        self, site: str, *, note: str = "", by: str = COMMAND_LINE, only: Sequence[ItemRef] = ()
    ) -> RuleSet:
        """Makes a draft live, all of it or nothing; returns what is live then.

        With `only` these items of it; what else it changes stays a draft. `NotFoundError` without a draft, or
        where it has not changed such an item; `ConflictError` where somebody has changed the same thing
        meanwhile.
        """
        with self._transactions.writing() as connection:
            draft, live = _draft_of(connection, site), _live(connection, site)
            wanted = _chosen(draft, live, only) if only else merged(draft.base, draft.book, live)
            rest = narrowed(draft.base, draft.book, only) if only else draft.book
            of_site = StoredDraft.site == site
            if sets_the_same(rest, draft.book):
                connection.execute(delete(StoredDraft).where(of_site))
            else:
                connection.execute(update(StoredDraft).where(of_site).values(base=asdict(rest)))
            published = _publish(connection, live, wanted, note, by)
        self._tell()
        return published

    def go_back(self, site: str, *, by: str = COMMAND_LINE) -> RuleSet:
        """Undoes what was published last, as a version of its own; `NotFoundError` when there was nothing.

        Only what that version changed is set back. Notices that are over meanwhile stay away.
        """
        with self._transactions.writing() as connection:
            row = _last(connection, site)
            if row is None:
                raise NotFoundError("Nothing was published for that site yet.")
            before, after = read_rulebook(row["before"]), read_rulebook(row["document"])
            live = _live(connection, site)
            note = f"Back to what held before version {row['number']}"
            published = _publish(connection, live, merged(after, before, live), note, by)
        self._tell()
        return published

    def _tell(self) -> None:
        for listener in self._told:
            listener()

    def last_published(self, site: str) -> tuple[RuleSet, RuleSet] | None:
        """What held before the last publishing, and what was published; None: nothing was."""
        with self._transactions.reading() as connection:
            row = _last(connection, site)
            return (read_rulebook(row["before"]), read_rulebook(row["document"])) if row else None

    def history(self, site: str, *, limit: int = 50) -> list[dict[str, Any]]:
        """What was published, newest first: number, at, by, note, before and document (rulebooks as JSON)."""
        query = (
            select(StoredRulebook.__table__)
            .where(StoredRulebook.site == site)
            .order_by(StoredRulebook.number.desc())
            .limit(limit)
        )
        with self._transactions.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [dict(row) | {"at": row["at"].isoformat()} for row in rows]


def read_rulebook(document: JsonObject, number: int = 0) -> RuleSet:
    """A rulebook from its JSON; `BadInputError` for what is none."""
    try:
        book = msgspec.convert(document, RuleSet)
    except msgspec.ValidationError as error:
        raise BadInputError(f"What was given is no rulebook: {error}.") from None
    return replace(book, number=number or book.number)


def _last(connection: Connection, site: str) -> JsonObject | None:
    query = select(StoredRulebook.__table__).where(StoredRulebook.site == site)
    last = connection.execute(query.order_by(StoredRulebook.number.desc()).limit(1))
    row = last.mappings().one_or_none()
    return None if row is None else {**row}


def _live(connection: Connection, site: str) -> RuleSet:
    """What was published last, with the answers and notices as they are now, whoever wrote them."""
    row = _last(connection, site)
    book = read_rulebook(row["document"], row["number"]) if row else RuleSet(site)
    return replace(
        book, curated=kept_of(connection, ANSWERS, site), notices=kept_of(connection, NOTICES, site)
    )


def _draft(connection: Connection, site: str) -> RuleDraft | None:
    query = select(StoredDraft.__table__).where(StoredDraft.site == site)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    book, base = read_rulebook(row["document"]), read_rulebook(row["base"])
    return RuleDraft(book, base, row["by"], row["at"].isoformat())


def _draft_of(connection: Connection, site: str) -> RuleDraft:
    draft = _draft(connection, site)
    if draft is None:
        raise NotFoundError(NO_DRAFT)
    return draft


def _chosen(draft: RuleDraft, live: RuleSet, only: Sequence[ItemRef]) -> RuleSet:
    """What is live with these items of a draft."""
    for one in only:
        was, now = (
            [item for item in getattr(book, one.part) if item.id == one.id]
            for book in (draft.base, draft.book)
        )
        if was == now:
            raise NotFoundError(f"The draft changes no {one.id!r} in {one.part}.")
    return merged(draft.base, narrowed(draft.base, draft.book, only), live)


def _publish(connection: Connection, live: RuleSet, wanted: RuleSet, note: str, by: str) -> RuleSet:
    _replace(connection, ANSWERS, live.curated, wanted.curated, by)
    _replace(connection, NOTICES, live.notices, wanted.notices, by)
    after = replace(
        wanted,
        curated=kept_of(connection, ANSWERS, live.site),
        notices=kept_of(connection, NOTICES, live.site),
    )
    was, document, note = asdict(live), asdict(after), note.strip()[:500]
    row = {
        "site": live.site,
        "at": datetime.now(UTC),
        "by": by,
        "note": note,
        "before": was,
        "document": document,
    }
    made = connection.execute(insert(StoredRulebook).values(row))
    [number] = made.inserted_primary_key or (0,)
    renew_version(connection)
    _note(connection, by, ("rules", live.site), was, document | {"note": note})
    return replace(after, number=int(number))


def _note(connection: Connection, by: str, thing: tuple[Kind, str], was: JsonObject, now: JsonObject) -> None:
    """Writes down the parts that are otherwise."""
    changed = [name for name in now if name != "number" and was.get(name) != now[name]]
    before, after = ({name: one[name] for name in changed if name in one} for one in (was, now))
    note_change(connection, by, thing, before, after)


def _replace(
    connection: Connection, of: Shelf[Kept], live: Sequence[Kept], wanted: Sequence[Kept], by: str
) -> None:
    """Removes what is no longer wanted, and keeps what is new, but for notices that are over by now."""
    ids = {one.id for one in wanted}
    for old in live:
        if old.id not in ids:
            of.remove(connection, old.id, by)
    for new in wanted:
        if new not in live and not _is_over(new):
            of.put(connection, new, by)


def _is_over(one: CuratedAnswer | Notice) -> bool:
    return isinstance(one, Notice) and datetime.fromisoformat(one.until) <= datetime.now(UTC)

"""What editors set for each site: a draft, the versions that were published, and the way back."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from server.curation import CuratedAnswer, Notice
from server.errors import BadInputError, NotFoundError
from server.records_db import curation
from server.records_db.audit import COMMAND_LINE, Kind, note_change
from server.records_db.database import Transactions
from server.records_db.rulebook_check import checked_rulebook
from server.records_db.tables import CurationVersion, StoredDraft, StoredRulebook
from server.rulebook import Favour, LeaveOut, OfficeContact, Rulebook, Wording, merged

NO_DRAFT = "There is no draft for that site."
JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """What is about to be published for a site; `base` was live when it was begun."""

    book: Rulebook
    base: Rulebook
    by: str
    at: str


class RulebookShelf:
    """The rulebooks of all sites. Every method is one transaction; changes are in the audit log."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions
        self._told: list[Callable[[], None]] = []

    def tell(self, *listeners: Callable[[], None]) -> None:
        """Call these whenever something has gone live by this object; other processes look for themselves."""
        self._told += listeners

    def live(self) -> list[Rulebook]:
        """The live rulebook of every site that has one, without what is kept elsewhere: answers, notices."""
        last = select(func.max(StoredRulebook.number)).group_by(StoredRulebook.site)
        query = select(StoredRulebook.number, StoredRulebook.document).where(StoredRulebook.number.in_(last))
        with self._transactions.reading() as connection:
            rows = connection.execute(query).all()
        return [replace(read_rulebook(row.document, row.number), curated=(), notices=()) for row in rows]

    def version(self) -> str:
        """Another value after every change to what editors have set or written."""
        with self._transactions.reading() as connection:
            return curation.read_version(connection)

    def book(self, site: str) -> Rulebook:
        """All that is live for a site."""
        with self._transactions.reading() as connection:
            return _live(connection, site)

    def draft(self, site: str) -> Draft | None:
        """What is about to be published for a site, if somebody has begun a draft."""
        with self._transactions.reading() as connection:
            return _draft(connection, site)

    def put_draft(self, book: Rulebook, *, by: str = COMMAND_LINE) -> Draft:
        """Keeps a draft in place of the site's last one; nothing of it is live. `BadInputError`."""
        with self._transactions.writing() as connection:
            live, before = _live(connection, book.site), _draft(connection, book.site)
            book = replace(checked_rulebook(book, live), number=0)
            base, at = before.base if before else live, datetime.now(UTC)
            was, now = as_json(before.book if before else live), as_json(book)
            row = {"site": book.site, "at": at, "by": by, "base": as_json(base), "document": now}
            connection.execute(delete(StoredDraft).where(StoredDraft.site == book.site))
            connection.execute(insert(StoredDraft), row)
            _note(connection, by, ("draft", book.site), was, now)
        return Draft(book, base, by, at.isoformat())

    def drop_draft(self, site: str, *, by: str = COMMAND_LINE) -> None:
        """Forgets a draft; `NotFoundError` when there is none."""
        with self._transactions.writing() as connection:
            draft = _draft(connection, site)
            if draft is None:
                raise NotFoundError(NO_DRAFT)
            connection.execute(delete(StoredDraft).where(StoredDraft.site == site))
            note_change(connection, by, ("draft", site), as_json(draft.book), None)

    def publish(self, site: str, *, note: str = "", by: str = COMMAND_LINE) -> Rulebook:
        """Makes a draft live, all of it or nothing; returns what is live then.

        `NotFoundError` without a draft; `ConflictError` where somebody has changed the same thing meanwhile.
        """
        with self._transactions.writing() as connection:
            draft, live = _draft(connection, site), _live(connection, site)
            if draft is None:
                raise NotFoundError(NO_DRAFT)
            wanted = merged(draft.base, draft.book, live)
            connection.execute(delete(StoredDraft).where(StoredDraft.site == site))
            published = _publish(connection, live, wanted, note, by)
        self._tell()
        return published

    def go_back(self, site: str, *, by: str = COMMAND_LINE) -> Rulebook:
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


def read_rulebook(document: JsonObject, number: int = 0) -> Rulebook:
    """A rulebook from its JSON; `BadInputError` for what is none."""
    try:
        return Rulebook(
            site=document["site"],
            leave_out=tuple(LeaveOut(**one) for one in document.get("leave_out", ())),
            favours=tuple(Favour(**one) for one in document.get("favours", ())),
            wordings=tuple(
                Wording(**{**one, "says": tuple(one["says"])}) for one in document.get("wordings", ())
            ),
            suggestions=tuple(document.get("suggestions", ())),
            contacts=tuple(OfficeContact(**one) for one in document.get("contacts", ())),
            curated=tuple(map(_curated, document.get("curated", ()))),
            notices=tuple(Notice(**one) for one in document.get("notices", ())),
            number=number or document.get("number", 0),
        )
    except (TypeError, KeyError) as error:
        raise BadInputError(f"What was given is no rulebook: {error}.") from None


def as_json(book: Rulebook) -> dict[str, Any]:
    """A rulebook as JSON, which `read_rulebook` takes back."""
    return asdict(book)


def _curated(one: JsonObject) -> CuratedAnswer:
    links = tuple((label, url) for label, url in one.get("links", ()))
    return CuratedAnswer(**{**one, "phrasings": tuple(one["phrasings"]), "links": links})


def _last(connection: Connection, site: str) -> JsonObject | None:
    query = select(StoredRulebook.__table__).where(StoredRulebook.site == site)
    last = connection.execute(query.order_by(StoredRulebook.number.desc()).limit(1))
    row = last.mappings().one_or_none()
    return None if row is None else {**row}


def _live(connection: Connection, site: str) -> Rulebook:
    """What was published last, with the answers and notices as they are now, whoever wrote them."""
    row = _last(connection, site)
    book = read_rulebook(row["document"], row["number"]) if row else Rulebook(site)
    return replace(
        book,
        curated=curation.read_answers(connection, site),
        notices=curation.read_notices(connection, site),
    )


def _draft(connection: Connection, site: str) -> Draft | None:
    query = select(StoredDraft.__table__).where(StoredDraft.site == site)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    book, base = read_rulebook(row["document"]), read_rulebook(row["base"])
    return Draft(book, base, row["by"], row["at"].isoformat())


def _publish(connection: Connection, live: Rulebook, wanted: Rulebook, note: str, by: str) -> Rulebook:
    for old in _gone(live.curated, wanted.curated):
        curation.remove_answer(connection, old.id, by)
    for answer in _new(live.curated, wanted.curated):
        curation.put_answer(connection, answer, by)
    for old_notice in _gone(live.notices, wanted.notices):
        curation.remove_notice(connection, old_notice.id, by)
    now = datetime.now(UTC)
    for notice in _new(live.notices, wanted.notices):
        if datetime.fromisoformat(notice.until) > now:
            curation.put_notice(connection, notice, by)
    after = replace(
        wanted,
        curated=curation.read_answers(connection, live.site),
        notices=curation.read_notices(connection, live.site),
    )
    was, document, note = as_json(live), as_json(after), note.strip()[:500]
    row = {"site": live.site, "at": now, "by": by, "note": note, "before": was, "document": document}
    made = connection.execute(insert(StoredRulebook).values(row))
    [number] = made.inserted_primary_key or (0,)
    connection.execute(update(CurationVersion).values(value=uuid.uuid4().hex))
    _note(connection, by, ("rules", live.site), was, document | {"note": note})
    return replace(after, number=int(number))


def _note(connection: Connection, by: str, thing: tuple[Kind, str], was: JsonObject, now: JsonObject) -> None:
    """Writes down the parts that are otherwise."""
    changed = [name for name in now if name != "number" and was.get(name) != now[name]]
    before, after = ({name: one[name] for name in changed if name in one} for one in (was, now))
    note_change(connection, by, thing, before, after)


def _gone(
    was: Sequence[CuratedAnswer] | Sequence[Notice], wanted: Sequence[CuratedAnswer] | Sequence[Notice]
) -> list[Any]:
    ids = {one.id for one in wanted}
    return [one for one in was if one.id not in ids]


def _new(
    was: Sequence[CuratedAnswer] | Sequence[Notice], wanted: Sequence[CuratedAnswer] | Sequence[Notice]
) -> list[Any]:
    return [one for one in wanted if one not in was]

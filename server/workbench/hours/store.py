"""Editors' corrections of opening hours: what may be kept of them, where, and how one is undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import msgspec
from sqlalchemy import Connection, select

from server.errors import BadInputError, ConflictError
from server.models.hours import HoursCorrection
from server.storage.audit import AuditEntry
from server.storage.engine import RecordStore, Transactions
from server.storage.kept import Shelf, read_version, renew_version
from server.storage.tables.editors import StoredHoursCorrection
from server.storage.tables.running import StoredChange
from server.workbench.checks import check_names, line_of, url_of
from server.written_hours.editors import read_dates, read_week

MAX_NAME_CHARS, MAX_HOURS_CHARS, MAX_NOTE_CHARS = 120, 500, 300
# So many of the latest changes of a site's hours are looked through for a place's.
LOOKED_AT = 500


class HoursStore(RecordStore):
    """The corrections of all sites. Every method is one transaction; what changes them takes `by`."""

    def __init__(self, transactions: Transactions) -> None:
        super().__init__(transactions)
        self._told: list[Callable[[], None]] = []

    def tell(self, *listeners: Callable[[], None]) -> None:
        """Call these whenever this object has changed something; other processes look for themselves."""
        self._told += listeners

    def corrections(self, site: str | None = None) -> tuple[HoursCorrection, ...]:
        """Those of a site, or all, by site and id."""
        with self._transactions.reading() as connection:
            return CORRECTIONS.all(
                connection, *(() if site is None else (StoredHoursCorrection.site == site,))
            )

    def version(self) -> str:
        """Another value after every change."""
        with self._transactions.reading() as connection:
            return read_version(connection)

    def put(self, correction: HoursCorrection, *, by: str) -> HoursCorrection:
        """Keeps it in place of what had its id; `BadInputError` says what is wrong."""
        self._change(lambda connection: CORRECTIONS.put(connection, correction, by))
        return correction

    def remove(self, own: str, *, by: str) -> None:
        """What the page says is told again; `NotFoundError` when there is none."""
        self._change(lambda connection: CORRECTIONS.remove(connection, own, by))

    def changes(self, site: str, url: str, place: str) -> list[AuditEntry]:
        """The latest changes of what is said of a place, newest first."""
        with self._transactions.reading() as connection:
            found = _changes(connection)
        wanted = {"site": site, "url": url, "place": place}
        return [one for one in found if wanted.items() <= (one.after or one.before or {}).items()]

    def undo(self, own: str, *, by: str) -> None:
        """Puts back what a correction was before its last change, or its removal; undone twice, it is done.

        `ConflictError` where the audit log knows of no change any more.
        """
        self._change(lambda connection: _undo(connection, own, by))

    def _change(self, change: Callable[[Connection], object]) -> None:
        with self._transactions.writing() as connection:
            change(connection)
            renew_version(connection)
        for listener in self._told:
            listener()


def checked(one: HoursCorrection) -> HoursCorrection:
    """The correction as it is kept; `BadInputError` where its hours cannot be read whole."""
    check_names(one.id, one.site)
    part = line_of(one.part, "The part's name", MAX_NAME_CHARS) if one.part.strip() else ""
    note = line_of(one.note, "The note", MAX_NOTE_CHARS) if one.note.strip() else ""
    first, last = one.first, one.last or one.first
    text = "" if one.kind == "quote" else line_of(one.text, "The hours", MAX_HOURS_CHARS)
    if one.kind == "dates":
        _check_days(first, last)
        read_dates(text)
    else:
        first = last = None
        if one.kind == "week":
            read_week(text)
    name = line_of(one.place, "The place's name", MAX_NAME_CHARS)
    return replace(
        one, url=url_of(one.url), place=name, part=part, text=text, first=first, last=last, note=note
    )


CORRECTIONS: Shelf[HoursCorrection] = Shelf(
    "hours", StoredHoursCorrection, HoursCorrection, checked, "There is no correction with that id."
)


def _check_days(first: str | None, last: str | None) -> None:
    for day in (first, last):
        try:
            good = day is not None and date.fromisoformat(day).isoformat() == day
        except ValueError:
            good = False
        if not good:
            raise BadInputError(f"{day or ''!r} is no day such as 2026-11-22.")
    if first and last and last < first:
        raise BadInputError(f"The last day, {last}, is before the first, {first}.")


def _changes(connection: Connection) -> list[AuditEntry]:
    query = select(StoredChange.__table__).where(StoredChange.kind == "hours")
    rows = connection.execute(query.order_by(StoredChange.number.desc()).limit(LOOKED_AT))
    return [
        AuditEntry(row.at.isoformat(), row.who, row.kind, row.thing, row.before, row.after, str(row.number))
        for row in rows
    ]


def _undo(connection: Connection, own: str, by: str) -> None:
    last = next((one for one in _changes(connection) if one.id == own), None)
    if last is None:
        raise ConflictError("There is nothing to undo: the audit log has no change of this correction.")
    if last.before is None:
        CORRECTIONS.remove(connection, own, by)
    else:
        CORRECTIONS.put(connection, msgspec.convert(last.before, HoursCorrection), by)

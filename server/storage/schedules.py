"""When sites are crawled by themselves. Whoever claims a schedule that is due starts it, and nobody else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from server.errors import NotFoundError
from server.models.schedules import CrawlSchedule, KeptSchedule, check, next_time
from server.storage.audit import COMMAND_LINE, note_change
from server.storage.engine import Transactions
from server.storage.tables import StoredSchedule

_TABLE = StoredSchedule.__table__
_FIELDS = [field.name for field in fields(CrawlSchedule)]


class ScheduleStore:
    """One schedule a site at most. Every method is one transaction; people's changes are in the audit log."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def all(self) -> tuple[KeptSchedule, ...]:
        """All of them, by site."""
        with self._transactions.reading() as connection:
            rows = connection.execute(select(_TABLE).order_by(StoredSchedule.site)).mappings()
            return tuple(_kept(row) for row in rows)

    def put(self, schedule: CrawlSchedule, now: datetime, *, by: str = COMMAND_LINE) -> None:
        """Keeps it in place of the site's earlier one, due next after `now`; `BadInputError`."""
        check(schedule)
        with self._transactions.writing() as connection:
            before = _of_site(connection, schedule.site)
            connection.execute(delete(StoredSchedule).where(StoredSchedule.site == schedule.site))
            row = asdict(schedule) | {"next_at": next_time(schedule, now)}
            if before is not None:
                row |= {"last_at": before.last_at, "last_said": before.last_said}
            connection.execute(insert(StoredSchedule), row)
            earlier = asdict(before.schedule) if before else None
            note_change(connection, by, ("schedule", schedule.site), earlier, asdict(schedule))

    def remove(self, site: str, *, by: str = COMMAND_LINE) -> None:
        """The site is no longer crawled by itself; `NotFoundError` when it was not."""
        with self._transactions.writing() as connection:
            before = _of_site(connection, site)
            if before is None:
                raise NotFoundError(f"No crawl of {site} is scheduled.")
            connection.execute(delete(StoredSchedule).where(StoredSchedule.site == site))
            note_change(connection, by, ("schedule", site), asdict(before.schedule), None)

    def claim(self, now: datetime) -> CrawlSchedule | None:
        """One that is due, which is the caller's to start; None where there is none, or others were first.

        One that was missed, while no server ran, is due once. One that lies further ahead than it can was
        noted by a clock that is put back since: it is due by this one.
        """
        due = select(_TABLE).where(StoredSchedule.next_at <= now).order_by(StoredSchedule.next_at).limit(1)
        with self._transactions.writing() as connection:
            _take_back(connection, now)
            row = connection.execute(due).mappings().one_or_none()
            if row is None:
                return None
            schedule = _kept(row).schedule
            mine = (
                update(StoredSchedule)
                .where(StoredSchedule.site == schedule.site, StoredSchedule.next_at == row["next_at"])
                .values(next_at=next_time(schedule, now), last_at=now, last_said="")
            )
            return schedule if connection.execute(mine).rowcount == 1 else None

    def note(self, site: str, said: str) -> None:
        """What came of the last start, as a sentence; a schedule that is gone by now needs none."""
        with self._transactions.writing() as connection:
            connection.execute(
                update(StoredSchedule).where(StoredSchedule.site == site).values(last_said=said)
            )


def _take_back(connection: Connection, now: datetime) -> None:
    for row in connection.execute(select(_TABLE).where(StoredSchedule.next_at > now)).mappings().all():
        next_at = next_time(_kept(row).schedule, now)
        if next_at < row["next_at"]:
            own = StoredSchedule.site == row["site"]
            connection.execute(update(StoredSchedule).where(own).values(next_at=next_at))


def _of_site(connection: Connection, site: str) -> KeptSchedule | None:
    row = connection.execute(select(_TABLE).where(StoredSchedule.site == site)).mappings().one_or_none()
    return None if row is None else _kept(row)


def _kept(row: Mapping[Any, Any]) -> KeptSchedule:
    lists = {"urls": tuple(row["urls"]), "prefixes": tuple(row["prefixes"])}
    schedule = CrawlSchedule(**{name: row[name] for name in _FIELDS} | lists)
    return KeptSchedule(schedule, row["next_at"], row["last_at"], row["last_said"])

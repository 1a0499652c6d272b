"""When sites are crawled by themselves, and what is done with what a crawl brings.

A schedule is one row of the records store for all servers. Whoever claims one that is due starts it, and
nobody else: the claim is in the transaction that keeps the crawl's job.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import Connection, delete, insert, select, update

from server.errors import BadInputError, ConflictError, NotFoundError
from server.storage.audit import COMMAND_LINE, note_change
from server.storage.engine import RecordStore
from server.storage.tables.running import StoredSchedule

Every = Literal["day", "week"]
Then = Literal["nothing", "build", "publish"]
EVERY: tuple[Every, ...] = ("day", "week")
THEN: tuple[Then, ...] = ("nothing", "build", "publish")
MAX_URLS = 20

_TABLE = StoredSchedule.__table__


@dataclass(frozen=True, slots=True)
class CrawlSchedule:
    """A site (`host` or `host:port`) is crawled from `urls`, below `prefixes` where there are any.

    At the full `hour` (0 to 23) of an IANA `zone`, on every day, or on one `weekday` (0 is Monday) of every
    week. `then`: a snapshot is built of it, and published unless a golden question fails.
    """

    site: str
    urls: tuple[str, ...]
    every: Every = "week"
    hour: int = 3
    weekday: int = 6
    zone: str = "UTC"
    then: Then = "nothing"
    prefixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptSchedule:
    """A schedule, when it is due next and was started last (UTC), and what came of that in a sentence."""

    schedule: CrawlSchedule
    next_at: datetime
    last_at: datetime | None = None
    last_said: str = ""


def check(schedule: CrawlSchedule) -> None:
    """`BadInputError` names what a schedule cannot be."""
    if not 1 <= len(schedule.urls) <= MAX_URLS or len(schedule.prefixes) > MAX_URLS:
        raise BadInputError(f"A schedule takes 1 to {MAX_URLS} start addresses, and as many prefixes.")
    if schedule.every not in EVERY or schedule.then not in THEN:
        raise BadInputError(f"`every` is one of {', '.join(EVERY)}; `then` is one of {', '.join(THEN)}.")
    if not (0 <= schedule.hour <= 23 and 0 <= schedule.weekday <= 6):
        raise BadInputError("The hour is 0 to 23, and the weekday 0 (Monday) to 6.")
    _zone(schedule.zone)


def next_time(schedule: CrawlSchedule, after: datetime) -> datetime:
    """The first moment after `after` at which it is due, in UTC. A clock's change moves nothing."""
    day = after.astimezone(_zone(schedule.zone))
    due = day.replace(hour=schedule.hour, minute=0, second=0, microsecond=0, fold=0)
    if schedule.every == "week":
        due += timedelta(days=(schedule.weekday - due.weekday()) % 7)
    step = timedelta(days=7 if schedule.every == "week" else 1)
    while due.astimezone(UTC) <= after:  # steps of the wall clock, compared as moments
        due += step
    return due.astimezone(UTC)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadInputError(f"{name!r} is no time zone; it takes one such as America/New_York.") from None


_FIELDS = [field.name for field in fields(CrawlSchedule)]


class ScheduleStore(RecordStore):
    """One schedule a site at most. Every method is one transaction; people's changes are in the audit log."""

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

    def due(self, now: datetime) -> CrawlSchedule | None:
        """The one that is due for longest, if any is.

        One that was missed, while no server ran, is due once. One that lies further ahead than it can was
        noted by a clock that is put back since: it is due by this one.
        """
        is_due = StoredSchedule.next_at <= now
        with self._transactions.writing() as connection:
            _take_back(connection, now)
            found = select(_TABLE).where(is_due).order_by(StoredSchedule.next_at).limit(1)
            row = connection.execute(found).mappings().one_or_none()
            return None if row is None else _kept(row).schedule

    @staticmethod
    def claim(connection: Connection, schedule: CrawlSchedule, now: datetime) -> None:
        """It is the caller's to start, within this transaction; `ConflictError` where another was first."""
        is_due = (StoredSchedule.site == schedule.site, StoredSchedule.next_at <= now)
        begun = {"next_at": next_time(schedule, now), "last_at": now, "last_said": ""}
        if connection.execute(update(StoredSchedule).where(*is_due).values(begun)).rowcount != 1:
            raise ConflictError(f"Another server has begun the crawl of {schedule.site}.")

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

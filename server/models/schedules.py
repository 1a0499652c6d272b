"""When a site is crawled again by itself, and what is done with what the crawl brings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from server.errors import BadInputError

Every = Literal["day", "week"]
Then = Literal["nothing", "build", "publish"]
EVERY: tuple[Every, ...] = ("day", "week")
THEN: tuple[Then, ...] = ("nothing", "build", "publish")
MAX_URLS = 20


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

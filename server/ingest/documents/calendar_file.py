"""An iCalendar file as HTML: the events around a day as lines, "Add/drop ends: Friday, September 11, 2026".

What recurs is written out within that time. Moments are told by the site's clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr  # type: ignore[import-untyped]  # it ships no types
from icalendar import Calendar

from server.ingest.documents.failures import UnreadableDocumentError
from server.ingest.extract.structured import EVENTS_HEADING, all_of, clock_words, date_words

BEFORE, AFTER = timedelta(days=120), timedelta(days=400)
MOST_EVENTS, MOST_OF_SERIES, PAST_OF_SERIES = 1_000, 20, 2
LONGEST_NAME, LONGEST_ABOUT = 200, 300
_RULES = frozenset(("DAILY", "WEEKLY", "MONTHLY", "YEARLY"))  # none of an event's recurs by the hour
_PRIVATE = ("PRIVATE", "CONFIDENTIAL")
_TAG = re.compile(r"<[^<>]{0,500}>")
# What one broken event brings is no reason to leave out the others.
_BROKEN = (ValueError, TypeError, AttributeError, OverflowError, KeyError, IndexError)

Moment = date | datetime


@dataclass(frozen=True, slots=True, order=True)
class CalendarEvent:
    """One event by the site's clock; of whole days, both included, both are midnights."""

    first: datetime
    last: datetime
    whole_days: bool
    name: str
    place: str
    about: str

    @property
    def line(self) -> str:
        """ "Career fair: Wednesday, October 14, 2026, 10 a.m.–2 p.m., Main Hall"."""
        days = tuple(dict.fromkeys((self.first.date(), self.last.date())))
        told = [_day_words(days[0]) if len(days) == 1 else "–".join(map(date_words, days))]
        if not self.whole_days and len(days) == 1:
            minutes = dict.fromkeys((_minute(self.first), _minute(self.last)))
            told.append("–".join(map(clock_words, minutes)))
        line = f"{self.name}: {', '.join(filter(None, (*told, self.place)))}"
        return f"{line.removesuffix('.')}. {self.about}" if self.about else line


def calendar_as_html(body: bytes, today: str, zone: str = "") -> str:
    """A list of the events around `today` (ISO 8601), in their order, below the calendar's name.

    `zone` is an IANA name; without one it is the calendar's own, or this machine's.
    """
    try:
        calendars = Calendar.from_ical(body.decode("utf-8-sig", "replace"), multiple=True)
    except _BROKEN as error:
        raise UnreadableDocumentError("damaged") from error
    if not calendars:  # it breaks off
        raise UnreadableDocumentError("damaged")
    day = datetime.combine(date.fromisoformat(today), time())
    found = [one for calendar in calendars for one in _events_of(calendar, day, zone)]
    if not found:
        raise UnreadableDocumentError("no_events")
    lines = dict.fromkeys(one.line for one in sorted(found)[:MOST_EVENTS])
    names = (_text(calendar, key) for calendar in calendars for key in ("X-WR-CALNAME", "NAME"))
    name = escape(next(filter(None, names), "")[:LONGEST_NAME])
    titled = f"<title>{name}</title><h1>{name}</h1>" if name else ""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"{titled}<h2>{EVENTS_HEADING}</h2><ul>{items}</ul>"


def _events_of(calendar: Any, day: datetime, zone: str) -> Iterator[CalendarEvent]:
    own = _zone(zone) or _zone(str(calendar.get("X-WR-TIMEZONE", "")))
    events = list(calendar.walk("VEVENT"))
    moved = _moved(events)
    for event in events:
        try:
            yield from _told(event, moved, own, day)
        except _BROKEN:
            continue


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, KeyError):
        return None


def _moved(events: Sequence[Any]) -> Mapping[str, set[Moment]]:
    """The days of each series that events of their own stand for."""
    moved: dict[str, set[Moment]] = {}
    for event in events:
        moment = getattr(event.get("RECURRENCE-ID"), "dt", None)
        if moment is not None:
            moved.setdefault(str(event.get("UID")), set()).add(_bare(moment, _tz_of(event)))
    return moved


def _told(
    event: Any, moved: Mapping[str, set[Moment]], zone: tzinfo | None, day: datetime
) -> Iterator[CalendarEvent]:
    """The times of one event around a day; none of one that is cancelled or private."""
    name = _text(event, "SUMMARY")[:LONGEST_NAME]
    if not name or _text(event, "STATUS") == "CANCELLED" or _text(event, "CLASS") in _PRIVATE:
        return
    starts: Moment = event["DTSTART"].dt
    whole, tz = not isinstance(starts, datetime), _tz_of(event)
    length = _length(event, starts)
    is_series = "RRULE" in event or "RDATE" in event
    gone = moved.get(str(event.get("UID")), set()) if "RECURRENCE-ID" not in event else set()
    days = _series(event, _naive(starts), gone, day) if is_series else [_naive(starts)]
    for first in days:
        begins = first if whole else _local(first.replace(tzinfo=tz), zone)
        ends = first + length if whole else _local((first + length).replace(tzinfo=tz), zone)
        if day - BEFORE <= ends and begins <= day + AFTER:
            last = max(ends - timedelta(days=1), begins) if whole else ends
            yield CalendarEvent(
                begins, last, whole, name, _text(event, "LOCATION")[:LONGEST_NAME], _about(event)
            )


def _series(event: Any, first: datetime, gone: set[Moment], day: datetime) -> list[datetime]:
    """The times at which it recurs around a day: the last two before it, and those to come."""
    found = {first}
    low, high = day - BEFORE, day + AFTER
    for rule in all_of(event.get("RRULE")):
        found |= set(_by_rule(rule, first, _tz_of(event), low, high))
    left: set[Moment] = gone | set(_listed(event, "EXDATE"))
    found |= {_naive(moment) for moment in _listed(event, "RDATE")}
    times = sorted(one for one in found if low <= one <= high and not {one, one.date()} & left)
    past = [one for one in times if one < day][-PAST_OF_SERIES:]
    return [*past, *(one for one in times if one >= day)][:MOST_OF_SERIES]


def _by_rule(rule: Any, first: datetime, tz: tzinfo | None, low: datetime, high: datetime) -> list[datetime]:
    given = {key.upper(): values for key, values in rule.items()}
    if str(all_of(given["FREQ"])[0]) not in _RULES or int(all_of(given.get("INTERVAL", 1))[0]) < 1:
        return []
    if "UNTIL" in given:
        until = _bare(all_of(given["UNTIL"])[0], tz)
        ends = until if isinstance(until, datetime) else datetime.combine(until, time.max)
        high = min(high, ends)
        rule = type(rule)({key: values for key, values in rule.items() if key.upper() != "UNTIL"})
    rules = rrulestr(rule.to_ical().decode(), dtstart=first)
    return list(rules.between(low, high, inc=True))


def _listed(event: Any, key: str) -> Iterator[Moment]:
    for dates in all_of(event.get(key)):
        for one in dates.dts:
            moment = one.dt[0] if isinstance(one.dt, tuple) else one.dt
            yield _bare(moment, _tz_of(event))


def _tz_of(event: Any) -> tzinfo | None:
    return getattr(getattr(event.get("DTSTART"), "dt", None), "tzinfo", None)


def _bare(moment: Moment, tz: tzinfo | None) -> Moment:
    """By the clock of the event's own zone; a day stays a day."""
    if isinstance(moment, datetime) and moment.tzinfo is not None and tz is not None:
        moment = moment.astimezone(tz)
    return moment.replace(tzinfo=None) if isinstance(moment, datetime) else moment


def _naive(moment: Moment) -> datetime:
    return moment.replace(tzinfo=None) if isinstance(moment, datetime) else datetime.combine(moment, time())


def _local(moment: datetime, zone: tzinfo | None) -> datetime:
    """By the site's clock; a moment without a zone is."""
    return moment.astimezone(zone).replace(tzinfo=None) if moment.tzinfo else moment


def _length(event: Any, starts: Moment) -> timedelta:
    if "DTEND" in event:
        ends = _bare(event["DTEND"].dt, _tz_of(event))
        return max(_naive(ends) - _naive(starts), timedelta())
    if "DURATION" in event:
        given: timedelta = event["DURATION"].dt
        return max(given, timedelta())
    return timedelta() if isinstance(starts, datetime) else timedelta(days=1)


def _text(component: Any, key: str) -> str:
    return " ".join(str(component.get(key, "")).split())


def _about(event: Any) -> str:
    """A short description, without markup; a long one is for the calendar itself."""
    text = " ".join(_TAG.sub(" ", str(event.get("DESCRIPTION", ""))).split())
    return text if len(text) <= LONGEST_ABOUT else ""


def _minute(moment: datetime) -> int:
    return moment.hour * 60 + moment.minute


def _day_words(day: date) -> str:
    return f"{day:%A}, {date_words(day)}"

"""Opening hours and events that a page says in schema.org's words, as JSON-LD or microdata, as its sections.

Each is a line as a page would write it ("Monday–Friday: 9 a.m.–5 p.m."), below the name of what it is of, and
is read, quoted and cited like any other. What is not wholly understood is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from html import unescape
from typing import Any

from lxml import etree

from server.academic_terms import WEEKDAYS
from server.ingest.extract.dates import linked_data
from server.ingest.extract.main_content import text_of
from server.models import Block, Section

HOURS_HEADING, EVENTS_HEADING = "Opening hours", "Events"
DEEPEST, MOST_LINES, LONGEST_NAME = 6, 60, 120
DAY_MINUTES = 24 * 60

Node = Mapping[str, Any]

_SHORT = {name[:2].casefold(): i for i, name in enumerate(WEEKDAYS)}
_CLOCK = re.compile(r"(\d\d):(\d\d)(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?")
_COMPACT = re.compile(
    r"(?P<days>[A-Za-z]{2}(?:\s*[-,]\s*[A-Za-z]{2})*)\s+(?P<start>\d\d:\d\d)\s*[-–]\s*(?P<end>\d\d:\d\d)"
)
_EVENT = re.compile(r"(?:\w*Event|Festival|Hackathon|CourseInstance)")
_SPECIFICATIONS = ("openingHoursSpecification", "specialOpeningHoursSpecification")


def structured_sections(root: etree._Element, title: str) -> tuple[Section, ...]:
    """A section of opening hours for each name that has any, and one of events."""
    nodes = [*_nested(list(linked_data(root))), *_nested(list(_microdata(root)))]
    hours: dict[str, list[str]] = {}
    events: list[str] = []
    for node in nodes:
        lines = list(_hours_lines(node))
        if lines:
            hours.setdefault(_name(node) or title, []).extend(lines)
        if _is_event(node) and (line := _event_line(node)):
            events.append(line)
    sections = [_section((title, name, HOURS_HEADING), lines) for name, lines in hours.items()]
    if events:
        sections.append(_section((title, EVENTS_HEADING), events))
    return tuple(sections)


def _section(path: tuple[str, ...], lines: Sequence[str]) -> Section:
    blocks = tuple(Block("list", line) for line in list(dict.fromkeys(lines))[:MOST_LINES])
    return Section(tuple(dict.fromkeys(path)), blocks)


def _nested(found: Sequence[Any], depth: int = 0) -> Iterator[Node]:
    """Objects and those within them, a department of a library and so on."""
    for node in found if depth < DEEPEST else ():
        if isinstance(node, Mapping):
            yield node
            for key, value in node.items():
                if key not in (*_SPECIFICATIONS, "@graph"):
                    yield from _nested(value if isinstance(value, list) else [value], depth + 1)


def _microdata(root: etree._Element) -> Iterator[Node]:
    """The outermost items of a page's microdata, each as the JSON-LD object that says the same."""
    for element in root.iter():
        if element.get("itemscope") is not None and element.get("itemprop") is None:
            yield _item(element)


def _item(element: etree._Element, depth: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {"@type": (element.get("itemtype") or "").rsplit("/", 1)[-1]}
    waiting = list(element)
    while waiting and depth < DEEPEST:
        child = waiting.pop(0)
        names = (child.get("itemprop") or "").split()
        is_item = child.get("itemscope") is not None
        for name in names:
            value = _item(child, depth + 1) if is_item else _value(child)
            found.setdefault(name, []).append(value)
        if not is_item:
            waiting = [*child, *waiting]
    return found


def _value(element: etree._Element) -> str:
    for attribute in ("content", "datetime", "href"):
        if value := element.get(attribute):
            return str(value).strip()
    return text_of(element)


def _hours_lines(node: Node) -> Iterator[str]:
    for text in _texts(node.get("openingHours")):
        matches = list(_COMPACT.finditer(text))
        if matches and not _COMPACT.sub("", text).strip(" ,;"):
            for match in matches:
                days = _compact_days(match["days"])
                yield from _line(days, match["start"], match["end"]) if days else ()
    for key in _SPECIFICATIONS:
        for one in all_of(node.get(key)):
            if isinstance(one, Mapping):
                yield from _specified(one)


def _specified(one: Node) -> Iterator[str]:
    """ "December 24, 2026–January 1, 2027: Closed"; without both ends of what it is valid for, nothing."""
    ends = [_first(one.get(key)) for key in ("validFrom", "validThrough")]
    days = [_day(text) if text else None for text in ends]
    if any(text and day is None for text, day in zip(ends, days, strict=True)) or (days[0] is None) != (
        days[1] is None
    ):
        return
    named = [_weekday(text) for text in _texts(one.get("dayOfWeek"))]
    opens, closes = _first(one.get("opens")), _first(one.get("closes"))
    if None in named or not (named or days[0]):
        return
    dates = "" if days[0] is None or days[1] is None else _dates(days[0], days[1])
    weekdays = sorted(day for day in named if day is not None)
    if opens is None and closes is None and dates:
        yield f"{_led(dates, weekdays)}: Closed"
    elif opens is not None and closes is not None:
        yield from _line(weekdays, opens, closes, dates)


def _line(weekdays: Sequence[int], opens: str, closes: str, dates: str = "") -> Iterator[str]:
    start, end = _minute(opens), _minute(closes)
    if start is None or end is None:
        return
    if start == end:
        told = "Closed" if start == 0 else "24 hours"
    elif start == 0 and end >= DAY_MINUTES - 1:
        told = "24 hours"
    else:
        told = f"{clock_words(start)}–{clock_words(end)}"
    yield f"{_led(dates, weekdays)}: {told}"


def _led(dates: str, weekdays: Sequence[int]) -> str:
    return ", ".join(filter(None, (dates, _days_words(weekdays))))


def _days_words(weekdays: Sequence[int]) -> str:
    if len(weekdays) > 2 and weekdays[-1] - weekdays[0] == len(weekdays) - 1:
        return f"{WEEKDAYS[weekdays[0]]}–{WEEKDAYS[weekdays[-1]]}"
    return ", ".join(WEEKDAYS[day] for day in weekdays)


def _compact_days(text: str) -> list[int]:
    """`Mo-Fr`, `Mo,We`; empty where a part of it is no day."""
    found: set[int] = set()
    for part in re.split(r"\s*,\s*", text.strip()):
        ends = [_SHORT.get(day.strip().casefold()) for day in part.split("-")]
        if None in ends or len(ends) > 2:
            return []
        first, last = ends[0] or 0, ends[-1] or 0
        found |= {(first + i) % 7 for i in range((last - first) % 7 + 1)}
    return sorted(found)


def _weekday(text: str) -> int | None:
    name = text.rstrip("/").rsplit("/", 1)[-1].capitalize()
    return WEEKDAYS.index(name) if name in WEEKDAYS else None


def _minute(text: str) -> int | None:
    match = _CLOCK.fullmatch(text.strip())
    return int(match[1]) * 60 + int(match[2]) if match and int(match[1]) < 25 else None


def date_words(day: date) -> str:
    """A day as a page writes it: "October 24, 2026"."""
    return f"{day:%B} {day.day}, {day.year}"


def clock_words(minute: int) -> str:
    """A minute of the day as a page writes it: "9:30 a.m.", "noon"."""
    hours, minutes = divmod(minute % DAY_MINUTES, 60)
    if not minutes and hours in (0, 12):
        return "noon" if hours else "midnight"
    shown = f"{(hours - 1) % 12 + 1}" + (f":{minutes:02d}" if minutes else "")
    return f"{shown} {'a.m.' if hours < 12 else 'p.m.'}"


def _is_event(node: Node) -> bool:
    return any(_EVENT.fullmatch(one.rsplit("/", 1)[-1]) for one in _texts(node.get("@type")))


def _event_line(node: Node) -> str:
    """ "Open house: October 24, 2026, 10 a.m.–2 p.m., Quarry Hall"; "" for one without a day."""
    name, starts, ends = _name(node), _first(node.get("startDate")), _first(node.get("endDate"))
    first = _day(starts) if starts else None
    if not name or first is None or starts is None or "Cancelled" in (_first(node.get("eventStatus")) or ""):
        return ""
    last = _day(ends) if ends else None
    told = [_dates(first, last or first), _event_times(starts, ends or "", is_one_day=last in (None, first))]
    told += [_name(one) if isinstance(one, Mapping) else str(one) for one in all_of(node.get("location"))[:1]]
    return f"{name}: {', '.join(filter(None, told))}"


def _event_times(starts: str, ends: str, *, is_one_day: bool) -> str:
    if not is_one_day or "T" not in starts:
        return ""
    times = [_minute(text.partition("T")[2].partition(".")[0]) for text in (starts, ends) if "T" in text]
    return "–".join(clock_words(minute) for minute in times if minute is not None)


def _dates(first: date, last: date) -> str:
    return "–".join(map(date_words, dict.fromkeys((first, last))))


def _day(text: str) -> date | None:
    try:
        return datetime.fromisoformat(text.strip()).date()
    except ValueError:
        return None


def _name(node: Node) -> str:
    text = " ".join((_first(node.get("name")) or "").split())
    return text if len(text) <= LONGEST_NAME else ""


def all_of(value: Any) -> list[Any]:
    """The values of a property that may have one, several or none."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _texts(value: Any) -> list[str]:
    # Many systems write their titles for HTML into JSON, too: "Dave &#038; Ada".
    return [unescape(one) for one in all_of(value) if isinstance(one, str)]


def _first(value: Any) -> str | None:
    return next(iter(_texts(value)), None)

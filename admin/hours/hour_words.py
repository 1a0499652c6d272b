"""Opening hours in words: days of the week, times, dates, conditions, an editor's correction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from admin.formatting import WEEKDAYS

KINDS: Mapping[str, str] = {
    "week": "A week, in place of the page's",
    "dates": "An exception on some dates",
    "quote": "Do not answer from this: quote the page",
}
CONDITIONS: Mapping[str, str] = {
    "taught": "in term",
    "free": "between terms",
    "edges": "some weeks of a term",
    "summer": "in summer",
    "unknown": "on a condition that is not understood",
}
DAY_MINUTES = 24 * 60


def days_words(weekdays: Sequence[int]) -> str:
    """`Monday–Thursday`, `Saturday, Sunday`; `Every day` for none or all."""
    if not weekdays or len(weekdays) == len(WEEKDAYS):
        return "Every day"
    runs: list[list[int]] = []
    for day in sorted(weekdays):
        if runs and day == runs[-1][-1] + 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    told = (
        WEEKDAYS[run[0]] if len(run) == 1 else f"{WEEKDAYS[run[0]]}{_join(run)}{WEEKDAYS[run[-1]]}"
        for run in runs
    )
    return ", ".join(told)


def _join(run: Sequence[int]) -> str:
    return ", " if len(run) == 2 else "–"


def times_words(spans: Sequence[Sequence[int]] | None) -> str:
    """`8:30 a.m.–5 p.m.`, `closed`, or that it is not understood."""
    if spans is None:
        return "not understood"
    if not spans:
        return "closed"
    if [list(span) for span in spans] == [[0, DAY_MINUTES]]:
        return "24 hours"
    return ", ".join(f"{_clock(start)}–{_clock(end)}" for start, end in spans)


def _clock(minute: int) -> str:
    hours, minutes = divmod(minute % DAY_MINUTES, 60)
    if not minutes and hours in (0, 12):
        return "noon" if hours else "midnight"
    shown = f"{(hours - 1) % 12 + 1}" + (f":{minutes:02d}" if minutes else "")
    return f"{shown} {'a.m.' if hours < 12 else 'p.m.'}"


def when_words(first: str | None, last: str | None, conditions: Sequence[str] = ()) -> str:
    """`2026-11-25 to 2026-11-27`, `in term`; `always` where nothing bounds it."""
    told = [CONDITIONS.get(one, one) for one in conditions]
    if first or last:
        told.insert(0, first if first and first == last else f"{first or '…'} to {last or '…'}")
    return ", ".join(filter(None, told)) or "always"


def lines_table(lines: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """What was read, as columns: the part, the days, the times, when they hold, and the page's words."""
    return {
        "Part": [one["part"] or "the place" for one in lines],
        "Days": [days_words(one["times"]["weekdays"]) for one in lines],
        "Hours": [times_words(one["times"]["spans"]) for one in lines],
        "Holds": [when_words(one["first"], one["last"], one["when"]) for one in lines],
        "The page says": [one["line"] for one in lines],
    }


def correction_words(one: Mapping[str, Any]) -> str:
    """`Exception, 2026-11-25: closed`, from what was understood of it."""
    if one["kind"] == "quote":
        return f"{_part(one)}Nothing is told; the page is quoted."
    days: dict[str, list[int]] = {}
    for row in one["times"] or ():
        days.setdefault(times_words(row["spans"]), []).extend(row["weekdays"])
    told = "; ".join(f"{days_words(own)} {times}" for times, own in days.items())
    if one["kind"] == "dates":
        return f"{_part(one)}Exception, {when_words(one['first'], one['last'])}: {told}"
    return f"{_part(one)}Week: {told}"


def _part(one: Mapping[str, Any]) -> str:
    return f"{one['part']}. " if one["part"] else ""


def state_words(place: Mapping[str, Any]) -> str:
    """What an editor should know of a place at a glance."""
    told = [f"{place['read']} understood", f"{place['unclear']} not understood"]
    if place["corrections"]:
        told.append(f"{place['corrections']} corrected")
    if place["gone"]:
        told.append("its page is gone")
    elif place["changed"]:
        told.append("its page has changed since")
    return ", ".join(told)

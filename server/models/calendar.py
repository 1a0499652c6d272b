"""What the site's own calendars say of days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, order=True)
class CalendarEntry:
    """What a page of the site's own calendar says of some days, both included: `name` is in its words.

    `terms` are those that it is of, by their names, as its cell or the headings above say. `chunk_id` counts
    as that of `OpeningHours` does; -1: no chunk has its `line`, or the snapshot is older than lines are kept.
    """

    first: date
    last: date
    name: str
    url: str
    terms: tuple[str, ...] = ()
    chunk_id: int = -1
    line: str = ""

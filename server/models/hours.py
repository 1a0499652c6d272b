"""Opening hours: what the lines of a site's pages say of when a place is open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

# Stretches of a day, in minutes after its midnight; what goes on after the next one ends beyond `DAY`.
Spans = tuple[tuple[int, int], ...]
DAY = 24 * 60
ALL_DAY: Spans = ((0, DAY),)

# Whose hours a university's calendar tells for all: "offices closed Thursday and Friday".
OFFICES, EVERYTHING = "offices", "everything"
# On days of a calendar's break, "offices open" says that they keep their usual hours.
USUAL = "usual"


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """What one line says of a place's hours.

    `spans` are those of each of the `weekdays` (Monday is 0; none: any day), () where it is closed, None
    where the line says something of these days that could not be read. `first` to `last`, both included, are
    the days that it holds on, None: without an end. `when` are conditions, one of which holds: "taught"
    (in term), "free" (between terms), "edges" (some weeks of a term), "summer", an event of the calendar
    ("finals"), a term ("2026-fall"), "usual", or "unknown".

    `place` is what is open, `part` a room, counter or service of it; `context` are the title and headings
    above, and `own`: it is what its page is about. `chunk_id` counts within the page while it is read, and
    within the snapshot once it is kept.
    """

    place: str
    part: str
    context: str
    own: bool
    weekdays: tuple[int, ...]
    spans: Spans | None
    first: date | None
    last: date | None
    when: tuple[str, ...]
    url: str
    chunk_id: int
    line: str

    def names(self, day: date) -> bool:
        """Whether the day is one of its days of the week and of its dates."""
        in_dates = (self.first is None or self.first <= day) and (self.last is None or day <= self.last)
        return in_dates and (not self.weekdays or day.weekday() in self.weekdays)

"""Opening hours: what the lines of a site's pages say of when a place is open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

# Stretches of a day, in minutes after its midnight; what goes on after the next one ends beyond `DAY`.
Spans = tuple[tuple[int, int], ...]
DAY = 24 * 60
ALL_DAY: Spans = ((0, DAY),)

# Whose hours a university's calendar tells for all: "offices closed Thursday and Friday".
OFFICES, EVERYTHING = "offices", "everything"
# On days of a calendar's break, "offices open" says that they keep their usual hours.
USUAL = "usual"


CorrectionKind = Literal["week", "dates", "quote"]


@dataclass(frozen=True, slots=True)
class HoursCorrection:
    """What an editor of one site says of the hours of a place, or of a `part` of it, that a page is about.

    "week": `text` takes the place of the page's week ("Mon–Fri 9 a.m.–5 p.m.; closed Sunday"); "dates":
    `text` holds from `first` to `last`, ISO days, both included, whatever else is said of them ("Closed");
    "quote": nothing is told as data, and the page is quoted. `digest` is that of the page's text as the
    editor had it (`page_digest`); `at` is an ISO 8601 moment.
    """

    id: str
    site: str
    url: str
    place: str
    part: str
    kind: CorrectionKind
    text: str
    first: str | None
    last: str | None
    note: str
    digest: str
    by: str
    at: str


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
    within the snapshot once it is kept. `correction` is what an editor said instead, where one did: no line
    of the page says it.
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
    correction: HoursCorrection | None = None

    def names(self, day: date) -> bool:
        """Whether the day is one of its days of the week and of its dates."""
        in_dates = (self.first is None or self.first <= day) and (self.last is None or day <= self.last)
        return in_dates and (not self.weekdays or day.weekday() in self.weekdays)

"""Deadlines: days by which something is due, as the lines of a site's pages have them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from server.models.calendar import CalendarEntry
from server.models.hours import OpeningHours


@dataclass(frozen=True, slots=True)
class Deadline:
    """A day by which something is due, as one line of a page says it.

    `kind` is what those have in common that come one after the other: the words of its line without the day,
    or its table's page, section and column. `label` tells it from those ("Spring 2027"), and `column` is its
    table's ("Reply by"); "" in a line. `context` are the title and headings above. `chunk_id` counts as that
    of `OpeningHours` does.
    """

    day: date
    kind: str
    label: str
    column: str
    context: str
    url: str
    chunk_id: int
    line: str


# What a line of a page comes to as data.
DataLine = TypeVar("DataLine", OpeningHours, Deadline, CalendarEntry)

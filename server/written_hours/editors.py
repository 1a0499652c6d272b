"""Opening hours as an editor writes them: read whole, or refused with a sentence that says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from server.academic_terms import WEEKDAYS
from server.errors import BadInputError
from server.models.hours import Spans
from server.written_hours.clauses import WrittenHours, read_hours

# The days of the week (none: every day) and the stretches of each; () is closed.
DayTimes = tuple[tuple[int, ...], Spans]

_PIECES = re.compile(r"[;\n]")
_LIKE = "Write it like “Mon–Fri 9 a.m.–5 p.m.; closed Saturday and Sunday”."


def read_week(text: str) -> list[DayTimes]:
    """A week, each of whose days is said once at most; `BadInputError`."""
    found = _read(text)
    if any(not days for days, _ in found):
        raise BadInputError(f"Some of it names no day of the week. {_LIKE}")
    _check_once(found)
    return found


def read_dates(text: str) -> list[DayTimes]:
    """What holds on some dates: "Closed", "10 a.m.–4 p.m.", or a week of its own; `BadInputError`."""
    found = _read(text)
    if len(found) > 1 and any(not days for days, _ in found):
        raise BadInputError(f"Say one thing for all of these days, or name each day of the week. {_LIKE}")
    _check_once(found)
    return found


def _read(text: str) -> list[DayTimes]:
    pieces = [piece.strip() for piece in _PIECES.split(text) if piece.strip()]
    found = [(piece, one) for piece in pieces for one in _piece(piece)]
    if not found:
        raise BadInputError(f"No hours are given. {_LIKE}")
    read: list[DayTimes] = []
    for piece, one in found:
        if one.spans is None:
            raise BadInputError(f"“{piece}” could not be read: say a.m. or p.m. {_LIKE}")
        if one.dates or one.when or one.label:
            raise BadInputError(f"“{piece}” has more than days of the week and times. {_LIKE}")
        read.append((one.weekdays, one.spans))
    return read


def _piece(piece: str) -> Sequence[WrittenHours]:
    """What a piece says; one of which nothing was read is no hours at all."""
    return read_hours(piece, is_cell=True) or [WrittenHours(spans=None)]


def _check_once(found: Sequence[DayTimes]) -> None:
    days = [day for own, _ in found for day in own]
    for day in days:
        if days.count(day) > 1:
            raise BadInputError(f"{WEEKDAYS[day]} is said twice.")

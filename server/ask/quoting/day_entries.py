"""Entries of a calendar whose day stands on a line of its own, above what is on it:

    April 3
    W
    Mini-4 course drop deadline

The day alone answers nobody who asks for the deadline, nor does the deadline without its day.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from server.academic_terms import days_in, without_days
from server.ask.quoting.lines import Span, line_start, lines_of, part_around, run_of, sentences_in
from server.models.table_rows import read_row

# A line of such a calendar has no more characters, and an entry no more lines.
LINE_CHARS, MOST_LINES = 120, 5
# So many days at least stand below each other.
LEAST_DAYS = 3
_WEEKDAY = (
    r"(?:M|T|W|R|F|Th|Tu|Sa|Su|S|U|"
    r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?)"
)
_WEEKDAYS = re.compile(rf"\W*{_WEEKDAY}(?:\s*[-–/,&]\s*{_WEEKDAY})*\.?\W*", re.IGNORECASE)


def entry_around(text: str, spans: Sequence[Span], i: int) -> tuple[int, int] | None:
    """The first and last sentence of the entry around the sentence `i`; None where it stands in no such
    calendar, or where it cannot be told whether days stand above or below what is on them."""
    run = run_of(text, spans, i, _may_be_told)
    if run is None:
        return None
    lines = lines_of(text, spans, run)
    dated = [is_day(line) for line in lines.values()]
    begins = zip(lines, dated, [False, *dated], strict=False)
    days = [start for start, is_one, is_second in begins if is_one and not is_second]
    if len(days) < LEAST_DAYS or not _stand_above(list(lines.values())):
        return None
    own = part_around(line_start(text, spans[i]), days, lines)
    told = [start for start in own if not (is_day(lines[start]) or _WEEKDAYS.fullmatch(lines[start]))]
    if not told or len(own) > MOST_LINES:
        return None
    return sentences_in(text, spans, run, own)


@lru_cache(maxsize=1024)
def is_day(line: str) -> bool:
    """Whether a line is made of days alone, with their weekdays: "October 11", "Mon, May 5 – Fri, May 9".

    It is asked of all lines around every sentence.
    """
    if not days_in(line):
        return False
    rest = without_days(line).split()
    return all(_WEEKDAYS.fullmatch(word) or not any(map(str.isalnum, word)) for word in rest)


def _stand_above(lines: Sequence[str]) -> bool:
    """Whether days stand above what is on them: the first line is one, or weekdays follow them."""
    if any(is_day(line) and _WEEKDAYS.fullmatch(below) for line, below in pairwise(lines)):
        return True
    return is_day(lines[0]) and not is_day(lines[-1])


def _may_be_told(line: str) -> bool:
    return len(line) <= LINE_CHARS and not read_row(line)

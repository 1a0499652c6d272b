"""Days that have passed: said before an answer to "when", where it names no day to come."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from server.academic_terms import dated_days
from server.ask.conversation.asked_time import MEANS_PAST
from server.ask.quoting.deadline_over import ASKS_WHEN, is_to_come
from server.models import Citation

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def day_passed(question: str, quoted: Sequence[Citation], today: date) -> date | None:
    """The last day that the quoted words name, where all have passed; None where one may be to come, where
    none is named with its year, and where the past is meant. A year beside them ("fall 2027") may be of days
    to come, too.
    """
    if not ASKS_WHEN.search(question) or MEANS_PAST.search(question):
        return None
    text = "\n".join(one.quote for one in quoted)
    ends = dated_days(text)
    if not ends or is_to_come(text, last := max(ends), today):
        return None
    coming = max(today.year, last.year + 1)
    return None if any(int(year) >= coming for year in _YEAR.findall(text)) else last

"""What the site's calendar says of a day whose hours an answer has by the weekday alone: "offices closed"."""

from __future__ import annotations

import re

from server.ask.conversation.asked_time import AskedTime
from server.ask.ports import SearchIndex
from server.ask.quoting.day_fit import DATE, day_fit
from server.ask.quoting.score import ScoredSentence
from server.ask.quoting.units import Unit
from server.lexicons import any_of, lexicon
from server.sentences import sentences

# So many passages are looked through for the calendar's line.
SEARCHED = 10

_SAYS = lexicon("time").part("periods")["closed"]
_CLOSED = re.compile(rf"\b(?:{any_of(_SAYS)})\b", re.IGNORECASE)


def day_exception(asked: AskedTime, index: SearchIndex) -> ScoredSentence | None:
    """The calendar's line that says that something is closed on these days, if it has one.

    It is searched for by the name that the calendar has for the days ("Thanksgiving recess").
    """
    on = [one for one in index.snapshot.calendar if one.first <= asked.first and asked.last <= one.last]
    if not on:
        return None
    names, pages = sorted({one.name for one in on}), {one.url for one in on}
    hits = index.keyword.search(" ".join([*names, "closed"]), SEARCHED)
    passages = index.snapshot.passages([hit.chunk_id for hit in hits])
    for passage in (passages[hit.chunk_id] for hit in hits if hit.chunk_id in passages):
        for start, end in sentences(passage.text) if passage.url in pages else ():
            line = passage.text[start:end]
            if _CLOSED.search(line) and day_fit(line, "", asked) == DATE:
                return ScoredSentence(
                    passage, start, end, 0.0, 0.0, 0.0, fits=True, day=DATE, unit=Unit(start, end)
                )
    return None

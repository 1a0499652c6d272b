"""Which lines of a list are meant: those that stand beside them are no part of the answer.

A calendar that is no table has a line for each of its dates, and a directory one for each person. They are
not told apart by where a reader marks its answer: all of them have a day, or a room.
"""

from __future__ import annotations

from collections.abc import Sequence

from server.academic_terms import days_in
from server.ask.quoting.lines import has_end
from server.ask.quoting.score import ScoredSentence, score_of
from server.models.table_rows import read_row

# The question names a line, a row or a record where that has so much more of its words, by weight.
NAMED = 0.2
# A line that has less of its words, by weight, is not meant by the question.
NO_WORDS = 0.15
# A line begins with a date after no more characters than a weekday has: "Wednesday, March 3".
DAY_CHARS = 11


def best_lines(chosen: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The sentences, less lines of a list that only stand beside the one that is meant: another of its dated
    lines ("March 10 First day of classes"), and one that has next to none of the question's words."""
    best: dict[int, ScoredSentence] = {}
    for quote in filter(_is_line, chosen):
        other = best.setdefault(quote.passage.chunk_id, quote)
        best[quote.passage.chunk_id] = max(quote, other, key=score_of)
    return [
        quote
        for quote in chosen
        if (meant := best.get(quote.passage.chunk_id, quote)) is quote
        or not _is_line(quote)
        or not (_stands_beside(quote, meant) or quote.words < NO_WORDS <= meant.words - NAMED)
    ]


def _stands_beside(quote: ScoredSentence, meant: ScoredSentence) -> bool:
    """Whether both begin with a date, and the question names what the other one is the date of."""
    is_dated = all(_begins_dated(one.text) for one in (quote, meant))
    return is_dated and quote.words <= meant.words - NAMED


def _begins_dated(line: str) -> bool:
    days = days_in(line)
    return bool(days) and days[0].start <= DAY_CHARS


def _is_line(quote: ScoredSentence) -> bool:
    """Whether it is a line of a list: without an end, and no row of a table."""
    return not ("\n" in quote.text or has_end(quote.text) or read_row(quote.text))

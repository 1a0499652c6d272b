"""Which of several lines, rows or records that are alike is meant: those beside it are no part of the answer.

A calendar that is no table has a line for each of its dates, and a directory one for each person. They are
not told apart by where a reader marks its answer: all of them have a day, or a room.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from server.academic_terms import days_in
from server.ask.quoting.lines import has_end
from server.ask.quoting.ranges import place_in_ranges
from server.ask.quoting.score import QuestionFeatures, ScoredSentence, score_of
from server.models.table_rows import TableRow, read_row

# The question names a line, a row or a record where that has so much more of its words, by weight.
NAMED = 0.2
# A line that has less of its words, by weight, is not meant by the question.
NO_WORDS = 0.15
# A line begins with a date after no more characters than a weekday has: "Wednesday, March 3".
DAY_CHARS = 11
# A row's first cell that is a number alone names it where that is long, and no year.
_TELLING_FIGURES = re.compile(r"(?!(?:19|20)\d\d$)\d{3,}")
# Behind what a line is about: "60–89: November 11".
_KEY = ": "


def meant_first(quoted: Sequence[ScoredSentence], wanted: QuestionFeatures) -> Sequence[ScoredSentence]:
    """The sentences, best first; where the best is one of several alike and the question tells which of them
    is meant, by a figure, a range or its words, that one first."""
    ordered = _ranged_line_first(_keyed_row_first(quoted, wanted), wanted)
    return _named_record_first(_named_row_first(ordered))


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


def _keyed_row_first(quoted: Sequence[ScoredSentence], wanted: QuestionFeatures) -> Sequence[ScoredSentence]:
    """The sentences; where the question has all of the first cell of one row of the best page, and a figure
    in it ("Week 8", "48405"), that row first and none of its table beside it."""
    if not quoted or wanted.several:
        return quoted
    own = [one for one in quoted if one.passage.url == quoted[0].passage.url]
    rows = [(one, row) for one in own if (row := read_row(one.text))]
    keyed = [(one, row) for one, row in rows if _is_keyed(row.cells[0], wanted)]
    if len({one.text for one, _ in keyed}) != 1:
        return quoted
    first, named = keyed[0]
    beside = [one for one, row in rows if row.columns == named.columns]
    return [first, *(one for one in quoted if one not in beside)]


def _is_keyed(key: str, wanted: QuestionFeatures) -> bool:
    """Whether the question has every word of a cell, of which one is a figure; of one alone a telling one."""
    words = key.split()
    if not any(map(str.isdigit, words)) or (len(words) == 1 and not _TELLING_FIGURES.fullmatch(words[0])):
        return False
    [stems] = wanted.stems([key])
    return bool(stems) and stems <= wanted.word_weights.keys()


def _ranged_line_first(
    quoted: Sequence[ScoredSentence], wanted: QuestionFeatures
) -> Sequence[ScoredSentence]:
    """The sentences; where the best is a row or a line of some with ranges ("60–89: November 11"), the one
    first in whose range a number of the question lies, and none of those beside it."""
    if not quoted or wanted.several or not wanted.numbers:
        return quoted
    best, row = quoted[0], read_row(quoted[0].sentence)
    beside = [one for one in quoted if one.passage.url == best.passage.url and _is_beside(one, best, row)]
    lines = {one.sentence: one for one in reversed(beside)}
    about = (best.passage.title, best.passage.heading, *(row.columns if row else ()))
    columns = zip(*map(_keys_of, lines), strict=False)
    places = (place_in_ranges(wanted.numbers, keys, about) for keys in columns)
    place = next((one for one in places if one is not None), None)
    if place is None:
        return quoted
    return [list(lines.values())[place], *(one for one in quoted if one not in beside)]


def _is_beside(one: ScoredSentence, best: ScoredSentence, row: TableRow | None) -> bool:
    """Whether both are rows of one table, or labelled lines of one kind of block."""
    if row:
        return (other := read_row(one.sentence)) is not None and other.columns == row.columns
    passage = best.passage
    is_alike = one.passage is passage and passage.kind_at(one.start) == passage.kind_at(best.start)
    return is_alike and _KEY in one.sentence


def _keys_of(line: str) -> tuple[str, ...]:
    """What may name a line's range: any cell of a row, or what stands before the mark."""
    row = read_row(line)
    return row.cells if row else (line.partition(_KEY)[0],)


def _named_row_first(quoted: Sequence[ScoredSentence]) -> Sequence[ScoredSentence]:
    """The sentences; where the best is a row and the question names another of its table, that one instead.

    A reader marks a price, and not the course that it is asked of. A row of days that suit less is not meant.
    """
    if not quoted or not (row := read_row(quoted[0].text)):
        return quoted
    table = [
        quote
        for quote in quoted
        if quote.passage.url == quoted[0].passage.url
        and quote.day >= quoted[0].day
        and (other := read_row(quote.text))
        and other.columns == row.columns
    ]
    named = max(table, key=lambda quote: quote.words)
    rest = [quote for quote in table if quote is not named]
    if any(quote.words > named.words - NAMED for quote in rest):
        return quoted
    return [named, *(quote for quote in quoted if quote not in table)]


def _named_record_first(quoted: Sequence[ScoredSentence]) -> Sequence[ScoredSentence]:
    """The sentences; where the best is of a record and the question names another of its page, that one.

    A reader marks a telephone, and not always that of the person it is asked of.
    """
    if not quoted or not quoted[0].unit.is_record:
        return quoted
    own = [one for one in quoted if one.unit.is_record and one.passage.url == quoted[0].passage.url]
    words: dict[str, float] = {}  # by the record's text: chunks of a section have it twice
    for one in own:
        # With the words of the headings, as those count for every record below them.
        words[one.text] = max(one.words + one.heading, words.get(one.text, 0.0))
    named = max(words, key=lambda record: words[record])
    if any(other > words[named] - NAMED for record, other in words.items() if record != named):
        return quoted
    first = [one for one in own if one.text == named]
    return [*first, *(one for one in quoted if one not in own)]

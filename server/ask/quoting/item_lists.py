"""A list whose lead is the heading above it: several of its items are quoted as the list that they are of.

Such items stand for themselves (units.py): one of them answers what one is asked of. Two or three, one below
the other, would pass for all there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from server.ask.quoting.lines import Span, line_spans
from server.ask.quoting.score import ScoredSentence
from server.ask.quoting.units import MOST_CHARS, Unit, is_numbered
from server.models import Passage
from server.models.quoted_table import shown_items
from server.models.table_rows import read_row

# So many items of so many characters, in the mean, are a list; longer ones are told each by itself.
SHORT_ITEM, LEAST_ITEMS = 80, 3


def lines_of_kind(passage: Passage, place: int) -> tuple[list[Span], int]:
    """The lines of the passage's run of blocks of one kind, around the line at `place`, and which it is."""
    kind = passage.kind_at(place)
    lines = line_spans(passage.text)
    here = next(i for i, (_, end) in enumerate(lines) if end > place)
    first = last = here
    while first and passage.kind_at(lines[first - 1][0]) == kind:
        first -= 1
    while last + 1 < len(lines) and passage.kind_at(lines[last + 1][0]) == kind:
        last += 1
    return lines[first : last + 1], here - first


def with_whole_lists(
    chosen: Sequence[ScoredSentence], quoted: Sequence[ScoredSentence] = ()
) -> list[ScoredSentence]:
    """The sentences; where two or more are items of a list, or one is some of its lines, the list in their
    place, its rest counted. So it is where one is an item that the question does not name among all that are
    `quoted`: it would pass for the whole."""
    lists = [(quote.passage.chunk_id, _list_of(quote)) for quote in chosen]
    found: list[ScoredSentence] = []
    for i, (quote, own) in enumerate(zip(chosen, lists, strict=True)):
        together = [other for other, its in zip(chosen, lists, strict=True) if own[1] and its == own]
        is_part = "\n" in quote.text or _is_any(quote, own[1], quoted)
        if len(together) < 2 and not (own[1] and is_part):
            found.append(quote)
        elif own not in lists[:i]:
            found.append(replace(quote, unit=_unit(own[1], together)))
    return found


def _is_any(item: ScoredSentence, run: Sequence[Span], quoted: Sequence[ScoredSentence]) -> bool:
    """Whether an item is one of a list of short ones of which another has as many of the question's words."""
    if len(run) < LEAST_ITEMS or run[-1][1] - run[0][0] > len(run) * SHORT_ITEM:
        return False
    own = (one for one in quoted if one.passage.chunk_id == item.passage.chunk_id)
    return any(
        one.words >= item.words and one.unit != item.unit and run[0][0] <= one.unit.start < run[-1][1]
        for one in own
    )


def _list_of(quote: ScoredSentence) -> list[Span]:
    """The lines of the list that a sentence is an item of, or some entries; none where it is something else:
    what has a lead of its own and numbered steps are whole."""
    passage, place = quote.whole, quote.unit.start
    if passage.kind_at(place) != "list" or read_row(quote.text):
        return []
    if "\n" in quote.text and (quote.text.split("\n")[0].endswith(":") or is_numbered(quote.text)):
        return []
    run, _ = lines_of_kind(passage, place)
    return run if quote.unit.end <= run[-1][1] else []  # else it goes on below the list


def _unit(run: Sequence[Span], items: Sequence[ScoredSentence]) -> Unit:
    """The list; of one that is too long to be shown whole as many lines as are, from the first item on, or
    from the one that leads where it would not be among them."""
    few = len(shown_items(len(run)))
    begin = items[0].section.start if items[0].section else 0
    lead = _line_at(run, begin + items[0].start)
    item = min(_line_at(run, one.unit.start) for one in items)
    if lead >= item + few:
        item = lead
    first = max(0, min(item, len(run) - few))
    last = first + few - 1
    while last > item and run[last][1] - run[first][0] > MOST_CHARS:
        last -= 1
    return Unit(run[first][0], run[last][1], len(run) - (last - first + 1))


def _line_at(run: Sequence[Span], place: int) -> int:
    return next(i for i, (_, end) in enumerate(run) if end > place)

"""A list that is asked for by what it lists: "list of faculty" is the section called Faculty, from its top.

A reader is unsure of such a section, for none of its lines says more than the others, and marks any of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from server.ask.quoting.item_lists import SHORT_ITEM, lines_of_kind
from server.ask.quoting.lines import Span, line_spans
from server.ask.quoting.score import QuestionFeatures, ScoredSentence
from server.ask.quoting.sections import Passages, sections_of, whole_section
from server.ask.quoting.units import Unit
from server.lexicons import any_of, lexicon
from server.models import Passage
from server.models.quoted_table import shown_items, shown_rows
from server.models.table_rows import read_row

_WORDS = lexicon("answer_types").part("listed")
_ASKED = re.compile(
    rf"\W*(?:(?:{any_of(_WORDS['before'])}) (?P<of>[^?!.,;]{{3,60}})"
    rf"|(?:what|which) (?P<offered>[^?!.,;]{{3,40}}) (?:{any_of(_WORDS['offered'])})"
    rf"|(?P<own>[^?!.,;]{{3,60}}) (?:{any_of(_WORDS['after'])}))[!.\s]*$",
    re.IGNORECASE,
)
_BESIDE = " ".join(sorted(_WORDS.words("beside")))
# What stands between two things that a page's name names: "Majors and minors".
_BETWEEN = re.compile(r"\band\b|\by\b|[,&/]", re.IGNORECASE)
# So many lines make a list.
LEAST_LINES = 4


def asked_list(question: str) -> str:
    """What a question asks for a list of, by its own words where it is spelled out; "" where it asks for
    none."""
    asked = _ASKED.match(question.partition("?")[0])
    return (asked["of"] or asked["offered"] or asked["own"]) if asked else ""


def listed(what: str, quoted: Sequence[ScoredSentence], wanted: QuestionFeatures) -> ScoredSentence | None:
    """The first lines of the list that is called so, or of the table, by its section's name or its page's;
    the best one's, and None where there is none. A page's own name may name two things."""
    own, beside = wanted.stems([what, _BESIDE])
    own -= beside
    for quote in quoted if own else ():
        called = quote.passage.section or quote.passage.title
        name, *parts = (stems - beside for stems in wanted.stems([called, *_BETWEEN.split(called)]))
        if own not in (name, *parts):
            continue
        chunks = whole_section(quote.passage, wanted.passages)
        if own != name and not _begins_page(chunks[0], wanted.passages):
            continue
        whole = sections_of(chunks[:1], wanted.passages)[chunks[0].chunk_id]
        if unit := _beginning(whole.passage, chunks):
            start, end = unit.start - whole.start, whole.passage.text.find("\n", unit.start, unit.end)
            end = min(len(chunks[0].text), (unit.end if end < 0 else end) - whole.start)
            start = start if start < end else 0  # its table begins in another chunk
            return replace(quote, passage=chunks[0], start=start, end=end, section=whole, unit=unit)
    return None


def _begins_page(passage: Passage, passages: Passages) -> bool:
    """Whether its section's name is the page's own: "Majors and minors" names two things that it is about,
    "Breaks and holidays" on the page of the dining hall is about its hours."""
    before = passages(frozenset([passage.chunk_id - 1])).get(passage.chunk_id - 1)
    return before is None or before.url != passage.url


def _beginning(whole: Passage, chunks: Sequence[Passage]) -> Unit | None:
    """The first lines of a section's table or list, in the text of the `whole`; None where it has none."""
    lines = [line for one in chunks for line in one.text.split("\n")]
    rows = sum(read_row(line) is not None for line in lines)
    if rows >= LEAST_LINES:
        run = [(start, end) for start, end in line_spans(whole.text) if read_row(whole.text[start:end])]
        return _first(run, shown_rows(rows, ()), rows) if run else None
    if len(lines) < LEAST_LINES or sum(map(len, lines)) > len(lines) * SHORT_ITEM:
        return None
    run, _ = lines_of_kind(whole, 0)
    return _first(run, shown_items(len(lines)), len(lines)) if len(run) > 1 else None


def _first(run: Sequence[Span], shown: Sequence[int], lines: int) -> Unit:
    """Of these lines as many as are `shown` of so many."""
    few = run[: len(shown)]
    return Unit(few[0][0], few[-1][1], lines - len(few))

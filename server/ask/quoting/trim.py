"""An answer less what is quoted beside it and is not to the question.

A sentence is quoted with the rest of its paragraph, since what it says is often told in two; and what
another passage says nearly as well is quoted, too. Most of the rest, though, answers something else. The
cross-encoder that has read the passages reads the sentences at a paragraph's ends as it read them, and what
is far less to the question than the answer goes (docs/answers.md, "Quoting"). How sure the answer is was told
of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from server.ask.quoting.answer import ExtractiveAnswer, cite
from server.ask.quoting.lead import ReadAlone
from server.ask.quoting.parts import QuotedParts, parts_of
from server.ask.quoting.score import ScoredSentence, asks_for_several, expected_answer_types
from server.ask.trace import OpenStep
from server.models import Passage
from server.models.table_rows import read_row

# Beside the question is what is less relevant than this, in log-odds, and by so much less than the answer
# (chosen; docs/answers.md has what readers say of it). What stands before the answer delays it, and goes
# sooner than what follows, which may bound it.
LEAST_BEFORE, FAR_BEFORE = -2.0, 3.0
LEAST_RELEVANCE, FAR_BELOW = -3.0, 4.0
# A quote goes that is worth so much less than the best (`ReadAlone.worth`).
FAR_WORSE = 5.0


def trimmed(question: str, draft: ExtractiveAnswer, alone: ReadAlone, step: OpenStep) -> ExtractiveAnswer:
    """The answer without what is beside the question; as it is where pages tell it by how they are built.

    Of a paragraph the ends go; the sentence that answers stays with what leans on it. What is quoted beside
    it, a table or a list too, goes whole where it is worth far less, unless it is of the same table as what
    leads. Of the days that are meant, and where several things are asked for, lines alone go of which nothing
    is to the question.
    """
    if draft.is_told or draft.computed:
        return draft
    parts = [parts_of(quote) for quote in draft.chosen]
    if not _may_shrink(parts):
        return draft
    best = max(alone.of(one.quote) for one in parts)
    least, before = min(LEAST_RELEVANCE, best - FAR_BELOW), min(LEAST_BEFORE, best - FAR_BEFORE)
    worth = max(alone.worth(one.quote) for one in parts) - FAR_WORSE
    kinds, several = expected_answer_types(question), asks_for_several(question)

    def is_beside(passage: Passage, least: float, text: str) -> bool:
        """Whether a sentence is not to the question, and does not look like an answer of its kinds."""
        looks = text.endswith("?") or any(kind.looks.search(text) for kind in kinds)
        return not looks and alone.relevance(passage, text) < least

    def goes(one: QuotedParts) -> bool:
        """Whether a quote goes whole."""
        if one.quote.day <= 0 and (one.is_line or not several):
            return alone.worth(one.quote) < worth and not _of_one_table(one.quote, parts[0].quote)
        return one.is_line and all(is_beside(one.quote.passage, least, said) for said in [one.own, *one.said])

    kept = tuple(
        one.trimmed(
            partial(is_beside, one.quote.passage, before), partial(is_beside, one.quote.passage, least)
        )
        for one in parts
        if not goes(one)
    )
    if kept == draft.chosen:
        return draft
    chars, left = (sum(len(quote.text) for quote in quotes) for quotes in (draft.chosen, kept))
    step.notes = {**step.notes, "trimmed_chars": chars - left}
    return _saying(draft, kept)


def _of_one_table(one: ScoredSentence, other: ScoredSentence) -> bool:
    """Whether both are rows of the same table, of which some would pass for all; a row may lack a cell."""
    row, beside = (read_row(quote.text.split("\n", maxsplit=1)[0]) for quote in (one, other))
    if not row or not beside or one.passage.url != other.passage.url:
        return False
    columns, others = set(row.columns), set(beside.columns)
    return columns <= others or others <= columns


def _may_shrink(parts: Sequence[QuotedParts]) -> bool:
    """Whether there is anything that could go: nothing is read for nothing."""
    has_ends = any((one.first, one.last) != (0, len(one.spans) - 1) for one in parts)
    return has_ends or len(parts) > 1


def _saying(draft: ExtractiveAnswer, kept: Sequence[ScoredSentence]) -> ExtractiveAnswer:
    """The answer with these quotes alone; a source that shows a table shows it as before."""
    said, cited = cite(kept, draft.changed)
    tables = {
        id_: citation.table for id_, citation in zip(_passages(draft.chosen), draft.citations, strict=True)
    }
    citations = tuple(
        replace(citation, table=tables[id_]) for id_, citation in zip(_passages(kept), cited, strict=True)
    )
    place = draft.place
    if place.sentence not in kept[0].text:
        place = replace(place, sentence=parts_of(kept[0]).own, marked="")
    return replace(draft, said=said, citations=citations, chosen=tuple(kept), place=place)


def _passages(chosen: Sequence[ScoredSentence]) -> tuple[int, ...]:
    """The passages (chunk ids) of these quotes, as they are cited."""
    return tuple(dict.fromkeys(quote.passage.chunk_id for quote in chosen))

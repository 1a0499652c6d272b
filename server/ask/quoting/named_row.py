"""The rows that a question means of a table that is quoted whole, so that the table leads with them.

A table is quoted whole where its rows are as good as each other by their words. A row is named all the same
by a word that the others do not have, cut short or in another form: "grad students", "a B-", "Anatomy 1".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from server.ask.quoting.ranges import numbers_in, place_in_ranges
from server.ask.quoting.score import QuestionFeatures, ScoredSentence
from server.models import Citation
from server.models.quoted_table import QuotedTable, rows_of
from server.models.table_rows import read_row

# A reader's row counts where it is so sure of it, and the question's words name no other.
SURE = 0.8
# Rows that are one in so many of a table are marked together: "Visitor", "Visitor to Admissions".
FEW = 3
# A name in the first cell counts so much more than one further on, one in another form so much less.
IN_SUBJECT, OTHER_FORM = 1.25, 0.7
# A word stands for a longer one that begins with it, from so many letters on, or for one little longer.
LEAST_LETTERS, MOST_MORE = 4, 2

_TOKEN = re.compile(r"[a-z]\d*[+-](?![\w-])|\w+")
_IN_ONE_WORD = re.compile(r"(?<=[a-z])[A-Z][a-z]+")  # HeronGuest
_DASHES = str.maketrans("–—−", "---")
_ALSO = {"1": "i", "2": "ii", "3": "iii", "4": "iv", "5": "v"}
_ALSO |= {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5"}


def with_named_rows(
    question: str, chosen: Sequence[ScoredSentence], citations: Sequence[Citation], wanted: QuestionFeatures
) -> tuple[Citation, ...]:
    """The citations; of tables that are quoted whole, with the row marked that the question means.

    Where several things are asked for, or a week's hours, no row is for being the one that the reader marked.
    """
    said = _telling(question, wanted)
    is_one = not (wanted.several or wanted.asks_week)
    sure = {quote.sentence for quote in chosen if is_one and quote.marked >= SURE}
    return tuple(_with_row(said, one, sure) for one in citations)


def _with_row(said: str, citation: Citation, sure: Collection[str]) -> Citation:
    if citation.table is None or not _is_whole(citation):
        return citation
    about = f"{citation.title} {citation.table.caption}"
    return replace(citation, table=_marked(said, citation.table, about, sure))


def _telling(question: str, wanted: QuestionFeatures) -> str:
    """The question's words that tell something, and its numbers and marks."""
    words = question.split()
    weights, stems = set(wanted.word_weights), wanted.stems(words)
    told = zip(words, stems, strict=True)
    return " ".join(word for word, own in told if own & weights or _may_be_name(word))


def _may_be_name(word: str) -> bool:
    """Whether it may be a number, a mark, or a name of one letter; "A" and "I" are words."""
    is_letter = len(word) == 1 and word in "BCDEFGHJKLMNOPQRSTUVWXYZ"
    return is_letter or not word.isalpha() or word.casefold() in _ALSO


def _is_whole(citation: Citation) -> bool:
    """Whether more than one row of its table is quoted."""
    return sum(read_row(line.rstrip(";")) is not None for line in citation.quote.split("\n")) > 1


def _marked(question: str, table: QuotedTable, about: str, sure: Collection[str]) -> QuotedTable:
    read = rows_of(table.rows)
    if table.marked or read is None:
        return table
    columns, rows = read
    named = named_rows(question, (*columns, about), rows)
    surely = [place for place in named if table.rows[place] in sure]
    if len(surely) == 1:
        named = surely
    return replace(table, marked=tuple(named)) if len(named) <= max(1, len(rows) // FEW) else table


def named_rows(question: str, about: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """The places of the rows that have more of the question's words than others; all where none has any.

    Words that are `about` all of the table, as its columns' names, or that each row has, name no row.
    """
    asked = _tokens(question)
    asked = asked.union(_ALSO[word] for word in asked if word in _ALSO) - _tokens(" ".join(about))
    own = [(_tokens(row[0]), _tokens(" ".join(_words_of(row[1:])))) for row in rows]
    scores = [0.0] * len(rows)
    found_by = [
        [max(IN_SUBJECT * _has(word, first), _has(word, rest)) for first, rest in own] for word in asked
    ]
    numbers = numbers_in(question)
    for cells in zip(*rows, strict=False):
        place = place_in_ranges(numbers, cells, about)
        found_by.append([IN_SUBJECT * (i == place) for i in range(len(rows))])
    for has in found_by:
        count = sum(map(bool, has))
        if 0 < count < len(rows):
            scores = [score + found / count for score, found in zip(scores, has, strict=True)]
    return [place for place, score in enumerate(scores) if score == max(scores)]


def _tokens(text: str) -> set[str]:
    """Words, those within a name such as HeronGuest, and marks such as "b-"."""
    found = set(_TOKEN.findall(text.casefold().translate(_DASHES)))
    return found | {part.casefold() for part in _IN_ONE_WORD.findall(text)}


def _words_of(cells: Sequence[str]) -> list[str]:
    """Those that are no bare number: "1 credit" is not named by "Anatomy 1"."""
    return [cell for cell in cells if not cell.isdecimal()]


def _has(word: str, tokens: Collection[str]) -> float:
    """1 where the word is among them, less where another form of it is."""
    if word in tokens:
        return 1.0
    return OTHER_FORM if any(_is_form(word, token) or _is_form(token, word) for token in tokens) else 0.0


def _is_form(short: str, long: str) -> bool:
    """Whether the one is the other cut short ("grad"), or with an ending ("fridays")."""
    if not long.startswith(short) or not short.isalpha():
        return False
    return len(short) >= LEAST_LETTERS or (
        len(short) >= LEAST_LETTERS - 1 and len(long) <= len(short) + MOST_MORE
    )

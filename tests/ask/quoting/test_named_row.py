"""The row of a table quoted whole that a question means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from server.ask.quoting.named_row import named_rows, with_named_rows
from server.ask.quoting.score import ANSWER_TYPES, QuestionFeatures, ScoredSentence
from server.models import Citation, Passage
from server.models.quoted_table import QuotedTable

GRADES = [("A", "4.0"), ("A–", "3.7"), ("B", "3.0"), ("B–", "2.7")]
COURSES = [
    ("BIO 205", "Anatomy I", "4", "BIO 111"),
    ("BIO 206", "Anatomy II", "4", "BIO 205"),
    ("BIO 388", "Seminar", "1", "none"),
]
LOANS = [("Undergraduates", "28 days"), ("Graduate students", "90 days"), ("Faculty", "90 days")]
GROUPS = [("0 to 29 credits", "Feb 24"), ("30 to 59 credits", "Feb 23"), ("60 credits and more", "Feb 22")]
STANDINGS = [("Veterans", "any", "Nov 9"), ("Juniors", "60–89", "Nov 11"), ("Sophomores", "30–59", "Nov 12")]
NETWORKS = [("HeronNet", "students"), ("HeronGuest", "visitors")]
PARTS = [("Installment 1", "July 20"), ("Installment 3", "September 20")]


@pytest.mark.parametrize(
    ("question", "rows", "places"),
    [
        ("points B- worth", GRADES, [3]),
        ("anatomy 1", COURSES, [0]),
        ("anatomy", COURSES, [0, 1]),  # both have it
        ("grad students books", LOANS, [1]),
        ("40 credits spring", GROUPS, [1]),
        ("45 credits spring", STANDINGS, [2]),  # the range stands in another column
        ("guest wifi", NETWORKS, [1]),
        ("third installment", PARTS, [1]),
        ("credits in biology", GRADES, [0, 1, 2, 3]),  # none has any of it
    ],
)
def test_a_row_is_named_by_what_others_do_not_have(
    question: str, rows: Sequence[Sequence[str]], places: list[int]
) -> None:
    assert named_rows(question, ("Points", "Books", "Credits earned"), rows) == places


def test_what_the_table_is_about_names_no_row() -> None:
    rows = [("Credits in biology", "36"), ("Mathematics", "MAT 120")]
    assert named_rows("math biology", ("BA", "Biology"), rows) == [1]


LINES = tuple(f"{name} — Loan: {days}; Renewals: Two" for name, days in LOANS)


def features(*words: str, several: bool = False, kind: str = "") -> QuestionFeatures:
    def stems(texts: Sequence[str]) -> list[set[str]]:
        return [{text.casefold()} for text in texts]

    kinds = tuple(one for one in ANSWER_TYPES if one.name == kind)
    return QuestionFeatures(dict.fromkeys(words, 1.0), kinds, stems, several=several)


def marked(
    question: str, quote: str, sure_of: int | None = None, *, several: bool = False, kind: str = ""
) -> tuple[int, ...]:
    text = "\n".join(LINES)
    passage = Passage(1, "https://a.example/loans", "Loans", "", text)
    line = LINES[sure_of or 0]
    start, sure = text.index(line), 0.9 if sure_of is not None else 0.1
    chosen = [ScoredSentence(passage, start, start + len(line), 1.0, 0.0, 1.0, fits=True, marked=sure)]
    cited = Citation(1, passage.url, "Loans", "", quote, None, None, table=QuotedTable(LINES))
    words = features(*question.split(), several=several, kind=kind)
    (found,) = with_named_rows(question, chosen, [cited], words)
    assert found.table
    return found.table.marked


def test_the_named_row_of_a_table_quoted_whole_is_marked() -> None:
    assert marked("faculty books", "\n".join(LINES)) == (2,)
    assert marked("faculty books", LINES[1]) == ()  # one row alone leads as it is


def test_where_no_word_tells_the_readers_row_is_marked_if_it_is_sure() -> None:
    whole = "\n".join(LINES)
    assert marked("borrow", whole, 1) == (1,)
    assert marked("borrow", whole) == ()
    assert marked("borrow", whole, 1, several=True) == ()
    assert marked("borrow", whole, 1, kind="hours") == ()  # each row is a part of the week
    assert marked("faculty borrow", whole, 1) == (2,)  # words go before the reader


def test_few_rows_of_many_that_are_named_alike_are_marked_together() -> None:
    names = ("Commuter", "Resident", "Faculty", "Motorcycle", "Daily", "Visitor", "Admissions visitor")
    rows = tuple(f"Permit: {name} — Price: $4; Lots: C" for name in names)
    whole, passage = "\n".join(rows), Passage(1, "https://a.example/parking", "Parking", "", "")
    chosen = [ScoredSentence(passage, 0, 1, 1.0, 0.0, 1.0, fits=True)]
    cited = Citation(1, passage.url, "Parking", "", whole, None, None, table=QuotedTable(rows))
    (found,) = with_named_rows("park visitor", chosen, [cited], features("park", "visitor"))
    assert found.table
    assert found.table.marked == (5, 6)
    few = replace(cited, quote="\n".join(rows[4:]), table=QuotedTable(rows[4:]))
    (found,) = with_named_rows("park visitor", chosen, [few], features("park", "visitor"))
    assert found.table
    assert found.table.marked == ()

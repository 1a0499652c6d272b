"""What is computed over a table's rows, and what is not: a wrong figure would be worse than none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from server.ask.quoting.compute import computed_over
from server.ask.quoting.score import QuestionFeatures
from server.messages.catalogue import shipped
from server.models import Citation
from server.models.quoted_table import QuotedTable

SMALL = {
    "how",
    "many",
    "are",
    "there",
    "what",
    "which",
    "is",
    "the",
    "has",
    "have",
    "most",
    "in",
    "of",
    "a",
    "an",
    "no",
}
HALLS = (
    "Hall: Maple — Opened: 1988; Beds: 264; Elevator: Yes; Price per year: $5,780",
    "Hall: Alder — Opened: 1928; Beds: 1,212; Elevator: No; Price per year: $4,100",
    "Hall: Birch — Opened: 1964; Beds: 148; Elevator: Yes; Price per year: $4,100",
)
COOLED = (
    "Hall: Maple — Beds: 264; Air conditioning: Lounges only; Kitchen: One per floor",
    "Hall: Alder — Beds: 212; Air conditioning: No; Kitchen: In the basement",
    "Hall: Birch — Beds: 148; Air conditioning: Yes; Kitchen: None",
)
BARE = ("Hall: Maple — Pool: No; Sauna: No", "Hall: Alder — Pool: No; Sauna: Yes")
FINES = ("Offense: No permit — Fine: $40", "Offense: Fire lane — Fine: $75 and towing")
RATES = (
    "Room: Double — Per year: $8,150; Per term: $4,075",
    "Room: Single — Per year: $9,600; Per term: $4,800",
)
DATES = (
    "Plan: Early — Deadline: November 1, 2026; Reply: December 15",
    "Plan: Regular — Deadline: January 15, 2027; Reply: April 1",
)


def stems(texts: Sequence[str]) -> list[set[str]]:
    return [{word.lower().strip("?.,:").rstrip("s") for word in text.split()} for text in texts]


SYNONYMS = [
    (frozenset({"dorm"}), frozenset({"residence", "hall"})),
    (frozenset({"ac"}), frozenset({"air", "conditioning"})),
]


def said(question: str, rows: Sequence[str]) -> tuple[str, tuple[int, ...]] | None:
    """The sentence, and the rows that are marked."""
    [words] = stems([question])
    weights = dict.fromkeys(words - {word.rstrip("s") for word in SMALL}, 1.0)
    source = Citation(
        1, "https://e.example/", "Residence halls", "", rows[0], table=QuotedTable(tuple(rows), "Plans")
    )
    found = computed_over(question, [source], QuestionFeatures(weights, (), stems, synonyms=SYNONYMS))
    if found is None:
        return None
    table = found[1].table
    assert table
    return found[0].sentence(shipped().spoken("en", "Larkmoor")), table.marked


@pytest.mark.parametrize(
    ("question", "rows", "sentence", "marked"),
    [
        ("How many residence halls are there?", HALLS, "The table on the page lists 3.", ()),
        (
            "How many halls have elevators?",
            HALLS,
            "The table on the page lists 3; of these, 2 have “Elevator”.",
            (0, 2),
        ),
        (
            "Which halls have an elevator?",
            HALLS,
            "With “Elevator” in the table on the page: Maple, Birch.",
            (0, 2),
        ),
        (
            "Which halls have no elevator?",
            HALLS,
            "Without “Elevator” in the table on the page: Alder.",
            (1,),
        ),
        (
            "which dorms have AC",
            COOLED,
            "With “Air conditioning” in the table on the page: Maple (Lounges only), Birch.",
            (0, 2),
        ),
        (
            "how many dorms have AC",
            COOLED,
            "With “Air conditioning” in the table on the page: Maple (Lounges only), Birch.",
            (0, 2),
        ),
        (
            "how many halls have no elevator",
            HALLS,
            "Without “Elevator” in the table on the page: Alder.",
            (1,),
        ),
        (
            "How many halls have elevators?",
            (*HALLS, HALLS[0].replace("Yes", "Soon")),
            "With “Elevator” in the table on the page: Maple, Birch, Maple (Soon).",
            (0, 2, 3),
        ),
        ("Which halls have a pool?", BARE, "The table on the page lists 2; none of them fits.", ()),
        ("Which hall has the most beds?", HALLS, "Highest of 3 under “Beds”: Alder, 1,212.", (1,)),
        ("What is the smallest hall?", HALLS, "Lowest of 3 under “Beds”: Birch, 148.", (2,)),
        (
            "What is the cheapest hall?",
            HALLS,
            "Lowest of 3 under “Price per year”: Alder, Birch, $4,100.",
            (1, 2),
        ),
        ("What is the highest fine?", FINES, "Highest of 2 under “Fine”: Fire lane, $75 and towing.", (1,)),
        ("cheapest room", RATES, "Lowest of 2 under “Per year”: Double, $8,150.", (0,)),
        (
            "Which plan has the latest deadline?",
            DATES,
            "Latest of 2 under “Deadline”: Regular, January 15, 2027.",
            (1,),
        ),
        (
            "What is the earliest plan?",
            DATES,
            "Earliest of 2 under “Deadline”: Early, November 1, 2026.",
            (0,),
        ),
    ],
)
def test_it_is_computed_and_said_and_its_rows_are_marked(
    question: str, rows: Sequence[str], sentence: str, marked: tuple[int, ...]
) -> None:
    assert said(question, rows) == (sentence, marked)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many halls have a kitchen?", HALLS),  # the table says nothing of it
        ("How many beds does Maple have?", HALLS),
        ("What is the cheapest hall for nurses?", HALLS),
        ("Where is the hall?", HALLS),
        ("Which plan has the earliest reply?", (DATES[0], "Plan: Late — Deadline: May 1; Reply: June")),
        ("What is the cheapest hall?", (*HALLS, HALLS[0].replace("$5,780", "ask us"))),
        ("What is the cheapest hall?", (*HALLS, HALLS[0].replace("$5,780", "€5,780"))),
        ("What is the cheapest hall?", (*HALLS, HALLS[0].replace("$5,780", "$780 a month"))),
        ("cheapest room", (RATES[0], RATES[1].replace("$4,800", "$3,800"))),  # a year, or a term?
        ("Which halls have elevators?", [row.replace("Yes", "Soon") for row in HALLS]),
        ("Which halls do nurses have elevators in?", HALLS),
        ("How many halls are there?", (*HALLS, "Hall: Total — Opened: 1900; Beds: 1,624")),
    ],
)
def test_nothing_is_computed_where_a_row_or_a_word_is_in_doubt(question: str, rows: Sequence[str]) -> None:
    assert said(question, rows) is None


def test_of_two_tables_it_is_computed_over_the_one_that_tells_it() -> None:
    fines, plans = (
        Citation(n, "https://e.example/", title, "", rows[0], table=QuotedTable(rows, title))
        for n, (title, rows) in enumerate((("Fines", FINES), ("Rooms", RATES)), 1)
    )
    wanted = QuestionFeatures({"cheapest": 1.0, "room": 1.0}, (), stems)
    found = computed_over("cheapest room", [fines, plans], wanted)
    assert found
    assert found[1].n == 2
    assert computed_over("cheapest room", [plans, replace(plans, n=2)], wanted) is None


def test_without_the_whole_table_nothing_is_computed() -> None:
    source = Citation(1, "https://e.example/", "Halls", "", HALLS[0])
    wanted = QuestionFeatures({"hall": 1.0}, (), stems)
    assert computed_over("How many halls?", [source], wanted) is None

from __future__ import annotations

from dataclasses import replace

from server.cli.answer_lines import answer_lines
from server.models import Answer
from server.models.quoted_table import QuotedTable
from tests.scripted_app import CITATIONS, FOLDED, OFFICES

TABLE = QuotedTable(OFFICES, "Opening times")


def answer(text: str) -> Answer:
    citations = (replace(CITATIONS[0], table=TABLE), CITATIONS[1])
    return Answer(text, False, None, "extractive", None, citations, (), "hybrid", "s", "c", "m", "t")


def test_a_row_is_marked_a_list_is_whole_and_a_card_has_a_line_each() -> None:
    lines = list(answer_lines(answer(FOLDED)))
    assert lines[:5] == [
        "Opening times [1]",
        "  Office 4 — Room: 410; Opens: 4 a.m.",
        "> Office 5 — Room: 510; Opens: 5 a.m.",
        "  Office 6 — Room: 610; Opens: 6 a.m.",
        "  … 3 of 12 rows",
    ]
    assert lines[5:7] == ["Clubs: [2]", "  • Club 1"]
    assert lines[-4:] == [
        "Advising Center [2]",
        "  Quarry Hall 140",
        "  (802) 555-0122",
        "  advising@larkmoor.example",
    ]


def test_words_alone_stand_as_they_are() -> None:
    assert list(answer_lines(answer("One. [1]\n\nTwo. [2]"))) == ["One. [1]\n\nTwo. [2]"]


def test_steps_keep_their_numbers() -> None:
    assert list(answer_lines(answer("How:\n2. Sign.\n3. Wait. [1]"))) == [
        "How: [1]",
        "  2. Sign.",
        "  3. Wait.",
    ]

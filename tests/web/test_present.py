from __future__ import annotations

from dataclasses import replace

import pytest

from server.records import Answer
from server.web.present import (
    Piece,
    announcement,
    answer_pieces,
    host_and_path,
    link,
    quote_pieces,
    source_date,
)
from server.web.texts import Texts
from tests.web.scripted import CITATIONS, DEADLINE

ANSWER = Answer(
    f"{DEADLINE} [1]", False, None, "extractive", None, CITATIONS[:1], (), "hybrid", "s", "c", "m", "t"
)


def test_a_number_in_brackets_becomes_a_reference_to_its_source() -> None:
    assert answer_pieces(ANSWER) == [Piece(DEADLINE), Piece("1", n=1)]


def test_a_number_without_a_source_stays_text() -> None:
    assert answer_pieces(replace(ANSWER, answer="Room [7].")) == [Piece("Room [7].")]


def test_the_quote_marks_the_sentence_that_the_answer_took() -> None:
    marked = [piece.text for piece in quote_pieces(CITATIONS[0], ANSWER.answer) if piece.marked]
    assert marked == [DEADLINE]


def test_a_line_break_inside_the_quote_does_not_hide_the_sentence() -> None:
    broken = replace(CITATIONS[0], quote=DEADLINE.replace(" fall ", "\n fall "))
    assert [piece.marked for piece in quote_pieces(broken, ANSWER.answer)] == [True]


def test_a_quote_loses_nothing_by_being_marked() -> None:
    pieces = quote_pieces(CITATIONS[0], ANSWER.answer)
    assert "".join(piece.text for piece in pieces) == CITATIONS[0].quote


def test_nothing_is_marked_for_an_answer_in_other_words() -> None:
    assert quote_pieces(CITATIONS[0], "Yes. By [spring] (or so).") == [Piece(CITATIONS[0].quote)]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//host/path", ""])
def test_only_http_addresses_are_linked(url: str) -> None:
    assert link(url) is None
    assert link("https://a.example/") == "https://a.example/"


def test_an_address_reads_as_people_say_it() -> None:
    assert host_and_path("https://www.a.example/b/?q=1") == "a.example/b"


def test_a_source_is_dated_by_its_change_or_else_by_its_reading() -> None:
    assert source_date(CITATIONS[0], Texts()) == ("2025-03-03", "Updated 3 March 2025")
    assert source_date(CITATIONS[1], Texts()) == ("2025-10-01", "Read 1 October 2025")
    assert source_date(replace(CITATIONS[1], fetched_at="last week"), Texts()) is None


def test_the_announcement_says_the_answer_and_counts_the_sources() -> None:
    assert announcement(ANSWER, Texts()) == f"Answer: {DEADLINE} One source follows."
    assert announcement(replace(ANSWER, citations=CITATIONS), Texts()).endswith("2 sources follow.")
    assert announcement(replace(ANSWER, citations=()), Texts()) == f"Answer: {DEADLINE}"

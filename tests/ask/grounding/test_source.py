from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.source import Source, stems_of
from server.sentences import letters
from tests.ask.grounding.lexicon import LEXICON, claim, passage, source

TABLE = (
    "Friday — Building: 7 a.m.–8 p.m.; Desk: 8 a.m.–6 p.m.\nSaturday — Building: 10 a.m.–8 p.m.; Desk: closed"
)


def test_a_passage_is_led_in_by_its_title_and_headings() -> None:
    page = source("It opens at 8.", "Library", "Hours › In term")
    assert page.lead == "Library · Hours › In term"
    assert page.text[page.body :] == "It opens at 8."
    assert page.given == set(stems_of(["library", "hours", "in", "term"], LEXICON))
    assert source("It opens.").body == len("\n")


def test_a_sentence_has_no_lead() -> None:
    assert (claim("It opens.").lead, claim("It opens.").body) == ("", 0)


def test_the_subject_of_a_row_is_told_from_its_cells() -> None:
    page = source(TABLE)
    subjects = [token.word for token in page.tokens if token.place.subject]
    assert subjects == ["Friday", "Saturday"]
    cells = {token.word: token.place.cell for token in page.tokens}
    assert cells["Building"] != cells["Desk"]


def test_words_know_their_line_sentence_and_clause() -> None:
    page = source("One here, two there. Three.\nFour.")
    places = {token.word: token.place for token in page.tokens}
    assert places["One"].sentence == places["two"].sentence != places["Three"].sentence
    assert places["One"].clause < places["two"].clause
    assert places["Three"].line < places["Four"].line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It opens at 8.", True),
        ("it opens at 8", True),
        ("It opens at 8. It closes at nine!", True),
        ("It closes at nine! Bring your card", True),
        ("opens at 8", False),
        ("It closes at", False),
        ("It opens at 9.", False),
        ("", False),
    ],
)
def test_a_quotation_is_whole_sentences(text: str, expected: bool) -> None:
    page = source("It opens at 8. It closes at nine!\n- Bring your card", "It closes at", "Hours")
    assert page.quotes(text) is expected


def test_a_cell_of_a_row_can_be_quoted() -> None:
    assert source(TABLE).quotes("Desk: 8 a.m.–6 p.m.")


def test_half_a_sentence_that_means_the_opposite_is_no_quotation() -> None:
    assert not source("It is not true that parking is free.").quotes("Parking is free.")


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_has_places_for_all_of_its_words(text: str) -> None:
    page = Source.of(passage(text, "T"), LEXICON)
    assert all(page.place_at(token.start) == token.place for token in page.tokens)
    assert letters(page.text).isalnum()

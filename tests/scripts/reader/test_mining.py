from __future__ import annotations

import pytest

from corpus.visitors.sets import is_kept_aside, read_page_questions
from scripts.research.reader.mining import find_words, holds_quote
from scripts.research.reader.sources import OWN_SITES, own_site_visitors

ROWS = "Mathematics — Months: 9; Stipend: $25,800\nBiology — Months: 12; Stipend: $30,400"


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("Open by 5:30 a.m. on weekdays.", "by 5:30 a.m", "by 5:30 a.m"),
        ("Write to the Registrar’s Office.", "the registrar's office", "the Registrar’s Office"),
        ("It closes at nine.", "closes at ten", None),
        ("It closes at nine.", "…", None),
        ("", "nine", None),
    ],
)
def test_words_are_found_whatever_signs_are_between_them(text: str, wanted: str, found: str | None) -> None:
    span = find_words(text, wanted)
    assert (text[slice(*span)] if span else None) == found


@pytest.mark.parametrize(
    ("quote", "held"),
    [
        ("Mathematics | 9 | $25,800", True),
        ("Biology | 12 | $30,400", True),
        ("Mathematics | 12 | $30,400", False),
        ("Chemistry | 9 | $25,800", False),
    ],
)
def test_a_tables_row_is_found_by_its_cells_in_one_line(quote: str, held: bool) -> None:
    assert holds_quote(ROWS, quote) is held


def test_a_quote_that_was_cut_is_held_by_most_of_its_words() -> None:
    quote = "Bring your card, a photo and the signed form to Corbel Hall."
    assert holds_quote("Bring your card, a photo and the signed form to", quote)
    assert not holds_quote("Bring your card.", quote)


@pytest.mark.parametrize("name", OWN_SITES)
def test_nothing_is_learnt_from_a_page_that_is_kept_aside(name: str) -> None:
    learnt, aside = own_site_visitors(name), own_site_visitors(name, kept_aside=True)
    assert len(learnt.asked) + len(aside.asked) == len(read_page_questions(name))
    assert {one.gold_url for one in learnt.asked}.isdisjoint(one.gold_url for one in aside.asked)
    assert all(is_kept_aside(one.gold_url) for one in aside.asked)
    assert aside.asked


def test_a_sixth_of_our_sites_questions_is_kept_aside() -> None:
    rows = [row for name in OWN_SITES for row in read_page_questions(name)]
    assert 0.14 < sum(is_kept_aside(row.url) for row in rows) / len(rows) < 0.2

"""Visitors' words become the pages'."""

from __future__ import annotations

import pytest

from server.ask.rewrite import apply_synonyms
from server.models.curation import Wording

WORDINGS = (
    Wording("dorm", ("dorm", "dorms"), "residence hall"),
    Wording("permit", ("parking permit",), "vehicle registration"),
    Wording("card", ("permit", "c++ card"), "ID card"),
)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Is there a kitchen in the Dorms?", "Is there a kitchen in the residence hall?"),
        ("parking  permit and permit", "vehicle registration and ID card"),
        ("dormant permits", "dormant permits"),
        ("my c++ card is lost", "my ID card is lost"),
    ],
)
def test_whole_words_are_replaced_the_longest_first(question: str, meant: str) -> None:
    assert apply_synonyms(question, WORDINGS)[0] == meant


def test_what_was_replaced_is_told_and_nothing_without_wordings() -> None:
    assert apply_synonyms("Which dorm?", WORDINGS)[1] == {"dorm": "residence hall"}
    assert apply_synonyms("Which dorm?", ()) == ("Which dorm?", {})

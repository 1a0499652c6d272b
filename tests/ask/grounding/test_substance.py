"""Sentences that are no answer, whatever is true of them."""

from __future__ import annotations

import pytest

from server.ask.grounding.source import Source
from server.ask.grounding.substance import Emptiness, emptiness
from tests.ask.grounding.lexicon import LEXICON, claim, source

LIBRARY = source(
    "The library opens at 10 a.m. on Saturdays. Ask at the service desk for a study room.", "Finch Library"
)
POLICY = source("The tutor reads the passage aloud. Cite each source as Source 1, Source 2.", "Reading test")
SATURDAY = "When is the library open on Saturday?"


def why(
    sentence: str, question: str = SATURDAY, *, page: Source = LIBRARY, may_be_cut: bool = False
) -> Emptiness | None:
    said = claim(sentence)
    weights = LEXICON.word_weights(sentence)
    return emptiness(said, claim(question), [page], weights, may_be_cut=may_be_cut)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("When is the library open on Saturday?", "asks"),
        ("Would you like to know more?", "asks"),
        ("When is the library open on Saturday.", "repeats_question"),
        ("The library is open on Saturday.", "repeats_question"),
        ("The library is open on Saturday as usual.", "says_nothing"),
        ("Thank you for your interest.", "says_nothing"),
        ("The passage says that the library opens at 10 a.m.", "speaks_of_sources"),
        ("According to passage 1, the library opens at 10 a.m.", "speaks_of_sources"),
        ("Source 3 names the service desk.", "speaks_of_sources"),
        ("The provided context has the opening hours of the desk.", "speaks_of_sources"),
        ('<passage n="2"> The desk.', "speaks_of_sources"),
        ("I'm sorry, I cannot find a study room.", "speaks_of_sources"),
        ("El pasaje 2 habla de la biblioteca.", "speaks_of_sources"),
        ("The library opens at 10 a.m., and the service desk,", "cut_off"),
    ],
)
def test_it_is_no_answer(sentence: str, expected: Emptiness) -> None:
    assert why(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The library opens at 10 a.m.",
        "On Saturday it is open from 10.",
        "Ask at the service desk.",
        "Yes, it is open.",
        "Sí, está abierta.",
        "The information desk has study rooms",
    ],
)
def test_it_says_something_right_or_wrong(sentence: str) -> None:
    assert why(sentence) is None


def test_a_page_may_speak_of_passages_and_sources_itself() -> None:
    for sentence in ("The tutor reads the passage aloud.", "You cite it as Source 1."):
        assert (why(sentence), why(sentence, page=POLICY)) == ("speaks_of_sources", None)


def test_a_sentence_without_an_end_is_cut_where_the_tokens_ran_out() -> None:
    assert why("Ask at the service desk for a", may_be_cut=True) == "cut_off"
    assert why("Ask at the service desk for a") is None
    assert why("Ask at the service desk.", may_be_cut=True) is None


def test_where_no_question_is_known_no_sentence_repeats_it() -> None:
    assert why("The library is open on Saturday.", "") is None

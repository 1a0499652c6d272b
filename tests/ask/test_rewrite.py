from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from server.ask.conversation.spelling import (
    PhrasingWords,
    correct_spelling,
    is_listed,
    max_edits,
    replace_words,
    typing_cost,
)
from server.ask.rewrite import rewrite
from server.index.search import Index
from server.inference.encoders import Embedder
from tests.index.small_index import opened


@pytest.mark.parametrize(
    ("question", "corrected"),
    [
        ("When does the libary open?", "When does the library open?"),
        ("REGESTRATION for the sprng term", "registration for the spring term"),
        ("undergradute tution", "undergraduate tuition"),
        ("Is there hockey, or a zeppelin?", "Is there hockey, or a zeppelin?"),
        ("When does the library open?", "When does the library open?"),
        ("MBA GRE I-20 b4 the fal", "MBA GRE I-20 b4 the fal"),
    ],
)
def test_only_words_that_neither_site_nor_language_knows_are_corrected(
    index: Index, embedder: Embedder, question: str, corrected: str
) -> None:
    assert replace_words(question, correct_spelling(question, index.text, embedder.is_word)) == corrected


def test_a_correctly_spelt_word_that_the_site_does_not_use_is_kept(
    tmp_path: Path, embedder: Embedder
) -> None:
    """ "Hockey" is one letter from "jockey", which the site has; the language knows both."""
    text = opened(tmp_path / "s", ["The jockey wears a cap."]).text
    assert correct_spelling("is there hockey", text, embedder.is_word) == {}
    assert correct_spelling("is there hockey", text, lambda word: False) == {}
    assert correct_spelling("is there jokcey", text, lambda word: False) == {"jokcey": "jockey"}


def test_nothing_strange_asks_the_vocabulary_nothing(embedder: Embedder) -> None:
    class Unasked(PhrasingWords):
        def __init__(self) -> None: ...

        def knows(self, words: Sequence[str]) -> set[str]:
            raise AssertionError(words)

        def knows_a_form(self, words: Sequence[str]) -> set[str]:
            raise AssertionError(words)

        def nearest_words(self, word: str, max_edits: int, most: int = 1) -> list[str]:
            raise AssertionError(word, max_edits)

    assert correct_spelling("library hours", Unasked(), embedder.is_word) == {}


@pytest.mark.parametrize(
    ("word", "edits"), [("fees", 1), ("libary", 1), ("tutition", 2), ("regestration", 2)]
)
def test_a_longer_word_may_have_two_slips(word: str, edits: int) -> None:
    assert max_edits(word) == edits


def test_replaces_whole_words_only() -> None:
    assert replace_words("Fal fall FAL's", {"fal": "fall"}) == "fall fall fall's"
    assert replace_words("finan  cial aid", {"finan cial": "financial"}) == "financial aid"


PAGES = [
    "Forms for the new account are at the desk of the registrar.",
    "Financial aid: send the form to the office. The office hours are on the door.",
    "Tuition is due in August. A dorm has a kitchen.",
    "The price of a meal plan is on the campus card; the sat is no test of ours.",
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return opened(tmp_path_factory.mktemp("spelling") / "s", PAGES)


def corrected(question: str, site: Index) -> str:
    def finds(line: str) -> float:
        return max((hit.score for hit in site.keyword.search(line, 1)), default=0.0)

    return rewrite(question, (), site.text, lambda word: False, finds)[0]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("when is tuitoin due", "when is tuition due"),
        ("tuittion", "tuition"),
        ("the rwgistrar", "the registrar"),
        ("financialaid form", "financial aid form"),
        ("officehours", "office hours"),
        ("finan cial aid", "financial aid"),
        ("camups card prcie", "campus card price"),
        ("WHEN IS TUITOIN DUE", "WHEN IS tuition DUE"),
    ],
)
def test_slips_of_typing_are_mended(typed: str, meant: str, site: Index) -> None:
    assert corrected(typed, site) == meant


@pytest.mark.parametrize(
    "question",
    [
        "which dorms have a kitchen",  # a form of a word of the site, near "forms"
        "cuanto cuesta la cuenta",  # Spanish
        "cuesta",
        "intl aid",  # a stop word is near, which finds nothing
        "is Accont a professor of yours",  # a name
        "lsat score",  # its first letter is seldom left out by mistake
        "hockey and photography in kitchenettes",  # English, and not the site's
        "can i vape",
    ],
)
def test_what_is_no_slip_stays_as_it_is(question: str, site: Index) -> None:
    assert corrected(question, site) == question


def test_the_trace_shows_what_was_found_with_and_without_a_correction(site: Index) -> None:
    scores = {"when is tuitoin due": 1.0, "when is tuition due": 3.0, "tuition": 2.0}
    notes = rewrite("when is tuitoin due", (), site.text, lambda word: False, scores.__getitem__)[2]
    assert notes["corrections"] == {"tuitoin": "tuition"}
    assert notes["found"] == {"when is tuitoin due": 1.0, "when is tuition due": 3.0}


def test_likely_slips_cost_less_than_others() -> None:
    swapped, doubled, beside = (typing_cost(one, "tuition") for one in ("tuitoin", "tuittion", "tuirion"))
    other, first = typing_cost("tuixion", "tuition"), typing_cost("uition", "tuition")
    assert max(swapped, doubled, beside) < other < first
    assert typing_cost("tuition", "tuition") == 0


@pytest.mark.parametrize(("word", "known"), [("cuesta", True), ("syllabus", True), ("tuitoin", False)])
def test_words_of_the_two_lists(word: str, known: bool) -> None:
    assert is_listed(word) is known

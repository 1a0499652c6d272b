from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from server.ask.conversation.phrases import PhrasingWords, correct_spelling, max_edits, replace_words
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
    assert correct_spelling("is there hockey", text, lambda word: False) == {"hockey": "jockey"}


def test_nothing_strange_asks_the_vocabulary_nothing(embedder: Embedder) -> None:
    class Unasked(PhrasingWords):
        def __init__(self) -> None: ...

        def knows(self, words: Sequence[str]) -> set[str]:
            raise AssertionError(words)

        def nearest_word(self, word: str, max_edits: int) -> str | None:
            raise AssertionError(word, max_edits)

    assert correct_spelling("library hours", Unasked(), embedder.is_word) == {}


@pytest.mark.parametrize(
    ("word", "edits"), [("fees", 1), ("libarys", 1), ("tutition", 2), ("regestration", 2)]
)
def test_a_longer_word_may_have_two_slips(word: str, edits: int) -> None:
    assert max_edits(word) == edits


def test_replaces_whole_words_only() -> None:
    assert replace_words("Fal fall FAL's", {"fal": "fall"}) == "fall fall fall's"

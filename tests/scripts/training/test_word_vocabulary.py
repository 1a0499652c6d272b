"""Words as ids and back; what is seldom is unknown."""

from __future__ import annotations

from scripts.training.word_vocabulary import BEGIN, END, UNKNOWN, WordVocabulary, words_of

TEXTS = ("The pool opens at 9. [1]", "The pool is closed.", "the gym")


def test_a_citation_is_one_token_and_a_mark_is_one() -> None:
    assert words_of("It's $5. [12]") == ["it", "'", "s", "$", "5", ".", "[12]"]


def test_what_is_known_comes_back_in_lower_case() -> None:
    vocabulary = WordVocabulary.of(TEXTS, 50)
    assert vocabulary.text(vocabulary.ids("The Pool opens at 9. [1]", 20)) == "the pool opens at 9. [1]"


def test_only_the_most_frequent_words_are_known() -> None:
    vocabulary = WordVocabulary.of(TEXTS, 6)
    assert vocabulary.words[4:] == ("the", "pool")
    assert vocabulary.ids("the gym", 9) == [BEGIN, 4, UNKNOWN, END]
    assert vocabulary.text([BEGIN, 4, UNKNOWN, END, 5]) == "the …"


def test_a_long_text_is_cut_and_still_ends() -> None:
    vocabulary = WordVocabulary.of(TEXTS, 50)
    ids = vocabulary.ids("the pool " * 40, 10)
    assert len(ids) == 10
    assert (ids[0], ids[-1]) == (BEGIN, END)

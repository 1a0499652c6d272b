from __future__ import annotations

import pytest

from server.ask.conversation.phrases import (
    NounPhrase,
    content_words,
    linked_phrases,
    noun_phrases,
    sentence,
    without_lead,
    words_of,
)


def test_a_word_keeps_its_inner_marks_and_is_looked_up_without_its_clitic() -> None:
    words = words_of("What's the add/drop date, per I-20?")
    assert [word.text for word in words] == ["What's", "the", "add/drop", "date", "per", "I-20"]
    assert [word.key for word in words] == ["what", "the", "add/drop", "date", "per", "i-20"]
    assert all("What's the add/drop date, per I-20?"[w.start : w.end] == w.text for w in words)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Where is Finch Library", ["Finch", "Library"]),
        ("CSC 101 costs $40", ["101", "$40"]),
        ("the fee", []),
    ],
)
def test_what_looks_like_a_name(text: str, names: list[str]) -> None:
    assert [word.text for word in words_of(text) if word.is_name] == names


def test_content_words_are_neither_small_nor_common_verbs() -> None:
    assert [word.key for word in content_words("How do I get a parking permit?")] == ["parking", "permit"]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("what's the lab fee for genetics?", ["the lab fee", "genetics"]),
        ("when does the library close on friday", ["the library", "friday"]),
        ("a change form", ["a change form"]),
        ("cats, dogs", ["cats", "dogs"]),
        ("why?", []),
    ],
)
def test_noun_phrases_end_at_small_words_verbs_and_marks(text: str, phrases: list[str]) -> None:
    assert [phrase.text for phrase in noun_phrases(text)] == phrases


def test_prepositions_link_phrases() -> None:
    text = "who is the president of the university?"
    assert linked_phrases(text) == [NounPhrase("the president of the university", 7, 38)]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Can I repeat a course?", "repeat a course"),
        ("Tell me about the Honors Program", "the Honors Program"),
        ("how many times can I repeat a course", "times repeat a course"),
        ("¿cuánto es la cuota?", "la cuota"),
        ("why?", "why"),
    ],
)
def test_a_question_without_its_asking(text: str, left: str) -> None:
    assert without_lead(text) == left


def test_a_line_for_a_person() -> None:
    assert sentence("  is  it open ?? ") == "is it open?"

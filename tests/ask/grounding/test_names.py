from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from server.ask.grounding.names import Name, NameIndex, names, plain_words


def read(text: str) -> list[tuple[str, ...]]:
    return [found.value.needed for found in names(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ask Dr. Fatima Ali about it.", [("fatima", "ali")]),
        ("It is led by Professor Anselm Kowalczyk.", [("anselm", "kowalczyk")]),
        ("Students from Maine or New Hampshire pay", [("maine",), ("new", "hampshire")]),
        ("Contact Tess Arguello.", [("tess", "arguello")]),
        ("Renovating Spruce Hall took long.", [("spruce", "hall")]),
        ("Marian Okafor-Lindqvist's office", [("marian", "okafor", "lindqvist")]),
        ("The IRB meets", [("irb",)]),
        ("Veterans may register early.", []),
        ("Part-time students may not.", []),
        ("write to the Office of the Registrar", [("office", "registrar")]),
        ("i am fine, says Zoë", [("zoe",)]),
        ("EVERY WORD OF THIS SENTENCE IS WRITTEN IN CAPITALS", []),
        ("You need a PIN, your ID and a GPA of 3.0", []),
        ("the Larkmoor's Weld Hall", [("larkmoor",), ("weld", "hall")]),
    ],
)
def test_names_in_a_sentence(text: str, expected: list[tuple[str, ...]]) -> None:
    assert read(text) == expected


PAGE = NameIndex(
    "Dr. Fatima Ali chairs Biology. The chair of Chemistry is Omar Haddad-Cruz. "
    "The Institutional Review Board; a tuberculosis test; École de Commerce"
)


@pytest.mark.parametrize(
    "words",
    [
        ("fatima", "ali"),
        ("ali",),
        ("haddad", "cruz"),
        ("cruz", "omar"),
        ("review", "board"),
        ("ecole", "commerce"),
    ],
)
def test_words_that_stand_together_are_a_name(words: tuple[str, ...]) -> None:
    assert PAGE.has(Name(words))


@pytest.mark.parametrize(
    "words", [("fatima", "cruz"), ("omar", "ali"), ("fatima", "aly"), ("review", "commerce")]
)
def test_words_from_two_names_are_none(words: tuple[str, ...]) -> None:
    assert not PAGE.has(Name(words))


def test_an_acronym_may_stand_for_its_words() -> None:
    assert PAGE.has(Name(("irb",), acronym=True))
    assert PAGE.has(Name(("tb",), acronym=True))
    assert not PAGE.has(Name(("irs",), acronym=True))
    assert not PAGE.has(Name(("irb",)))


def test_a_first_word_that_opens_the_sentence_may_stand_elsewhere() -> None:
    [chair] = names("Biology Chair Fatima Ali answers")
    assert PAGE.has(chair.value)
    [stranger] = names("Helen Ali answers")
    assert not PAGE.has(stranger.value)


def test_plain_words_have_no_accents_possessives_or_plurals() -> None:
    assert plain_words("The Herons' Zoë's classes, Okafor-Lindqvist") == [
        "the",
        "heron",
        "zoe",
        "classe",
        "okafor",
        "lindqvist",
    ]


@settings(deadline=None)
@given(st.text(max_size=80))
@example("Ð⼀")  # a sign that is made of a letter
def test_any_text_can_be_read_and_holds_its_own_names(text: str) -> None:
    page = NameIndex(text)
    for found in names(text):
        assert 0 <= found.start < found.end <= len(text)
        assert page.has(found.value)

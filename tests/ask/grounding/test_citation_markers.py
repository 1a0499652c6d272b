from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.citation_markers import CitedSentence, cited_sentences


def read(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.text, one.marks) for one in cited_sentences([text])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It opens at 8. [1] It closes at 9 [2].", [("It opens at 8.", (1,)), ("It closes at 9.", (2,))]),
        ("It opens at 8.[1][2] It closes.", [("It opens at 8.", (1, 2)), ("It closes.", ())]),
        ("It opens at 8 p.m. [1]. Then [1-3].", [("It opens at 8 p.m.", (1,)), ("Then.", (1, 2, 3))]),
        ("It costs $5 [source 2], or $6 [3, 4].", [("It costs $5, or $6.", (2, 3, 4))]),
        ("A footnote [^1] and another 【2†source】.", [("A footnote and another.", (1, 2))]),
        ("Ask Dr. Ali on Mon. March 1 [1]", [("Ask Dr. Ali on Mon. March 1", (1,))]),
        ("See [1](https://u.example/) there.", [("See there.", (1,))]),
        ("Ends in the middle [1", [("Ends in the middle [1", ())]),
        ("[1] It opens.", [("It opens.", (1,))]),
        ("", []),
    ],
)
def test_marks_go_to_the_sentence_before_them(text: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert read(text) == expected


def test_lists_keep_their_bullets_and_lines() -> None:
    found = list(cited_sentences(["You need:\n- a card [1]\n- **two** forms [2]\n\n1. Go."]))
    assert found == [
        CitedSentence("You need:"),
        CitedSentence("a card", (1,), (), "- ", True),
        CitedSentence("two forms", (2,), (), "- ", True),
        CitedSentence("Go.", (), (), "1. ", True),
    ]


def test_links_are_taken_out_and_told() -> None:
    [one] = cited_sentences(['Read [the page](https://u.example/a_(b) "Title") now.'])
    assert one == CitedSentence("Read the page now.", (), ("https://u.example/a_(b)",))


def test_a_sentence_comes_as_soon_as_it_is_complete() -> None:
    taken: list[str] = []

    def pieces() -> list[str]:
        return ["It opens at 8. [1]", " It closes at nine in the evening", " [2]. And", " so on."]

    def watched() -> object:
        for piece in pieces():
            taken.append(piece)
            yield piece

    stream = cited_sentences(watched())  # type: ignore[arg-type]  # a generator that tells what was taken of it
    assert next(stream).marks == (1,)
    assert len(taken) == 2
    assert [one.text for one in stream] == ["It closes at nine in the evening.", "And so on."]


PARTS = [
    "It opens at 8.", "[1]", " [2, 3]", " ", "\n", "- ", "* ", "**bold**", "*it*", "`code`", "[page](https://u.example/a)",
    "Dr. Ali", " p.m.", " Monday", "1. ", "[", "]", "5 * 3", "See. ", "?",
]  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=12), st.integers(1, 6))
def test_how_the_text_is_cut_into_pieces_changes_nothing(parts: list[str], size: int) -> None:
    text = "".join(parts)
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    assert list(cited_sentences(pieces)) == list(cited_sentences([text]))


@settings(deadline=None)
@given(st.text(max_size=80))
def test_no_letter_is_lost(text: str) -> None:
    """Of a text without brackets, which may be marks and links."""
    plain = text.replace("[", "").replace("【", "").replace("]", "")
    told = "".join(one.bullet + one.text for one in cited_sentences([plain]))
    assert [c for c in told if c.isalpha()] == [c for c in plain if c.isalpha()]


@pytest.mark.parametrize("piece", ["![a](", "[a](((", " ", "\t ", "[1", "**", "!["])
def test_markup_that_never_closes_takes_no_longer_than_it_is(piece: str) -> None:
    """Without an end to the trying, hours."""
    [whole] = cited_sentences([piece * 700, "x."])
    assert whole.text.endswith("x.")
    assert whole.marks == ()

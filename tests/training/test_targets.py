from __future__ import annotations

import pytest

from server.training.targets import answering_sentence, target_of, window

TEXT = "The club meets on Mondays. It was founded in 1901 by Ann Moor. Tea is served at four in the hall."


@pytest.mark.parametrize(
    ("answer", "quote", "yes_no", "target"),
    [
        ("by 5:30", "the decision is made by 5:30 a.m.", None, "The decision is made by 5:30 a.m."),
        ("$45", "Transcript | $45 | Registrar", None, "Transcript: $45."),
        ("A transcript is $45", "Transcript | $45", None, "A transcript is $45."),
        ("no", "Dogs are not allowed in the halls", "no", "No: Dogs are not allowed in the halls."),
        ("x", "- **Pay** the [fee](/fee) at the desk.", None, "Pay the fee at the desk."),
        ("nine", "at nine", None, None),
    ],
)
def test_targets(answer: str, quote: str, yes_no: str | None, target: str | None) -> None:
    assert target_of(answer, quote, yes_no) == target


def test_the_sentence_that_answers() -> None:
    assert answering_sentence(TEXT, TEXT.index("four"), "four") == "Tea is served at four in the hall."


def test_a_sentence_that_points_back_answers_nothing_alone() -> None:
    assert answering_sentence(TEXT, TEXT.index("1901"), "1901") is None


def test_a_window_is_whole_sentences_around_the_answer() -> None:
    at = TEXT.index("1901")
    assert window(TEXT, at, at + 4, words=8) == "It was founded in 1901 by Ann Moor."
    assert (
        window(TEXT, at, at + 4, words=13) == "The club meets on Mondays. It was founded in 1901 by Ann Moor."
    )
    assert window(TEXT, at, at + 4, words=100) == TEXT

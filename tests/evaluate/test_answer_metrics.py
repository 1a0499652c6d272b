from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.evaluate.questions import answer_scores, contains_any, normalised
from server.sentences import without_marks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Office of\tthe Registrar!", "office of registrar"),
        ("an A in theatre", "in theatre"),
        ("$1,200.50", "120050"),
        ("post-doc", "postdoc"),
        ("“it’s 9–5”", "its 95"),
        ("MAY\u00a01_st", "may 1st"),
        ("¿Cuándo?", "cuándo"),
        ("Cuándo", "cuándo"),
        ("...", ""),
    ],
)
def test_normalisation(text: str, expected: str) -> None:
    assert normalised(text) == expected


def test_overlap_of_tokens_by_hand() -> None:
    """Answer: office in carnegie hall (4 tokens); reference: carnegie hall room 12 (4); 2 in common."""
    scores = answer_scores("The office in Carnegie Hall", ["Carnegie Hall, room 12"])
    assert scores == {"em": 0.0, "f1": 0.5, "precision": 0.5, "recall": 0.5, "answer_contains": 0.0}


def test_a_long_answer_around_the_reference_loses_precision_only() -> None:
    """deadline is may 1 (4 tokens) against may 1 (2): precision 1/2, recall 1, F1 2/3."""
    scores = answer_scores("The deadline is May 1.", ["May 1"])
    assert scores == pytest.approx(
        {"em": 0, "f1": 2 / 3, "precision": 0.5, "recall": 1, "answer_contains": 1}
    )


def test_repeated_tokens_count_as_often_as_both_have_them() -> None:
    """new new york against new york new york: 2 + 1 in common; precision 1, recall 3/4, F1 6/7."""
    assert answer_scores("New New York", ["New York, New York"])["f1"] == pytest.approx(6 / 7)


def test_the_best_reference_counts_and_precision_and_recall_belong_to_it() -> None:
    """Alone, "may" would have precision 1/2 and recall 1; "may 1 2025" has F1 4/5 and so is the one."""
    scores = answer_scores("May 1", ["may", "may 1 2025", "june"])
    assert scores == pytest.approx(
        {"em": 0, "f1": 0.8, "precision": 1, "recall": 2 / 3, "answer_contains": 1}
    )


def test_exact_match_is_of_normalised_texts() -> None:
    assert answer_scores("the May 1", ["June 1", "May 1."])["em"] == 1


def test_two_texts_of_which_nothing_is_left_agree_as_in_squad_2() -> None:
    assert answer_scores("A", ["the"]) == {
        "em": 1,
        "f1": 1,
        "precision": 1,
        "recall": 1,
        "answer_contains": 0,
    }
    assert answer_scores("", ["May 1"])["f1"] == 0


def test_contains_whole_words_only() -> None:
    assert contains_any("Founded in 2015.", ["2015"])
    assert not contains_any("Founded in 2015.", ["201", "5", "the"])


@settings(deadline=None)
@given(st.text("abthe5 .-’"), st.lists(st.text("abthe5 .-’"), min_size=1, max_size=4))
def test_scores_are_bounded_and_an_exact_match_is_a_full_one(answer: str, references: list[str]) -> None:
    scores = answer_scores(answer, references)
    assert all(0 <= score <= 1 + 1e-12 for score in scores.values())
    assert not scores["em"] or scores["f1"] == pytest.approx(1)


def test_the_numbers_of_sources_are_not_part_of_an_answer() -> None:
    assert without_marks("It opens at 8. [1] It closes at 5 [12]") == "It opens at 8. It closes at 5"
    assert not contains_any(without_marks("It is open. [1]"), ["1"])

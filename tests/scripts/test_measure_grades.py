"""What readers made of answers, and how far they agree."""

from __future__ import annotations

import pytest

from scripts.research.answering.measure_grades import GRADES, read_hands, told
from server.evaluate.judging.agreement import cohen_kappa


def test_kappa_is_one_of_the_same_words_and_nothing_of_chance() -> None:
    words = ["right", "wrong", "right", "refused"]
    assert cohen_kappa([(word, word) for word in words]) == pytest.approx(1.0)
    assert cohen_kappa([("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]) == pytest.approx(0.0)
    assert cohen_kappa([("a", "a"), ("a", "a")]) == pytest.approx(1.0)


def test_the_hands_graded_the_same_questions_with_known_words() -> None:
    one, other = read_hands("larkmoor").values()
    assert [row["id"] for row in one] == [row["id"] for row in other]
    for row in (*one, *other):
        assert row["grade"] in GRADES
        assert (row["grade"] == "refused") is (row["tier"] == "refusal")


def test_counts_and_the_satisfied_share_are_told() -> None:
    rows = [{"grade": "right", "satisfied": True}, {"grade": "wrong", "satisfied": False}]
    assert told(rows).startswith("2: right 1, partly 0, wrong 1, refused 0; satisfied 0.500 [")

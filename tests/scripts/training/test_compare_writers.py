from __future__ import annotations

import pytest

from scripts.training.compare_writers import figures, judge, wilson

ASKED = "When does the library open on Saturday?"
TARGET = "On Saturday the library opens at ten o'clock. [2]"


def test_the_pages_answer_with_its_number_is_right() -> None:
    assert judge("It opens at ten o'clock. [2]", TARGET, ASKED, 1.0).right


@pytest.mark.parametrize(
    "text",
    ["It opens at ten o'clock.", "It opens at ten o'clock. [1]", "At noon. [2]", "NO ANSWER", "", ASKED],
)
def test_what_is_not_right(text: str) -> None:
    assert not judge(text, TARGET, ASKED, 1.0).right


def test_the_question_again_is_an_echo() -> None:
    assert judge("When does the library open on Saturday? [1]", TARGET, ASKED, 1.0).echo
    assert not judge("At ten. [2]", TARGET, ASKED, 1.0).echo
    assert not judge("", TARGET, ASKED, 1.0).echo


def test_what_is_not_said_is_right_when_it_is_declined() -> None:
    assert judge("NO ANSWER", "NO ANSWER", ASKED, 1.0).right
    assert not judge("At ten. [1]", "NO ANSWER", ASKED, 1.0).right


def test_the_figures_part_answerable_from_unanswerable() -> None:
    rows = [{"target": TARGET}, {"target": TARGET}, {"target": "NO ANSWER"}]
    judged = [
        judge("It opens at ten o'clock. [2]", TARGET, ASKED, 1.0),
        judge("NO ANSWER", TARGET, ASKED, 2.0),
        judge("At ten. [1]", "NO ANSWER", ASKED, 3.0),
    ]
    found = figures(judged, rows)
    assert (found["right"]["value"], found["wrongly_declined"]["value"]) == (0.5, 0.5)
    assert (found["not_said_right"]["value"], found["not_said_right"]["of"]) == (0.0, 1)
    assert found["seconds_p50"] == 2.0


def test_the_interval_is_wilsons() -> None:
    low, high = wilson(0.5, 100)
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)

"""What the mending page makes of a passage."""

from __future__ import annotations

from admin.mending.change import distinct, facts


def test_figures_of_a_passage_are_offered_as_the_words_of_a_right_answer() -> None:
    text = (
        "Tuition is $9,240 a year. Apply by March 1 at 10:30 a.m., or write to aid@example.edu for 3 forms."
    )
    assert facts(text) == ["$9,240", "March 1", "10:30 a.m.", "aid@example.edu", "3"]
    assert facts("A student may repeat a course once.") == []


def test_a_figure_ends_before_its_comma() -> None:
    assert facts("Students over 21, and 1,450 others by 2026.") == ["21", "1,450"]


def test_a_passage_that_several_questions_of_a_line_brought_is_offered_once() -> None:
    row = {"url": "u", "heading": "h", "text": "t"}
    assert distinct([{"rows": [row, {**row, "text": "other"}]}, {"rows": [row]}], 9) == [
        row,
        {**row, "text": "other"},
    ]
    assert distinct([{"rows": [row]}], 0) == []

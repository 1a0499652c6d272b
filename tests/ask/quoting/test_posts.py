"""What a list of people says of one of them: the name with the post below it."""

from __future__ import annotations

import pytest

from server.ask.quoting.posts import is_person, is_post, post_around
from server.ask.quoting.units import unit_of
from server.models import Passage
from server.sentences import sentences

STAFF = """Our team is small.
Ada Quill
Program Director
Write to her about anything
Bo de Vries, PhD
Program Coordinator
Department of Trees
Cy Ames
Field work, Oakham College
"""
SPANS = sentences(STAFF)


def of(words: str) -> int:
    return next(i for i, (start, end) in enumerate(SPANS) if words in STAFF[start:end])


@pytest.mark.parametrize("words", ["Ada Quill", "Program Director", "Write to her"])
def test_each_line_of_a_person_brings_the_others(words: str) -> None:
    unit = unit_of(Passage(1, "https://example.edu/1", "People", "", STAFF), SPANS, of(words))
    assert STAFF[unit.start : unit.end] == "Ada Quill\nProgram Director\nWrite to her about anything"
    assert unit.is_record


def test_of_whom_no_post_is_told_a_line_stands_as_before() -> None:
    assert post_around(STAFF, SPANS, of("Cy Ames")) is None
    assert post_around(STAFF, SPANS, of("Our team")) is None


def test_one_person_is_no_list() -> None:
    text = "Ada Quill\nProgram Director\nRooms\nTrees"
    assert post_around(text, sentences(text), 1) is None


def test_no_more_lines_than_tell_of_one_person_are_brought() -> None:
    text = "Ada Quill\nDean\nOaks\nElms\nAshes\nFirs\nBo Lind\nBursar"
    spans = sentences(text)
    assert post_around(text, spans, 1) == (0, 3)
    assert post_around(text, spans, 4) is None


@pytest.mark.parametrize(
    ("line", "person"),
    [
        ("Steve Hosaf", True),
        ("Dr. Maria O'Neil", True),
        ("Jean-Luc van Dam, Ph.D.", True),
        ("Program Director", False),
        ("Computer Science", False),
        ("Quarry Hall", False),
        ("MHCID Faculty", False),
        ("contact us", False),
        ("Ada", False),
    ],
)
def test_a_name_is_told_from_a_post_and_a_place(line: str, person: bool) -> None:
    assert is_person(line) is person


def test_a_post_may_be_one_of_many_words() -> None:
    assert is_post("Associate Dean for Student Affairs")
    assert not is_post("Field work, Oakham College")

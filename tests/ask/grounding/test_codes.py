from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.names import Code, course_codes, place_codes


def courses(text: str) -> list[str]:
    return [found.value.ident for found in course_codes(text)]


def places(text: str) -> list[tuple[str, list[str]]]:
    return [(found.value.ident, sorted(found.value.label)) for found in place_codes(text)]


@pytest.mark.parametrize("text", ["CSC 203", "CSC203", "CSC-203", "csc-203", "csc203"])
def test_a_course_is_the_same_however_it_is_written(text: str) -> None:
    assert courses(f"Take {text} first.") == ["csc203"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CSC 110, 120 and 230, and eight more", ["csc110", "csc120", "csc230"]),
        ("CHE 111–112 and 211–212", ["che111", "che112", "che211", "che212"]),
        ("BIO 205 and BIO 206", ["bio205", "bio206"]),
        ("forms HC-2, DD-214, I-20 and 1098-T", ["hc2", "dd214", "i20", "1098t"]),
        ("policy 4.12.1 of the 1930's", ["4.12.1", "1930s"]),
        ("the 24-hour room G10", ["g10"]),
        ("a GPA 3.7, SAT 1200, AP 4, VT 05099", []),
        ("for 120 credits, the 200 students", []),
    ],
)
def test_codes_that_are_no_mistaking(text: str, expected: list[str]) -> None:
    assert courses(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Birch Hall 22", [("22", ["birch"])]),
        ("in Birch Hall, room 22", [("22", ["birch"])]),
        ("room 22 of Birch Hall", [("22", ["birch"])]),
        ("Room 214", [("214", [])]),
        ("Miller Commons 012", [("012", ["common", "miller"])]),
        ("Lots A, B and F", [("a", ["lot"]), ("b", ["lot"]), ("f", ["lot"])]),
        ("NCAA Division III", [("iii", ["division"])]),
        ("Title IX and Section 504", [("ix", ["title"]), ("504", ["section"])]),
        ("Exit 11, then Route 58", [("11", ["exit"]), ("58", ["route"])]),
        ("a C-minus, a C- or a C–", [("c-", []), ("c-", []), ("c-", [])]),
        ("a B+, an A or a W", [("b+", []), ("a", []), ("w", [])]),
        ("About 40 students. Up to 75 credits.", []),
        ("In Vermont 54 percent are", []),
        ("I have an E-mail for Dr. J. Moor", []),
    ],
)
def test_numbers_and_letters_that_belong_to_something(
    text: str, expected: list[tuple[str, list[str]]]
) -> None:
    assert places(text) == expected


def test_a_room_of_another_building_is_another_room() -> None:
    assert Code("22", frozenset(("birch",))).bears_out(Code("22"))
    assert Code("22").bears_out(Code("22", frozenset(("birch",))))
    assert not Code("22", frozenset(("birch",))).bears_out(Code("22", frozenset(("quarry",))))
    assert not Code("22", frozenset(("birch",))).bears_out(Code("23", frozenset(("birch",))))


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for found in [*course_codes(text), *place_codes(text)]:
        assert 0 <= found.start < found.end <= len(text)

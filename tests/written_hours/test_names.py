"""Places' names in titles and labels that speak of hours."""

from __future__ import annotations

import pytest

from server.written_hours.names import bare_name, is_main_part, is_office


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Library hours", "Library"),
        ("Hours | Langson Library", "Langson Library"),
        ("Hours & Location", ""),
        ("When we are open", ""),
        ("Exceptions, 2026–27", ""),
        ("Summer 2027 hours", ""),
        ("Miller dining hall", "Miller dining hall"),
        ("The Larder: food pantry and emergency fund", "The Larder"),
        ("Shopping at the Larder", ""),
        ("Student Accounts (bursar)", "Student Accounts (bursar)"),
    ],
)
def test_a_name_is_what_is_left_without_words_of_hours(text: str, expected: str) -> None:
    assert bare_name(text) == expected


def test_some_parts_stand_for_the_whole_place() -> None:
    assert is_main_part("Building, weights, courts")
    assert not is_main_part("Pool, lap swim")


def test_an_office_is_known_by_its_name() -> None:
    assert is_office("Office of the Registrar")
    assert not is_office("Bookstore")

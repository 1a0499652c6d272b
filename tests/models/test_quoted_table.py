from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.models.quoted_table import rows_of, shown_items, shown_rows


@pytest.mark.parametrize(
    ("total", "marked", "shown"),
    [
        (12, (4,), (3, 4, 5)),
        (12, (0,), (0, 1, 2)),
        (12, (11,), (9, 10, 11)),
        (4, (3,), (0, 1, 2, 3)),  # one row alone is not hidden
        (12, (1, 9), (0, 1, 9)),
        (12, (1, 3, 5, 7), (1, 3, 5, 7)),  # what answers is never hidden
        (12, (), tuple(range(12))),
        (13, (), tuple(range(8))),
    ],
)
def test_the_rows_that_answer_and_their_neighbours_are_shown_first(
    total: int, marked: tuple[int, ...], shown: tuple[int, ...]
) -> None:
    assert shown_rows(total, marked) == shown


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1)))))
def test_every_marked_row_is_shown_and_no_place_is_made_up(case: tuple[int, set[int]]) -> None:
    total, marked = case
    shown = shown_rows(total, tuple(sorted(marked)))
    assert marked <= set(shown) <= set(range(total))
    assert len(shown) >= min(total, 3)


def test_a_list_is_whole_up_to_ten_items() -> None:
    assert (len(shown_items(10)), len(shown_items(14))) == (10, 5)


def test_a_cell_that_a_row_does_not_have_is_empty_in_its_column() -> None:
    lines = ["Maple — Beds: 264; Lift: Yes", "Alder — Beds: 212; Kitchen: One; Lift: No"]
    assert rows_of(lines) == (
        ("", "Beds", "Kitchen", "Lift"),
        (("Maple", "264", "", "Yes"), ("Alder", "212", "One", "No")),
    )


@pytest.mark.parametrize(
    "lines", [[], ["A sentence."], ["Maple — Beds: 264; Lift: Yes", "Monday — Opens: 9; Closes: 5"]]
)
def test_lines_of_no_single_table_are_none(lines: list[str]) -> None:
    assert rows_of(lines) is None

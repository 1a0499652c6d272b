"""Opening hours as the console says them."""

from __future__ import annotations

from typing import Any

import pytest

from admin.hours.hour_words import correction_words, days_words, times_words, when_words


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([0, 1, 2, 3], "Monday–Thursday"),
        ([5, 6], "Saturday, Sunday"),
        ([0, 2, 4], "Monday, Wednesday, Friday"),
        ([], "Every day"),
    ],
)
def test_days_are_told_in_runs(days: list[int], expected: str) -> None:
    assert days_words(days) == expected


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([[510, 720], [780, 1500]], "8:30 a.m.–noon, 1 p.m.–1 a.m."),
        ([[0, 1440]], "24 hours"),
        ([], "closed"),
        (None, "not understood"),
    ],
)
def test_times_are_told(spans: list[list[int]] | None, expected: str) -> None:
    assert times_words(spans) == expected


def test_what_bounds_a_line_is_told() -> None:
    assert when_words("2026-11-25", "2026-11-25") == "2026-11-25"
    assert when_words("2026-11-25", None, ["taught", "finals"]) == "2026-11-25 to …, in term, finals"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"kind": "week"}, "Desk. Week: Monday 9 a.m.–noon; Saturday, Sunday closed"),
        (
            {"kind": "dates", "first": "2026-12-01", "last": "2026-12-02", "part": ""},
            "Exception, 2026-12-01 to 2026-12-02: Monday 9 a.m.–noon; Saturday, Sunday closed",
        ),
        ({"kind": "quote", "part": ""}, "Nothing is told; the page is quoted."),
    ],
)
def test_a_correction_is_told_as_it_was_understood(more: dict[str, Any], expected: str) -> None:
    rows = [([0], [[540, 720]]), ([5], []), ([6], [])]
    times = [{"weekdays": days, "spans": spans} for days, spans in rows]
    assert correction_words({"part": "Desk", "first": None, "last": None, "times": times} | more) == expected

"""Gaps in words, and the filter in an address."""

from __future__ import annotations

from datetime import date

import pytest

from admin.coverage.asked import chosen
from admin.gaps.gap_words import counts, trend

TODAY = date(2026, 3, 31)


@pytest.mark.parametrize(
    ("now", "before", "words"),
    [
        (6, 2, "↗ 6 in four weeks, 2 before"),
        (2, 6, "↘ 2 in four weeks, 6 before"),
        (5, 4, "→ 5 in four weeks, 4 before"),
        (0, 0, "→ 0 in four weeks, 0 before"),
    ],
)
def test_a_trend_is_four_weeks_against_four(now: int, before: int, words: str) -> None:
    weeks = [("2026-01-05", 50), ("2026-02-09", before), ("2026-03-30", now)]
    assert trend([{"week": week, "questions": count} for week, count in weeks], TODAY) == words


def test_counts_name_what_there_is() -> None:
    assert counts({"no_evidence": 1200, "unhelpful": 0, "off_topic": 2}) == "1,200 found nothing, 2 off topic"


def test_an_address_without_days_means_the_last_ones() -> None:
    assert chosen({"site": " main ", "kind": "x"}, 30, TODAY) == {"site": "main", "since": "2026-03-02"}
    assert chosen({"until": "2026-01-31"}, 30, TODAY) == {"until": "2026-01-31"}
    assert chosen({"since": "spring"}, 1, TODAY) == {"since": "2026-03-31"}

"""Few days are named under a plot; many stand on an axis of time."""

from __future__ import annotations

from datetime import date, timedelta

from admin.plots import named, table

FIRST = date(2026, 3, 1)


def days(count: int) -> list[object]:
    rows = [{"day": FIRST + timedelta(days=number), "questions": 1} for number in range(count)]
    return list(named(table(rows, {"day": "Day", "questions": "Questions"}))["Day"])


def test_one_day_is_named_and_many_are_days() -> None:
    assert days(1) == ["1 Mar"]
    assert days(2) == ["1 Mar", "2 Mar"]
    assert days(90)[0] == FIRST


def test_what_is_no_day_stays() -> None:
    sites = table([{"site": "main", "questions": 1}], {"site": "Site", "questions": "Questions"})
    assert list(named(sites)["Site"]) == ["main"]

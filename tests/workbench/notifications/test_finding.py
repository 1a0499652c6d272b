"""What ends soon, and what broke off: told from days and crawls, by plain functions."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from server.ingest.crawl.contents import LastCrawl
from server.models import HoursCorrection, OpeningHours
from server.models.deadlines import Deadline
from server.models.notifications import Notification
from server.workbench.notifications.finding import of_deadlines, of_hours, of_stopped

TODAY = date(2026, 3, 9)
POOL = "https://x.example/pool"
FIX = HoursCorrection(
    "f", "main", POOL, "Pool", "", "dates", "Closed", "2026-03-01", "2026-03-04", "", "", "", ""
)


def hours(
    last: date | None, place: str = "Pool", spans: tuple[tuple[int, int], ...] | None = ((480, 600),)
) -> OpeningHours:
    return OpeningHours(place, "", "", True, (), spans, None, last, (), POOL, 1, "8 to 10")


def deadline(days: int, url: str = POOL) -> Deadline:
    return Deadline(TODAY + timedelta(days=days), "pay", "", "", "", url, 1, "Pay by then.")


def said(found: list[Notification]) -> list[tuple[str, str]]:
    return [(one.title, one.lines[0]) for one in found]


@pytest.mark.parametrize(
    ("ends", "title"),
    [
        ([TODAY + timedelta(days=5)], "Opening hours are about to be over"),
        ([date(2025, 12, 1), TODAY - timedelta(days=3)], "Opening hours are over"),
        ([TODAY + timedelta(days=40)], None),
        ([TODAY - timedelta(days=40)], None),
        ([TODAY + timedelta(days=5), None], None),
    ],
)
def test_hours_are_told_of_that_end_and_have_no_others_after_them(
    ends: list[date | None], title: str | None
) -> None:
    found = list(of_hours(map(hours, ends), (), TODAY))
    assert [one.title for one in found] == ([title] if title else [])
    assert all(one.urls == (POOL,) and one.topic == "upkeep" for one in found)


def test_hours_of_all_offices_or_not_understood_are_nobodys_end() -> None:
    soon = TODAY + timedelta(days=5)
    assert list(of_hours([hours(soon, "offices"), hours(soon, spans=None)], (), TODAY)) == []


def test_a_correction_that_is_over_is_told_of() -> None:
    assert said(list(of_hours((), [FIX], TODAY))) == [
        ("A correction of opening hours is over", "Pool: “Closed” until 2026-03-04 (site main).")
    ]
    assert list(of_hours((), [FIX], date(2026, 3, 4))) == []


def test_a_pages_last_deadline_is_told_of_and_no_earlier_one() -> None:
    pages = [
        deadline(2),
        deadline(6),
        deadline(3, "https://x.example/b"),
        deadline(60, "https://x.example/b"),
    ]
    assert said(list(of_deadlines(pages, TODAY))) == [
        ("A page's deadlines are about to be over", "The last deadline on it is 2026-03-15.")
    ]
    assert said(list(of_deadlines([deadline(-2)], TODAY)))[0][0] == "A page's deadlines are over"


@pytest.mark.parametrize(
    ("ended", "last_visit", "told"),
    [
        (None, "2026-03-07T10:00:00+00:00", True),
        (None, None, True),
        (None, "2026-03-09T09:00:00+00:00", False),
        ("2026-03-07T10:00:00+00:00", "2026-03-07T10:00:00+00:00", False),
    ],
)
def test_a_crawl_that_broke_off_is_told_of_whoever_began_it(
    ended: str | None, last_visit: str | None, told: bool
) -> None:
    crawl = LastCrawl("www.x.example", "2026-03-07T08:00:00+00:00", ended, last_visit, 60.0, 9, (), ())
    found = list(of_stopped([crawl], datetime(2026, 3, 9, 12, tzinfo=UTC)))
    assert [one.title for one in found] == ["The crawl of www.x.example did not end"] * told

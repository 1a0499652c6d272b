"""When a schedule is due next."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from server.errors import BadInputError
from server.workbench.crawls.schedules_store import CrawlSchedule, check, next_time

WEEKLY = CrawlSchedule("www.example.edu", ("https://www.example.edu/",), zone="America/New_York")
DAILY = replace(WEEKLY, every="day", hour=2)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "after", "due"),
    [
        (WEEKLY, "2026-07-15T12:00", "2026-07-19T07:00"),  # a Wednesday → Sunday at 3, four hours behind
        (WEEKLY, "2026-07-19T06:59", "2026-07-19T07:00"),
        (WEEKLY, "2026-07-19T07:00", "2026-07-26T07:00"),  # the very moment is over
        (replace(WEEKLY, weekday=0), "2026-07-19T07:00", "2026-07-20T07:00"),
        (DAILY, "2026-07-15T05:59", "2026-07-15T06:00"),
        (DAILY, "2026-07-15T06:00", "2026-07-16T06:00"),
        (DAILY, "2026-10-31T12:00", "2026-11-01T07:00"),  # the clocks go back: five hours behind by then
        (DAILY, "2026-03-07T12:00", "2026-03-08T07:00"),  # there is no 2 o'clock that night; it is 3
        (replace(WEEKLY, hour=1), "2026-10-26T12:00", "2026-11-01T05:00"),  # 1 o'clock twice: the first
        (replace(DAILY, hour=1), "2026-11-01T05:00", "2026-11-02T06:00"),  # and that night only once
    ],
)
def test_it_is_due_at_the_hour_of_its_own_zone(schedule: CrawlSchedule, after: str, due: str) -> None:
    assert next_time(schedule, utc(after)) == utc(due)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (replace(WEEKLY, urls=()), "1 to 20 start addresses"),
        (replace(WEEKLY, hour=24), "The hour is 0 to 23"),
        (replace(WEEKLY, weekday=7), "weekday 0"),
        (replace(WEEKLY, zone="Campus"), "'Campus' is no time zone"),
        (replace(WEEKLY, zone="../etc/passwd"), "no time zone"),
        (replace(WEEKLY, then="celebrate"), "`then` is one of nothing, build, publish"),  # type: ignore[arg-type]
    ],
)
def test_what_is_never_due_is_named(wrong: CrawlSchedule, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        check(wrong)

"""Schedules are kept, and one that is due is claimed by one server alone."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from server.errors import BadInputError, ConflictError, NotFoundError
from server.workbench.crawls.schedules_store import CrawlSchedule, ScheduleStore
from server.workbench.records import Records, open_records

WEEKLY = CrawlSchedule("www.example.edu", ("https://www.example.edu/",), then="publish", prefixes=("/a",))
WEDNESDAY = datetime(2026, 7, 15, 12, tzinfo=UTC)
SUNDAY = datetime(2026, 7, 19, 3, tzinfo=UTC)


def schedules_of(store: Records) -> ScheduleStore:
    return store.schedules


def claim(store: Records, now: datetime) -> CrawlSchedule | None:
    """One that is due, begun by this server; None where there is none, or another was first."""
    shelf = schedules_of(store)
    schedule = shelf.due(now)
    if schedule is None:
        return None
    try:
        with store.transactions.writing() as connection:
            shelf.claim(connection, schedule, now)
    except ConflictError:
        return None
    return schedule


def test_a_schedule_comes_back_as_it_was_put_and_the_log_has_it(store: Records) -> None:
    schedules_of(store).put(WEEKLY, WEDNESDAY, by="the developer")
    [kept] = schedules_of(store).all()
    assert (kept.schedule, kept.next_at, kept.last_at, kept.last_said) == (WEEKLY, SUNDAY, None, "")
    schedules_of(store).put(replace(WEEKLY, hour=5), WEDNESDAY)
    schedules_of(store).remove(WEEKLY.site)
    assert schedules_of(store).all() == ()
    removed, changed, made = store.audit.changes(limit=9, kind="schedule")
    assert (made.who, made.before, (made.after or {})["then"]) == ("the developer", None, "publish")
    assert ((changed.before or {})["hour"], (changed.after or {})["hour"]) == (3, 5)
    assert (removed.id, removed.after) == (WEEKLY.site, None)
    with pytest.raises(NotFoundError):
        schedules_of(store).remove(WEEKLY.site)
    with pytest.raises(BadInputError):
        schedules_of(store).put(replace(WEEKLY, hour=24), WEDNESDAY)


def test_it_is_claimed_when_it_is_due_and_not_before(store: Records) -> None:
    schedules_of(store).put(WEEKLY, WEDNESDAY)
    assert claim(store, SUNDAY - timedelta(seconds=1)) is None
    assert claim(store, SUNDAY) == WEEKLY
    assert claim(store, SUNDAY + timedelta(minutes=1)) is None
    [kept] = schedules_of(store).all()
    assert (kept.next_at, kept.last_at) == (SUNDAY + timedelta(days=7), SUNDAY)


def test_one_that_was_missed_is_due_once(store: Records) -> None:
    schedules_of(store).put(WEEKLY, WEDNESDAY)
    much_later = SUNDAY + timedelta(days=30)
    assert claim(store, much_later) == WEEKLY
    assert claim(store, much_later) is None
    assert schedules_of(store).all()[0].next_at > much_later


def test_a_clock_that_leapt_ahead_and_was_put_back_postpones_nothing(store: Records) -> None:
    schedules_of(store).put(WEEKLY, WEDNESDAY)
    assert claim(store, SUNDAY.replace(year=2036)) == WEEKLY
    assert claim(store, SUNDAY - timedelta(seconds=1)) is None
    assert schedules_of(store).all()[0].next_at == SUNDAY
    assert claim(store, SUNDAY) == WEEKLY


def test_what_came_of_it_stays_when_the_hour_is_changed(store: Records) -> None:
    schedules_of(store).put(WEEKLY, WEDNESDAY)
    claim(store, SUNDAY)
    schedules_of(store).note(WEEKLY.site, "3 pages new.")
    schedules_of(store).note("nowhere", "nothing")
    schedules_of(store).put(replace(WEEKLY, hour=5), SUNDAY)
    [kept] = schedules_of(store).all()
    assert (kept.last_at, kept.last_said, kept.schedule.hour) == (SUNDAY, "3 pages new.", 5)


def test_of_two_servers_on_one_store_one_alone_claims_it(store: Records, url: str) -> None:
    other = open_records(url)
    sites = [f"s{number}.example.edu" for number in range(8)]
    for site in sites:
        schedules_of(store).put(replace(WEEKLY, site=site), WEDNESDAY)
    claimed: list[str] = []
    together = threading.Barrier(2)

    def claim_all(own: Records) -> None:
        together.wait()
        while schedules_of(own).due(SUNDAY):
            if found := claim(own, SUNDAY):
                claimed.append(found.site)

    servers = [threading.Thread(target=claim_all, args=[one]) for one in (store, other)]
    for server in servers:
        server.start()
    for server in servers:
        server.join()
    other.close()
    assert sorted(claimed) == sites


@pytest.mark.parametrize("name", ["schedule", "Schedule "])
def test_no_token_is_named_like_it(store: Records, name: str) -> None:
    with pytest.raises(BadInputError, match="the audit log calls the schedule so"):
        store.tokens.create(name, "viewer", 1)

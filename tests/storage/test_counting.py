"""Counts by day, site and topic, and how long answers took."""

from __future__ import annotations

from typing import Any

import pytest

from server.errors import BadInputError
from server.models import Feedback, TurnFilter
from server.storage.store import RecordsStore
from tests.storage.exchanges import DEADLINE, exchange


@pytest.fixture
def filled(store: RecordsStore) -> RecordsStore:
    """Twenty questions on one day, which took 1 to 20 ms; two on the next, of another site."""
    for number in range(1, 21):
        took = {"total": float(number)}
        store.record(exchange(number, topic="aid" if number % 2 else "life", timings_ms=took))
    late: dict[str, Any] = {"asked_at": "2026-03-02T23:30:00-05:00", "site": "library"}  # the 3rd, in UTC
    store.record(exchange(21, conversation="c2", refused=True, degraded="slow", **late))
    store.record(exchange(22, conversation="c2", timings_ms={"total": 4321.0}, **late))
    store.rate(Feedback("c1", "m1", True, "", "", "2026-03-04T00:00:00+00:00"))
    store.rate(Feedback("c1", "m2", False, "", "", "2026-03-04T00:00:00+00:00"))
    return store


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in rows}


def test_every_slice_counts_the_same_questions(filled: RecordsStore) -> None:
    found = filled.insight.overview()
    assert found["total"] == {
        "name": "all",
        "questions": 22,
        "answered": 21,
        "refused": 1,
        "degraded": 1,
        "helpful": 1,
        "unhelpful": 1,
        "p50_ms": 11.0,
        "p95_ms": 20.0,
    }
    assert [row["name"] for row in found["days"]] == ["2026-03-01", "2026-03-03"]
    assert list(by_name(found["sites"])) == ["library", "main"]
    assert {name: row["questions"] for name, row in by_name(found["topics"]).items()} == {
        "": 2,
        "aid": 10,
        "life": 10,
    }
    for slice_ in ("days", "sites", "topics"):
        for key in ("questions", "answered", "refused", "degraded", "helpful", "unhelpful"):
            assert sum(row[key] for row in found[slice_]) == found["total"][key]


def test_times_are_of_the_nearest_rank(filled: RecordsStore) -> None:
    days = by_name(filled.insight.overview()["days"])
    assert (days["2026-03-01"]["p50_ms"], days["2026-03-01"]["p95_ms"]) == (10.0, 19.0)
    assert days["2026-03-03"]["p95_ms"] == 4300.0  # above 2 s, to a tenth of a second


@pytest.mark.parametrize(
    ("wanted", "questions"),
    [
        (TurnFilter(until="2026-03-01"), 20),
        (TurnFilter(since="2026-03-02"), 2),
        (TurnFilter(site="library"), 2),
        (TurnFilter(topic="aid"), 10),
        (TurnFilter(topic="aid", site="library"), 0),
    ],
)
def test_what_is_counted_can_be_chosen(filled: RecordsStore, wanted: TurnFilter, questions: int) -> None:
    assert filled.insight.overview(wanted)["total"]["questions"] == questions
    assert sum(row["questions"] for row in filled.insight.topics_asked(wanted)) == questions


def test_an_empty_store_has_nothing_to_count(store: RecordsStore) -> None:
    found = store.insight.overview()
    assert (found["total"]["questions"], found["total"]["p50_ms"], found["days"]) == (0, None, [])


def test_a_day_that_is_none_is_said(store: RecordsStore) -> None:
    with pytest.raises(BadInputError, match="spring"):
        store.insight.overview(TurnFilter(since="spring"))


def test_a_later_rating_counts_in_place_of_the_earlier(filled: RecordsStore) -> None:
    filled.rate(Feedback("c1", "m1", False, "", "", "2026-03-05T00:00:00+00:00"))
    total = filled.insight.overview()["total"]
    assert (total["helpful"], total["unhelpful"]) == (0, 2)


def test_cited_pages_are_counted_with_the_ratings_of_their_answers(filled: RecordsStore) -> None:
    [row] = filled.insight.cited()
    assert row == {"url": DEADLINE.url, "times": 21, "helpful": 1, "unhelpful": 1}

"""Counts by day, site and topic, and how long answers took."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from server.errors import BadInputError
from server.models import ConversationFilter, Feedback, TraceStep, TurnFilter
from server.workbench.coverage.store import TurnCounts
from server.workbench.records import Records
from tests.storage.exchanges import DEADLINE, exchange


@pytest.fixture
def filled(store: Records) -> Records:
    """Twenty questions on one day, which took 1 to 20 ms; two on the next, of another site."""
    for number in range(1, 21):
        took = {"total": float(number)}
        store.conversations.record(exchange(number, topic="aid" if number % 2 else "life", timings_ms=took))
    late: dict[str, Any] = {"asked_at": "2026-03-02T23:30:00-05:00", "site": "library"}  # the 3rd, in UTC
    store.conversations.record(exchange(21, conversation="c2", refused=True, degraded="slow", **late))
    store.conversations.record(exchange(22, conversation="c2", timings_ms={"total": 4321.0}, **late))
    store.conversations.rate(Feedback("c1", "m1", True, "", "", "2026-03-04T00:00:00+00:00"))
    store.conversations.rate(Feedback("c1", "m2", False, "", "", "2026-03-04T00:00:00+00:00"))
    return store


def by_name(rows: list[TurnCounts]) -> dict[str, TurnCounts]:
    return {row.name: row for row in rows}


def test_every_slice_counts_the_same_questions(filled: Records) -> None:
    found = filled.coverage.overview()
    assert found.total == TurnCounts("all", 22, 21, 0, 1, 1, 1, 1, p50_ms=11.0, p95_ms=20.0)
    assert [row.name for row in found.days] == ["2026-03-01", "2026-03-03"]
    assert list(by_name(found.sites)) == ["library", "main"]
    assert {name: row.questions for name, row in by_name(found.topics).items()} == {
        "": 2,
        "aid": 10,
        "life": 10,
    }
    for rows in (found.days, found.sites, found.topics):
        for key in ("questions", "answered", "seems", "refused", "degraded", "helpful", "unhelpful"):
            assert sum(getattr(row, key) for row in rows) == getattr(found.total, key)


def test_what_seems_to_answer_is_counted_apart(filled: Records) -> None:
    before = filled.coverage.overview().total
    filled.conversations.record(exchange(23, conversation="c3", tier="seems"))
    total = filled.coverage.overview().total
    assert (total.answered, total.seems, total.refused) == (before.answered, 1, before.refused)


def test_help_lines_above_an_answer_are_counted_and_lines_that_may_have_called_for_them(
    store: Records,
) -> None:
    heard: dict[str, dict[str, Any]] = {
        "help": {},
        "distress": {"distress": "distress"},
        "nearly": {"may_be_distress": 0.4},
        "none": {},
    }
    for number, (name, notes) in enumerate(heard.items(), 1):
        made = exchange(
            number, conversation=f"c{number}", answerer="help" if name == "help" else "extractive"
        )
        steps = (TraceStep("triage", 1.0, notes=notes), *made.trace.steps)
        store.conversations.record(replace(made, trace=replace(made.trace, steps=steps)))
    found = store.coverage.overview()
    assert (found.help_lines, found.help_missed) == (2, 1)
    for help_, ids in (("missed", {"c3"}), ("shown", {"c1", "c2"})):
        wanted = ConversationFilter(help=help_)  # type: ignore[arg-type]  # a parameter's values
        assert {one.id for one in store.search.conversations(limit=9, wanted=wanted)} == ids


def test_times_are_of_the_nearest_rank(filled: Records) -> None:
    days = by_name(filled.coverage.overview().days)
    assert (days["2026-03-01"].p50_ms, days["2026-03-01"].p95_ms) == (10.0, 19.0)
    assert days["2026-03-03"].p95_ms == 4300.0  # above 2 s, to a tenth of a second


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
def test_what_is_counted_can_be_chosen(filled: Records, wanted: TurnFilter, questions: int) -> None:
    assert filled.coverage.overview(wanted).total.questions == questions
    assert sum(row["questions"] for row in filled.coverage.topics_asked(wanted)) == questions


def test_an_empty_store_has_nothing_to_count(store: Records) -> None:
    found = store.coverage.overview()
    assert (found.total.questions, found.total.p50_ms, found.days) == (0, None, [])


def test_a_day_that_is_none_is_said(store: Records) -> None:
    with pytest.raises(BadInputError, match="spring"):
        store.coverage.overview(TurnFilter(since="spring"))


def test_a_later_rating_counts_in_place_of_the_earlier(filled: Records) -> None:
    filled.conversations.rate(Feedback("c1", "m1", False, "", "", "2026-03-05T00:00:00+00:00"))
    total = filled.coverage.overview().total
    assert (total.helpful, total.unhelpful) == (0, 2)


def test_cited_pages_are_counted_with_the_ratings_of_their_answers(filled: Records) -> None:
    [row] = filled.coverage.cited()
    assert row == {"url": DEADLINE.url, "times": 21, "helpful": 1, "unhelpful": 1}

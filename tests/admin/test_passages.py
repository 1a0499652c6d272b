"""A trace as a table: one row a passage, followed through the steps from left to right."""

from __future__ import annotations

import json
from typing import Any

from admin.passages import Standing, passage_rows, ranking_steps, short_names, table
from tests.records_db.exchanges import exchange

STEPS = ("retrieve.semantic", "retrieve.keyword", "retrieve.fusion", "answer")


def stored_trace() -> dict[str, Any]:
    """As the admin API gives it."""
    asked = exchange()
    trace: dict[str, Any] = json.loads(json.dumps(asked.trace.as_json() | {"answer": asked.answer.as_json()}))
    return trace


def test_rows_follow_the_last_rank_then_the_one_before() -> None:
    rows = passage_rows(stored_trace())
    assert [row.title for row in rows] == ["Dates and deadlines", "Tuition and fees", "Alumni"]


def test_each_step_tells_rank_and_score_or_nothing() -> None:
    deadline, tuition, alumni = passage_rows(stored_trace())
    assert deadline.standings == {
        "retrieve.semantic": Standing(2, 0.70),
        "retrieve.keyword": Standing(1, 9.2),
        "retrieve.fusion": Standing(1, 0.79),
        "answer": Standing(1, 0.9),
    }
    assert "retrieve.keyword" not in tuition.standings
    assert set(alumni.standings) == {"retrieve.keyword", "retrieve.fusion"}


def test_only_the_passage_with_the_quote_is_cited() -> None:
    trace = stored_trace()
    trace["passages"]["11"]["url"] = trace["passages"]["7"]["url"]
    assert [row.cited_as for row in passage_rows(trace)] == [(1,), (), ()]


def test_the_table_has_two_columns_for_every_step_that_ranked() -> None:
    trace = stored_trace()
    assert ranking_steps(trace) == STEPS
    columns = table(passage_rows(trace), STEPS)
    assert list(columns) == [
        "Page", "Cited as",
        "semantic rank", "keyword rank", "fusion rank", "answer rank",
        "semantic score", "keyword score", "fusion score", "answer score",
        "Heading", "Text", "Address",
    ]  # fmt: skip
    assert columns["keyword rank"] == [1, None, 2]
    assert columns["Cited as"] == ["[1]", None, None]


def test_steps_of_any_name_get_columns_of_their_own() -> None:
    names = ("first.vector", "second.vector", "rerank")
    assert short_names(names) == {
        "first.vector": "first.vector",
        "second.vector": "second.vector",
        "rerank": "rerank",
    }


def test_a_trace_without_passages_or_answer_is_an_empty_table() -> None:
    trace = stored_trace() | {"answer": None, "steps": [], "passages": {}}
    assert passage_rows(trace) == []
    assert table([], ())["Page"] == []


def test_a_passage_the_trace_lost_still_has_its_row() -> None:
    trace = stored_trace()
    del trace["passages"]["23"]
    assert passage_rows(trace)[-1].title == "(not kept in the trace)"

"""Real traces of the small college as tables."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.ask.context import ScopeOptions
from server.inference.encoders import Embedder
from server.wiring.opened import OpenedSnapshot
from server.workbench.traces.table import PassageTable, passage_tables
from tests.ask.asking import OPEN_GATE, Flow

TUITION = "How much is tuition for residents of the state?"


@pytest.fixture
def flow(opened: OpenedSnapshot, embedder: Embedder) -> Flow:
    return Flow(opened, embedder)


def tables(flow: Flow, text: str, strategy: str | None = None, **options: Any) -> list[PassageTable]:
    final = flow.final(text, strategy, **{"gate": OPEN_GATE, **options})
    return passage_tables(final.trace.as_json() | {"answer": final.answer.as_json()})


def test_the_cited_passage_is_first_and_has_fallen_nowhere(flow: Flow) -> None:
    [table] = tables(flow, TUITION, refusal_threshold=0.0)
    assert table.steps == ("retrieve.semantic", "retrieve.keyword", "retrieve", "boost", "extract")
    cited = [row for row in table.rows if row.cited_as]
    assert cited[0].cited_as == (1,)
    assert "$9,240" in cited[0].text
    assert {row.fell_at for row in cited} == {None}
    assert all(cited[0].standings["boost"].rank <= row.standings["boost"].rank for row in cited)


def test_every_other_passage_fell_at_one_step(flow: Flow) -> None:
    [table] = tables(flow, TUITION, refusal_threshold=0.0, passages=3)
    assert {row.fell_at for row in table.rows} == {None, "cited", "extract"}
    read = [row for row in table.rows if "extract" in row.standings]
    assert [row.standings["extract"].rank for row in read] == [1, 2, 3]
    assert {row.fell_at for row in table.rows if row not in read} == {"extract"}


def test_a_row_tells_rank_and_score_of_each_search_or_nothing(flow: Flow) -> None:
    [table] = tables(flow, TUITION, refusal_threshold=0.0)
    for step in ("retrieve.semantic", "retrieve.keyword"):
        stood = sorted(
            (row.standings[step] for row in table.rows if step in row.standings), key=lambda one: one.rank
        )
        assert [one.rank for one in stood] == list(range(1, len(stood) + 1))
        scores = [one.score for one in stood]
        assert scores == sorted(scores, key=lambda score: -(score or 0.0))
    assert any("retrieve.keyword" not in row.standings for row in table.rows)
    assert {row.fell_at for row in table.rows if "retrieve.keyword" not in row.standings} <= {
        "cited",
        "extract",
    }


def test_too_weak_evidence_is_where_all_that_was_read_fell(flow: Flow) -> None:
    [table] = tables(flow, TUITION, refusal_threshold=1.1, seems_threshold=1.1)
    assert {row.fell_at for row in table.rows} == {"extract", "threshold"}


@pytest.mark.parametrize(("sure", "fell_at"), [(0.6, "cited"), (0.4, "threshold")])
def test_read_twice_it_is_as_sure_as_both_together(flow: Flow, sure: float, fell_at: str) -> None:
    final = flow.final(TUITION, gate=OPEN_GATE, refusal_threshold=0.0)
    trace = final.trace.as_json() | {"answer": final.answer.as_json()}
    notes = {"asks": "tuition?", "alone": 0.9, "taken": True, "evidence": sure, "threshold": 0.5}
    trace["steps"] = [*trace["steps"], {"step": "extract.asking", "ms": 0.0, "ranking": [], "notes": notes}]
    [table] = passage_tables(trace)
    assert fell_at in {row.fell_at for row in table.rows}


def test_a_question_that_is_turned_away_loses_all_at_the_gate(flow: Flow) -> None:
    [table] = tables(flow, TUITION, gate=ScopeOptions(threshold=100.0))
    assert {row.fell_at for row in table.rows} == {"scope"}


def test_each_question_of_a_line_has_its_table(flow: Flow) -> None:
    found = tables(flow, "How much is tuition? And where can visitors park?", refusal_threshold=0.0)
    assert len(found) == 2
    first, second = found
    assert "tuition" in first.question.lower()
    assert "park" in second.question.lower()
    assert first.rows[0].url != second.rows[0].url


def test_what_was_in_a_models_prompt_is_a_step_without_scores(flow: Flow) -> None:
    final = flow.final(TUITION, refusal_threshold=0.0, gate=OPEN_GATE)
    trace = json.loads(json.dumps(final.trace.as_json() | {"answer": final.answer.as_json()}))
    [read] = [step for step in trace["steps"] if step["step"] == "extract"]
    sent = [hit["chunk_id"] for hit in read["ranking"]][:2]
    trace["steps"].append({"step": "generate", "ms": 1.0, "ranking": [], "notes": {"passages": sent}})
    [table] = passage_tables(trace)
    assert table.steps[-1] == "generate"
    row = next(row for row in table.rows if row.chunk_id == sent[1])
    assert (row.standings["generate"].rank, row.standings["generate"].score) == (2, None)
    assert {row.fell_at for row in table.rows if row.chunk_id not in sent} == {"extract", "generate"}


def test_small_talk_has_no_table(flow: Flow) -> None:
    assert tables(flow, "Thank you!") == []


def test_a_passage_the_trace_lost_still_has_its_row(flow: Flow) -> None:
    final = flow.final(TUITION, refusal_threshold=0.0, gate=OPEN_GATE)
    trace = final.trace.as_json() | {"answer": None, "passages": {}}
    [table] = passage_tables(trace)
    assert {row.title for row in table.rows} == {"(not kept in the trace)"}

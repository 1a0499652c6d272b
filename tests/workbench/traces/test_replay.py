"""A recorded question asked again over the small college, as it was and with something changed."""

from __future__ import annotations

from typing import Any

import pytest

from server.ask.context import ScopeOptions
from server.ask.normalize import Filters
from server.ask.pipeline import Asker
from server.errors import BadInputError
from server.inference.encoders import Embedder
from server.wiring.opened import OpenedSnapshot
from server.workbench.traces.service import Changes, replay
from tests.ask.asking import Flow
from tests.small_site import SITE

TUITION = "How much is tuition for residents of the state?"


@pytest.fixture
def flow(opened: OpenedSnapshot, embedder: Embedder) -> Flow:
    return Flow(opened, embedder)


@pytest.fixture
def asker(flow: Flow) -> Asker:
    return flow.asker(refusal_threshold=0.0, gate=ScopeOptions(threshold=-100.0))


def recorded(flow: Flow, *lines: str) -> dict[str, Any]:
    """The last line's trace, as the records give it."""
    final = flow.converse(*lines, refusal_threshold=0.0, gate=ScopeOptions(threshold=-100.0))[-1]
    return final.trace.as_json() | {"answer": final.answer.as_json()}


def test_the_same_again_is_the_same_and_nothing_is_recorded(flow: Flow, asker: Asker) -> None:
    trace = recorded(flow, TUITION)
    kept = len(flow.notebook.exchanges)
    found = replay(trace, Changes(), asker)
    assert found["different"] == {
        "same": True, "versions": [], "settings": [], "unknown": [], "answer": {}, "passages": [],
    }  # fmt: skip
    assert found["answer"]["answer"] == trace["answer"]["answer"]
    assert found["tables"][0]["rows"][0]["cited_as"] == (1,)
    assert found["changes"] == {}
    assert len(flow.notebook.exchanges) == kept


def test_a_follow_up_is_asked_again_with_its_history(flow: Flow, asker: Asker) -> None:
    trace = recorded(flow, TUITION, "And for people from elsewhere?")
    found = replay(trace, Changes(), asker)
    assert found["different"]["same"]
    assert found["tables"][0]["question"] == _rewritten(trace) != trace["question"]


def test_a_higher_threshold_refuses_and_is_named(flow: Flow, asker: Asker) -> None:
    found = replay(recorded(flow, TUITION), Changes(refusal_threshold=1.0, seems_threshold=1.0), asker)
    assert found["answer"]["refused"]
    different = found["different"]
    assert not different["same"]
    assert different["settings"] == [
        {"name": "refusal_threshold", "before": 0.0, "after": 1.0},
        {"name": "seems_threshold", "before": 0.25, "after": 1.0},
    ]
    assert different["answer"]["refused"] == {"before": False, "after": True}
    assert different["answer"]["cited"]["after"] == []


def test_another_strategy_is_a_version_and_moves_passages(flow: Flow, asker: Asker) -> None:
    found = replay(recorded(flow, TUITION), Changes(strategy="keyword"), asker)
    assert found["trace"]["strategy"] == "keyword"
    assert found["different"]["versions"] == [{"name": "strategy", "before": "hybrid", "after": "keyword"}]
    moved = found["different"]["passages"]
    assert moved
    assert all(one["before"] != one["after"] for one in moved)
    assert any(one["after"] is None for one in moved)


def test_every_number_reaches_the_flow(flow: Flow, asker: Asker) -> None:
    numbers: dict[str, Any] = {
        "alpha": 0.9, "fusion": "rrf", "candidates": 7, "rerank_candidates": 3, "rerank_stop": 0.5,
        "passages": 2, "refusal_threshold": 0.3, "gate_threshold": 2.0,
    }  # fmt: skip
    found = replay(recorded(flow, TUITION), Changes(**numbers), asker)
    settings = found["trace"]["settings"]
    assert {name: settings[name] for name in numbers} == numbers
    assert found["changes"] == numbers


def test_where_to_search_can_be_another(flow: Flow, asker: Asker) -> None:
    found = replay(recorded(flow, TUITION), Changes(filters=Filters(prefix=SITE + "/library")), asker)
    urls = {row["url"] for row in found["tables"][0]["rows"]}
    assert urls
    assert all(url.startswith(SITE + "/library") for url in urls)


def test_a_trace_of_an_earlier_lodge_says_what_it_does_not_tell(flow: Flow, asker: Asker) -> None:
    trace = recorded(flow, TUITION) | {"asked": {}, "settings": {}}
    assert replay(trace, Changes(), asker)["different"]["unknown"] == ["asked", "settings"]


def test_another_snapshot_and_model_are_named(flow: Flow, asker: Asker) -> None:
    trace = recorded(flow, TUITION) | {"snapshot": "20200101-000000", "versions": {"embedder": "older"}}
    different = replay(trace, Changes(), asker)["different"]
    assert [(one["name"], one["before"]) for one in different["versions"]] == [
        ("snapshot", "20200101-000000"),
        ("embedder", "older"),
    ]
    assert different["same"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (Changes(alpha=1.5), "alpha is 1.5; it takes a number from 0 to 1"),
        (Changes(candidates=0), "candidates is 0; it takes a number from 1 to 500"),
        (Changes(fusion="mean"), "fusion is 'mean'; it takes score or rrf"),
        (Changes(answerer="oracle"), "answerer is 'oracle'; it takes extractive"),
        (Changes(rules="mine"), "rules is 'mine'; it takes none or draft"),
        (Changes(model="lodge-7b"), "has no language model"),
        (Changes(model="lodge-7b", answerer="extractive"), "no answerer beside it"),
        (Changes(strategy="magic"), "There is no strategy 'magic'"),
        (Changes(strategy="cmu", alpha=0.5), "preset cmu has its own numbers: leave out alpha"),
        (Changes(filters=Filters(lang="English")), "lang is 'English'"),
    ],
)
def test_what_cannot_be_used_is_named(flow: Flow, asker: Asker, changes: Changes, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        replay(recorded(flow, TUITION), changes, asker)


def _rewritten(trace: dict[str, Any]) -> str:
    return str(next(step["notes"]["question"] for step in trace["steps"] if step["step"] == "rewrite"))

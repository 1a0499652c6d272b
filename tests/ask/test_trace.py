from __future__ import annotations

import time

from server.ask.trace import TraceLog
from server.models import Hit, Passage, Trace

PASSAGE = Passage(7, "https://example.edu/", "Home", "", "A text.")


def finish(log: TraceLog) -> Trace:
    return Trace("t", "Q?", "hybrid", "s", {"embedder": "small"}, log.steps, log.passages)


def test_steps_are_kept_with_what_they_saw_in_the_order_they_ended() -> None:
    log = TraceLog()
    with log.step("retrieve.semantic") as step:
        step.ranking = [Hit(7, 0.5)]
    with log.step("extract") as step:
        step.notes = {"evidence": 0.7}
    log.add_passages({7: PASSAGE})
    trace = finish(log)
    assert [(step.step, step.ranking, dict(step.notes)) for step in trace.steps] == [
        ("retrieve.semantic", (Hit(7, 0.5),), {}),
        ("extract", (), {"evidence": 0.7}),
    ]
    assert trace.passages == {7: PASSAGE}
    assert (trace.trace_id, trace.question, trace.strategy, trace.snapshot) == ("t", "Q?", "hybrid", "s")


def test_a_step_takes_as_long_as_its_block() -> None:
    log = TraceLog()
    with log.step("classify"):
        time.sleep(0.02)
    assert 20 <= log.timings_ms()["classify"] <= log.timings_ms()["total"]


def test_a_steps_time_holds_that_of_its_parts() -> None:
    log = TraceLog()
    with log.step("normalize"):
        time.sleep(0.001)
    with log.step("retrieve"):
        for name in ("retrieve.semantic", "retrieve.keyword"):
            with log.step(name):
                time.sleep(0.001)
    timings = log.timings_ms()
    assert list(timings) == ["normalize", "retrieve.semantic", "retrieve.keyword", "retrieve", "total"]
    assert timings["retrieve"] >= timings["retrieve.semantic"] + timings["retrieve.keyword"]


def test_a_trace_is_json_with_passages_by_id() -> None:
    log = TraceLog()
    log.add_passages({7: PASSAGE})
    assert finish(log).as_json()["passages"]["7"]["text"] == "A text."

"""What a trace keeps of the question gives the question back."""

from __future__ import annotations

import json
from datetime import date

from server.ask.context import AskOptions
from server.ask.strategy.presets import settings_of
from server.ask.trace import asked_of, question_of
from server.inference.encoders import Embedder
from server.models import Citation, Scope
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import Flow, OneSnapshot, question

CITED = Citation(1, "https://www.brackwater.example/a", "A", "", "A quote.")


def test_a_question_comes_back_with_its_history_site_and_scope() -> None:
    asked = question(
        "And for others?",
        "hybrid",
        site="library",
        history=(("user", "How much is tuition?"), ("assistant", "$9,240 [1]")),
        within=Scope(topics={"admissions": ("fees",)}, sites=("www.brackwater.example",)),
        cited=(CITED,),
    )
    kept = json.loads(json.dumps({"question": asked.text, "trace_id": "t1", "strategy": "hybrid"}))
    back = question_of(kept | {"asked": json.loads(json.dumps(asked_of(asked)))})
    assert (back.text, back.site, back.history) == (asked.text, asked.site, asked.history)
    assert (back.within, back.cited, back.strategy) == (asked.within, asked.cited, "hybrid")


def test_a_trace_of_an_earlier_lodge_gives_the_question_alone() -> None:
    back = question_of({"question": "Q?", "trace_id": "t1", "strategy": "keyword"})
    assert (back.text, back.history, back.within, back.site) == ("Q?", (), None, "main")


def test_every_trace_keeps_them_and_the_numbers(opened: OpenedSnapshot, embedder: Embedder) -> None:
    flow = Flow(opened, embedder)
    trace = flow.final("How much is tuition?", refusal_threshold=0.25).trace
    assert trace.asked["site"] == "main"
    assert trace.settings["refusal_threshold"] == 0.25
    options = AskOptions(refusal_threshold=0.25)
    numbers = settings_of(options.default_config, options, date.fromisoformat(trace.settings["day"]))
    assert trace.settings == numbers | {"rules": 0}
    assert json.loads(json.dumps(trace.as_json()))["settings"] == dict(trace.settings)
    assert OneSnapshot(opened).leases == 0


def test_a_traces_passages_say_what_kind_of_page_they_are_of_and_for_whom(
    opened: OpenedSnapshot, embedder: Embedder
) -> None:
    trace = Flow(opened, embedder).final("How much is tuition?").trace
    kept = json.loads(json.dumps(trace.as_json()))["passages"]
    told = kept.values() if isinstance(kept, dict) else kept
    assert {one["kind"] for one in told} <= {"reference", "news", "event", "person", "form", "links"}
    assert all(isinstance(one["audiences"], list) for one in told)

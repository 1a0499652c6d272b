"""A question that others wait behind: answered by words alone, and told so."""

from __future__ import annotations

from server.ask.pipeline import Asker
from server.ask.trace import question_of
from server.inference.encoders import Embedder, Reranker
from server.models import Final
from server.settings import Settings
from server.wiring.flow import build_reranker
from server.wiring.opened import OpenedSnapshot
from server.workbench.traces.service import Changes
from tests.ask.asking import Flow, question


def answered_under_load(asker: Asker, text: str) -> Final:
    *_, final = asker.ask(question(text, "hybrid+rerank", load_shed=True))
    assert isinstance(final, Final)
    return final


def reranker() -> Reranker:
    built = build_reranker(Settings())
    assert built is not None
    return built


def test_it_is_searched_for_by_words_alone_read_by_no_model_and_marked(
    opened: OpenedSnapshot, embedder: Embedder
) -> None:
    final = answered_under_load(
        Flow(opened, embedder, reranker()).asker(), "How much is tuition for residents of the state?"
    )
    answer = final.answer
    assert "$9,240" in answer.answer
    assert (answer.strategy, answer.degraded, answer.refused) == ("keyword", "busy", False)
    assert not {"vector", "fusion", "rerank"} & {step.step for step in final.trace.steps}


def test_what_cannot_be_found_so_is_refused_with_the_mark_and_a_greeting_needs_none(
    opened: OpenedSnapshot, embedder: Embedder
) -> None:
    asker = Flow(opened, embedder).asker()
    refused = answered_under_load(asker, "Who repairs the observatory's telescope?").answer
    assert (refused.refused, refused.degraded) == (True, "busy")
    assert answered_under_load(asker, "Hello!").answer.degraded is None


def test_its_trace_is_asked_again_in_the_same_way(opened: OpenedSnapshot, embedder: Embedder) -> None:
    trace = answered_under_load(Flow(opened, embedder).asker(), "Where can visitors park?").trace
    assert trace.asked["hurried"]  # as it is in recorded traces
    again = question_of(trace.as_json())
    assert again.load_shed
    assert again.strategy == "keyword"
    assert not Changes(strategy="hybrid").question(again).load_shed

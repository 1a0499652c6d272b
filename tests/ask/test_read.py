"""What of a question is read: all of it, and where that leaves it unsure, what of it asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from server.ask.context import ScopeOptions
from server.inference.encoders import Embedder
from server.models import Final, Reading
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import Flow

OPEN = ScopeOptions(threshold=-100.0)
TUITION = "how much is tuition for residents of the state?"
STORY = "we moved here in june"


class Reader:
    """A cross-encoder that is sure of a passage of one `word` where the story is left out, and of one of the
    word `told` where it is not; never of others."""

    weights: Mapping[str, float] = {}

    def __init__(self, word: str, told: str = "", sure: float = 3.0) -> None:
        self.word, self.told, self.sure = word, told, sure
        self.asked: list[str] = []

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        self.asked.append(question)
        word = self.told if STORY in question else self.word
        return [Reading(self.sure if word and word in text else -3.0) for _, text in passages]


@pytest.fixture
def flow(opened: OpenedSnapshot, embedder: Embedder) -> Flow:
    return Flow(opened, embedder)


def final(flow: Flow, reader: Reader, text: str) -> Final:
    flow.cross_encoder = reader
    return flow.final(text, "hybrid+rerank", gate=OPEN, refusal_threshold=1.0, seems_threshold=0.0)


def confidence(flow: Flow, reader: Reader, text: str) -> float:
    return final(flow, reader, text).answer.confidence or 0.0


def test_where_the_whole_is_unsure_what_asks_is_read_alone(flow: Flow) -> None:
    reader = Reader("$9,240")
    answered = final(flow, reader, f"{STORY}, {TUITION}")
    assert set(reader.asked) == {f"{STORY}, {TUITION}", TUITION}
    assert [step.step for step in answered.trace.steps if step.step in ("rerank", "extract")] == [
        "rerank",
        "extract",
    ] * 2


def test_a_question_without_a_story_is_read_once(flow: Flow) -> None:
    reader = Reader("$9,240")
    final(flow, reader, TUITION)
    assert set(reader.asked) == {TUITION}


def test_it_is_as_sure_as_both_together(flow: Flow) -> None:
    story = f"{STORY}, {TUITION}"
    unread, alone = confidence(flow, Reader(""), story), confidence(flow, Reader("$9,240"), TUITION)
    assert unread < confidence(flow, Reader("$9,240"), story) < alone


def test_the_trace_tells_how_sure_what_asks_is_alone_and_both_together(flow: Flow) -> None:
    answered = final(flow, Reader("$9,240"), f"{STORY}, {TUITION}")
    [asking] = [step.notes for step in answered.trace.steps if step.step == "extract.asking"]
    [whole, alone] = [step.notes["evidence"] for step in answered.trace.steps if step.step == "extract"]
    assert (asking["asks"], asking["taken"], asking["alone"]) == (TUITION, True, alone)
    assert asking["evidence"] == pytest.approx(answered.answer.confidence, abs=1e-4)
    assert whole < asking["evidence"] < alone


def test_what_is_quoted_of_another_passage_than_the_whole_finds_best_is_not_taken(flow: Flow) -> None:
    story = f"{STORY}, {TUITION}"
    trace = final(flow, Reader(""), story).trace
    found = next(step.ranking for step in trace.steps if step.step == "boost")
    texts = (trace.passages[hit.chunk_id].text for hit in found)
    told = next(text for text in texts if "$9,240" not in text)
    whole = final(flow, Reader("", told, 0.0), story).answer
    other = final(flow, Reader("$9,240", told, 0.0), story).answer
    assert (other.confidence, other.answer) == (whole.confidence, whole.answer)
    steps = final(flow, Reader("$9,240", told, 0.0), story).trace.steps
    assert [step.notes["taken"] for step in steps if step.step == "extract.asking"] == [False]


def test_a_passage_that_speaks_of_no_time_is_read_without_the_term(flow: Flow) -> None:
    reader, over = Reader("$9,240"), Reader("$9,240")
    final(flow, reader, f"{TUITION[:-1]} for fall 2027?")
    assert TUITION in reader.asked
    final(flow, over, f"{TUITION[:-1]} for fall 2019?")
    assert set(over.asked) == {f"{TUITION[:-1]} for fall 2019?"}

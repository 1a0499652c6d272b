from __future__ import annotations

import pytest

from server.evaluate.calibrate.rankings import AtDepth, at_depths, ranking_at, read_of
from server.evaluate.evaluate import ask_once
from server.evaluate.outcomes import last_ranking
from server.models import Trace
from tests.evaluate.calibrate.small_askers import Found, SmallAsker, SmallAskers, deep, questions

DEPTHS = (1, 3, 7, 10, 20, 40)
[QUESTION] = questions(1)


def trace_at(depth: int, rank: int, stop: float = 0.0, strategy: str = "hybrid+rerank") -> Trace:
    """A question whose right page the searches bring at this rank, asked with this depth."""
    askers = SmallAskers({"q0": Found(deep(rank))}, stop=stop)
    return ask_once(SmallAsker(askers, 0.3, depth, 0.0), "q0", strategy).trace


@pytest.mark.parametrize("rank", [1, 2, 8, 35, 55])
@pytest.mark.parametrize("stop", [0.0, 0.01, 0.2])
def test_every_depth_is_what_asking_with_it_gives(rank: int, stop: float) -> None:
    deepest = trace_at(max(DEPTHS), rank, stop)
    for depth in DEPTHS:
        asked = trace_at(depth, rank, stop)
        assert ranking_at(deepest, depth) == [hit.chunk_id for hit in last_ranking(asked)]
        place = [asked.passages[hit.chunk_id].title for hit in last_ranking(asked)].index("right") + 1
        assert at_depths(QUESTION, deepest, [depth], "mrr") == [AtDepth(place, read_of(asked))]


def test_an_early_end_is_kept_at_every_depth() -> None:
    """The right page is read first, so that little is read however deep one may."""
    found = at_depths(QUESTION, trace_at(40, 1, stop=0.2), DEPTHS, "mrr")
    assert {one.rank for one in found} == {1}
    assert [one.read for one in found] == [1, 3, 5, 5, 5, 5]


def test_without_a_relevant_passage_there_is_no_rank() -> None:
    askers = SmallAskers({"q0": Found({"p1": (1, 1)})})
    trace = ask_once(SmallAsker(askers, 0.3, 40, 0.0), "q0", "hybrid+rerank").trace
    assert at_depths(QUESTION, trace, (1, 3), "mrr") == [AtDepth(None, 1), AtDepth(None, 1)]


def test_a_trace_without_reranking_read_nothing() -> None:
    trace = trace_at(40, 4, strategy="hybrid")
    assert read_of(trace) == 0
    assert at_depths(QUESTION, trace, (10,), "mrr") == [AtDepth(4, 0)]

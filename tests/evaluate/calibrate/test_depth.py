from __future__ import annotations

import pytest

from server.ask.rerank import RerankOptions, rerank
from server.ask.trace import TraceLog
from server.evaluate.calibrate.depth import AtDepth, RememberingReader, at_depths
from server.evaluate.calibrate.first_stage import FirstStage, gather
from tests.evaluate.calibrate.small_askers import Found, SmallAskers, SmallReader, deep, questions

DEPTHS = (1, 3, 10, 20, 40)


def first_stage(rank: int) -> FirstStage:
    """A question whose right page the searches bring at this rank."""
    asker = SmallAskers({"q0": Found(deep(rank))}).asker(alpha=0, depth=1, threshold=0)
    [question] = questions(1)
    return gather(question, "hybrid", "mrr", asker, asker)


@pytest.mark.parametrize("rank", [1, 2, 8, 35, 55])
@pytest.mark.parametrize("stop", [0.0, 0.01])
def test_every_depth_is_what_the_step_alone_would_make_of_it(rank: int, stop: float) -> None:
    first = first_stage(rank)
    for depth, found in zip(DEPTHS, at_depths(first, 0.3, SmallReader(), DEPTHS, stop), strict=True):
        alone = SmallReader()
        options = RerankOptions(depth, stop=stop)
        ranked = rerank("q0", first.candidates(0.3), alone, options, TraceLog())
        place = [one.passage.title for one in ranked].index("right") + 1
        assert found == AtDepth(place, len(alone.read_so_far))


def test_no_passage_is_read_twice() -> None:
    reader = SmallReader()
    at_depths(first_stage(30), 0.3, reader, DEPTHS, stop=0.0)
    assert len(reader.read_so_far) == len(set(reader.read_so_far)) == max(DEPTHS)


def test_without_a_relevant_passage_there_is_no_rank() -> None:
    asker = SmallAskers({"q0": Found({"p1": (1, 1)})}).asker(alpha=0, depth=1, threshold=0)
    first = gather(questions(1)[0], "hybrid", "mrr", asker, asker)
    assert at_depths(first, 0.3, SmallReader(), (1, 3), 0.01) == [AtDepth(None, 1), AtDepth(None, 1)]


def test_a_remembered_reading_is_the_readers_own_in_the_order_asked() -> None:
    reader = RememberingReader(SmallReader(first_stage=0.7))
    assert reader.first_stage == 0.7
    once = reader.read("q", [("", "right"), ("", "wrong")])
    again = reader.read("q", [("", "wrong"), ("", "new"), ("", "right")])
    assert [one.log_odds for one in once] == [6, -6]
    assert [one.log_odds for one in again] == [-6, -6, 6]

from __future__ import annotations

from dataclasses import replace

import pytest

from server.errors import LodgeError
from server.evaluate.asking import ask_once
from server.evaluate.calibrate.first_stage import (
    FirstStage,
    gather,
    objective_of,
    objective_score,
    require_linear,
    searched_text,
)
from server.evaluate.questions import EvalQuestion, GoldChunk
from server.records import TraceStep
from tests.evaluate.calibrate.small_askers import Found, SmallAskers, questions

[QUESTION] = questions(1)
# By meaning: near, right, far; by words: right, far, near.
FOUND = {"q0": Found({"near": (0.9, 0.1), "right": (0.6, 1.0), "far": (0.1, 0.4)})}


def gathered(question: EvalQuestion = QUESTION, askers: SmallAskers | None = None) -> FirstStage:
    askers = askers or SmallAskers(FOUND)
    zero, one = (askers.asker(alpha=alpha, depth=1, threshold=0) for alpha in (0.0, 1.0))
    return gather(question, "hybrid", "mrr", zero, one)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0])
def test_the_ranking_at_any_alpha_is_the_one_that_asking_would_give(alpha: float) -> None:
    first = gathered()
    asked = ask_once(SmallAskers(FOUND).asker(alpha=alpha, depth=1, threshold=0), "q0", "hybrid").trace
    assert [one.passage.chunk_id for one in first.candidates(alpha)] == [
        hit.chunk_id for hit in asked.steps[0].ranking
    ]
    assert [one.score for one in first.candidates(alpha)] == pytest.approx(
        [hit.score for hit in asked.steps[0].ranking]
    )
    require_linear(first, alpha, asked)


def test_the_first_relevant_rank_by_alpha() -> None:
    first = gathered()
    assert (first.first_rank(0.0), first.first_rank(1.0)) == (2, 1)
    assert gathered(replace(QUESTION, gold_urls=("https://u.example/none",))).first_rank(0.5) is None


def test_equals_are_ranked_by_chunk_id() -> None:
    askers = SmallAskers({"q0": Found({"p": (0.5, 0.5), "right": (0.5, 0.5)})})
    assert gathered(askers=askers).first_rank(0.5) == 2


def test_a_fusion_that_is_not_linear_is_noticed() -> None:
    askers = SmallAskers(FOUND, curved=True)
    trace = ask_once(askers.asker(alpha=0.5, depth=1, threshold=0), "q0", "hybrid").trace
    with pytest.raises(LodgeError, match="not linear"):
        require_linear(gathered(askers=askers), 0.5, trace)


def test_other_candidates_than_foretold_are_noticed() -> None:
    more = SmallAskers({"q0": Found({**FOUND["q0"].pages, "new": (0.1, 0.1)})})
    trace = ask_once(more.asker(alpha=0.5, depth=1, threshold=0), "q0", "hybrid").trace
    with pytest.raises(LodgeError, match="not linear"):
        require_linear(gathered(), 0.5, trace)


def test_rankings_are_judged_by_gold_where_any_is_named_else_by_the_answers_string() -> None:
    gold = EvalQuestion("1", "a", gold_urls=("u",))
    chunk = EvalQuestion("2", "b", gold_chunks=(GoldChunk("words"),))
    string = EvalQuestion("3", "c", answers=("x",))
    none = EvalQuestion("4", "d", answerable=False, gold_urls=("u",))
    assert objective_of([gold, chunk, string, none]) == ("mrr", [gold, chunk])
    assert objective_of([string, none]) == ("answer@5", [string])
    assert objective_of([none]) == ("answer@5", [])


def test_the_answers_string_makes_a_passage_relevant() -> None:
    asker = SmallAskers(FOUND).asker(alpha=0, depth=1, threshold=0)
    first = gather(EvalQuestion("1", "q0", ("FAR!",)), "semantic", "answer@5", asker, asker)
    assert first.first_rank(0.3) == 3


def test_the_score_of_a_rank() -> None:
    assert [objective_score("mrr", rank) for rank in (1, 4, None)] == [1, 0.25, 0]
    assert [objective_score("answer@5", rank) for rank in (1, 5, 6, None)] == [1, 1, 0, 0]


def test_the_text_searched_is_the_rewritten_one() -> None:
    trace = ask_once(SmallAskers(FOUND).asker(alpha=0, depth=1, threshold=0), "q0", "hybrid").trace
    assert searched_text(trace) == "q0"
    rewritten = TraceStep("rewrite", 0.0, notes={"question": "better"})
    assert searched_text(replace(trace, steps=(rewritten, *trace.steps))) == "better"

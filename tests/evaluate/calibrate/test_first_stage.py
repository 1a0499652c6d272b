from __future__ import annotations

from dataclasses import replace

import pytest

from server.errors import LodgeError
from server.evaluate.calibrate.rankings import (
    FirstStage,
    gather,
    noted_alpha,
    objective_of,
    objective_score,
    require_foretold,
    searched_text,
)
from server.evaluate.evaluate import ask_once
from server.evaluate.questions import EvalQuestion, GoldChunk
from server.models import Hit, Trace, TraceStep
from tests.evaluate.calibrate.small_askers import Found, SmallAskers, questions

[QUESTION] = questions(1)
# By meaning: near, right, far; by words: right, far, near.
PAGES = {"near": (0.9, 0.1), "right": (0.6, 1.0), "far": (0.1, 0.4)}
FOUND = {"q0": Found(PAGES), "N0": Found(PAGES)}


def trace_at(alpha: float, text: str = "q0", askers: SmallAskers | None = None) -> Trace:
    asker = (askers or SmallAskers(FOUND)).asker(alpha=alpha, depth=1, threshold=0)
    return ask_once(asker, text, "hybrid").trace


def gathered(
    text: str = "q0", question: EvalQuestion = QUESTION, askers: SmallAskers | None = None
) -> FirstStage:
    return gather(question, "mrr", trace_at(0, text, askers), trace_at(1, text, askers))


@pytest.mark.parametrize("text", ["q0", "N0"])
@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0])
def test_the_ranking_at_any_alpha_is_the_one_that_asking_would_give(alpha: float, text: str) -> None:
    first, asked = gathered(text), trace_at(alpha, text)
    given = SmallAskers(FOUND).given_alpha(text, alpha)
    order = first.order(given)
    assert first.chunk_ids[order].tolist() == [hit.chunk_id for hit in asked.steps[0].ranking]
    assert first.at(given)[order].tolist() == pytest.approx([hit.score for hit in asked.steps[0].ranking])
    require_foretold(first, given, asked)


def test_a_question_of_names_is_known_by_the_alpha_it_was_given() -> None:
    assert gathered("N0").alphas == (0.6, 1.0)
    assert noted_alpha(trace_at(0.3, "N0"), 0.3) == 0.6
    assert noted_alpha(replace(trace_at(0.3), steps=()), 0.3) == 0.3


def test_where_alpha_makes_no_difference_the_ranking_is_the_same_at_any() -> None:
    always = SmallAskers(FOUND, least=1.0)
    first = gathered("N0", askers=always)
    assert first.order(0.2).tolist() == first.order(1.0).tolist()


def test_a_preference_after_the_fusion_counts() -> None:
    """What the prefer step makes of the fused scores is what is ranked by."""
    halved = TraceStep("boost", 0.0, (Hit(2, 0.3), Hit(1, 0.2), Hit(3, 0.1)))
    zero, one = (replace(trace, steps=(*trace.steps[:1], halved)) for trace in (trace_at(0), trace_at(1)))
    assert gather(QUESTION, "mrr", zero, one).first_rank(0.0) == 1


def test_the_first_relevant_rank_by_alpha() -> None:
    first = gathered()
    assert (first.first_rank(0.0), first.first_rank(1.0)) == (2, 1)
    elsewhere = replace(QUESTION, gold_urls=("https://u.example/none",))
    assert gathered(question=elsewhere).first_rank(0.5) is None


def test_equals_are_ranked_by_chunk_id() -> None:
    askers = SmallAskers({"q0": Found({"p": (0.5, 0.5), "right": (0.5, 0.5)})})
    assert gathered(askers=askers).first_rank(0.5) == 2


def test_a_fusion_that_is_not_linear_is_noticed() -> None:
    askers = SmallAskers(FOUND, curved=True)
    with pytest.raises(LodgeError, match="not linear"):
        require_foretold(gathered(askers=askers), 0.5, trace_at(0.5, askers=askers))


def test_another_alpha_or_other_candidates_than_foretold_are_noticed() -> None:
    more = SmallAskers({"q0": Found({**PAGES, "new": (0.1, 0.1)})})
    for trace in (trace_at(0.5, "N0"), trace_at(0.5, askers=more)):
        with pytest.raises(LodgeError, match="not linear"):
            require_foretold(gathered(), 0.5, trace)


def test_rankings_are_judged_by_gold_where_any_is_named_else_by_the_answers_string() -> None:
    gold = EvalQuestion("1", "a", gold_urls=("u",))
    chunk = EvalQuestion("2", "b", gold_chunks=(GoldChunk("words"),))
    string = EvalQuestion("3", "c", answers=("x",))
    none = EvalQuestion("4", "d", answerable=False, gold_urls=("u",))
    assert objective_of([gold, chunk, string, none]) == ("mrr", [gold, chunk])
    assert objective_of([string, none]) == ("answer@5", [string])
    assert objective_of([none]) == ("answer@5", [])


def test_the_answers_string_makes_a_passage_relevant() -> None:
    first = gather(EvalQuestion("1", "q0", ("FAR!",)), "answer@5", trace_at(0), trace_at(1))
    assert first.first_rank(0.0) == 3


def test_the_score_of_a_rank() -> None:
    assert [objective_score("mrr", rank) for rank in (1, 4, None)] == [1, 0.25, 0]
    assert [objective_score("answer@5", rank) for rank in (1, 5, 6, None)] == [1, 1, 0, 0]


def test_the_text_searched_is_the_rewritten_one() -> None:
    trace = trace_at(0)
    assert searched_text(trace) == "q0"
    rewritten = TraceStep("rewrite", 0.0, notes={"question": "better"})
    assert searched_text(replace(trace, steps=(rewritten, *trace.steps))) == "better"

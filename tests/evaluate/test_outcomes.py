from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from server.evaluate.evaluate import ask_once
from server.evaluate.outcomes import QuestionOutcome, RankedPassage, outcome_of, ranked_passages
from server.evaluate.questions import EvalQuestion, GoldChunk
from server.models import Final, Hit, TraceStep
from tests.evaluate.small_asker import SmallAsker

PAGES = MappingProxyType(
    {
        "https://u.example/library": "the library opens at nine",
        "https://u.example/pool": "the pool closes in may",
    }
)
RETRIEVAL = {
    "recall@1",
    "recall@3",
    "recall@4",
    "recall@5",
    "recall@10",
    "recall@50",
    "precision@4",
    "mrr",
    "ndcg@10",
}
PASSAGES = {"answer@1", "answer@3", "answer@5", "answer@10"}
ANSWERS = {"em", "f1", "precision", "recall", "answer_contains"}


def _final(question: EvalQuestion) -> Final:
    return ask_once(SmallAsker(PAGES), question.question, "best")


def _outcome(question: EvalQuestion) -> QuestionOutcome:
    return outcome_of(question, _final(question))


LIBRARY = EvalQuestion(
    "1", "when opens library", answers=("at nine",), gold_urls=("https://u.example/library",), answerable=True
)


def test_a_right_answer_has_every_score_of_an_answerable_question() -> None:
    outcome = _outcome(LIBRARY)
    assert outcome.scores.keys() == RETRIEVAL | PASSAGES | ANSWERS | {"answered", "seems", "wrongly_refused"}
    assert (outcome.verdict, outcome.refused, outcome.gold_rank) == ("right", False, 1)
    assert outcome.scores["answer_contains"] == outcome.scores["answered"] == 1
    assert outcome.evidence == pytest.approx(2 / 3)


def test_the_best_passages_are_kept_and_gold_ones_marked() -> None:
    assert _outcome(LIBRARY).passages == (
        RankedPassage(1, 2 / 3, gold=True),
        RankedPassage(2, 0.0, gold=False),
    )
    assert [one.gold for one in _outcome(replace(LIBRARY, gold_urls=())).passages] == [False, False]


def test_where_gold_chunks_are_named_they_count_and_not_the_pages() -> None:
    chunks = (GoldChunk("closes in May"),)
    outcome = _outcome(replace(LIBRARY, gold_chunks=chunks))
    assert outcome.gold_rank == 2
    assert (outcome.scores["recall@1"], outcome.scores["mrr"]) == (0, 0.5)
    assert _outcome(replace(LIBRARY, gold_urls=(), gold_chunks=chunks)).scores == outcome.scores


def test_right_is_known_of_judged_answers_only() -> None:
    assert _outcome(LIBRARY).right is True
    assert _outcome(replace(LIBRARY, answers=("at ten",))).right is False
    assert _outcome(replace(LIBRARY, answerable=False)).right is False
    assert _outcome(replace(LIBRARY, question="xyzzy")).right is None
    assert _outcome(replace(LIBRARY, answerable=None)).right is None


def test_the_reason_of_a_refusal_is_kept() -> None:
    assert _outcome(LIBRARY).refusal_reason is None
    assert _outcome(replace(LIBRARY, question="xyzzy")).refusal_reason == "no_evidence"


def test_latency_is_the_traces_and_the_answers() -> None:
    assert _outcome(LIBRARY).latency_ms == {"retrieve": 18, "extract": 1, "total": 19}


def test_a_refusal_scores_zero_even_if_its_words_agree() -> None:
    outcome = _outcome(replace(LIBRARY, question="xyzzy", answers=("I do not know",)))
    assert outcome.verdict == "wrongly_refused"
    assert {outcome.scores[name] for name in ANSWERS} == {0.0}
    assert (outcome.scores["answered"], outcome.scores["wrongly_refused"]) == (0, 1)


def test_an_unanswerable_question_is_scored_by_its_refusal_only() -> None:
    refused = _outcome(replace(LIBRARY, question="xyzzy", answerable=False))
    assert (refused.verdict, dict(refused.scores)) == (
        "rightly_refused",
        {"rightly_refused": 1, "seems_unanswerable": 0, "wrongly_answered": 0},
    )
    answered = _outcome(replace(LIBRARY, answerable=False))
    assert (answered.verdict, dict(answered.scores)) == (
        "wrongly_answered",
        {"rightly_refused": 0, "seems_unanswerable": 0, "wrongly_answered": 1},
    )


def test_a_question_not_known_to_be_answerable_is_scored_by_its_retrieval_only() -> None:
    outcome = _outcome(replace(LIBRARY, answerable=None))
    assert outcome.verdict == "unjudged"
    assert outcome.scores.keys() == RETRIEVAL | PASSAGES


def test_without_gold_urls_or_answers_their_scores_are_absent() -> None:
    assert not _outcome(replace(LIBRARY, gold_urls=())).scores.keys() & RETRIEVAL
    bare = _outcome(replace(LIBRARY, answers=()))
    assert bare.verdict == "unjudged"
    assert bare.scores.keys() == RETRIEVAL | {"answered", "seems", "wrongly_refused"}


def test_an_answer_without_the_reference_is_wrong() -> None:
    assert _outcome(replace(LIBRARY, answers=("at ten",))).verdict == "wrong"


def test_the_last_ranking_of_retrieval_preference_or_reranking_counts() -> None:
    trace = _final(LIBRARY).trace
    reranked = TraceStep("rerank", 1.0, (Hit(2, 0.9), Hit(1, 0.1)))
    idle = TraceStep("rerank.late", 0.0)
    steps = (trace.steps[0], reranked, idle, *trace.steps[1:])
    assert [passage.chunk_id for passage in ranked_passages(replace(trace, steps=steps))] == [2, 1]
    preferred = replace(reranked, step="boost")
    steps = (trace.steps[0], preferred, *trace.steps[1:])
    assert [passage.chunk_id for passage in ranked_passages(replace(trace, steps=steps))] == [2, 1]
    assert ranked_passages(replace(trace, steps=trace.steps[1:])) == ()


@pytest.mark.parametrize("note", [None, "much", float("nan")])
def test_evidence_that_is_no_number_is_none(note: object) -> None:
    final = _final(LIBRARY)
    steps = (TraceStep("extract", 1.0, notes={"evidence": note}),)
    assert outcome_of(LIBRARY, replace(final, trace=replace(final.trace, steps=steps))).evidence is None

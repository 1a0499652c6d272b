from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.evaluate.questions import GoldChunk
from server.evaluate.retrieval_metrics import (
    Matches,
    match_chunks,
    match_pages,
    passage_scores,
    retrieval_scores,
    unknown_gold_chunks,
)
from server.models import Passage

A, B, C, X, Y = (f"https://u.example/{name}" for name in "abcxy")


def _scores(ranked_urls: Sequence[str], gold_urls: Sequence[str]) -> dict[str, float]:
    return retrieval_scores(match_pages(ranked_urls, gold_urls))


def test_one_gold_page_at_rank_three() -> None:
    scores = _scores([X, Y, A, X], [A])
    assert scores == pytest.approx(
        {
            "recall@1": 0, "recall@3": 1, "recall@4": 1, "recall@5": 1, "recall@10": 1, "recall@50": 1,
            "precision@4": 1 / 4, "mrr": 1 / 3, "ndcg@10": 1 / 2,
        }
    )  # fmt: skip


def test_two_gold_pages_are_recalled_one_by_one_and_repeats_gain_nothing_more() -> None:
    """Ranks: 1 X, 2 A, 3 A again, 4 X, 5 B. nDCG: (1/log2 3 + 1/log2 6) / (1 + 1/log2 3)."""
    scores = _scores([X, A, A, X, B], [A, B])
    assert scores["recall@1"] == 0
    assert scores["recall@4"] == 0.5
    assert scores["recall@5"] == 1
    assert scores["precision@4"] == 0.5
    assert scores["mrr"] == 0.5
    assert scores["ndcg@10"] == pytest.approx((0.63093 + 0.38685) / (1 + 0.63093), abs=1e-5)


def test_gold_urls_count_once_however_they_are_written() -> None:
    scores = _scores([A + "#part"], [A, A.replace("u.example", "U.EXAMPLE")])
    assert scores["recall@1"] == 1
    assert scores["ndcg@10"] == 1


def test_nothing_found_scores_zero_everywhere() -> None:
    assert set(_scores([X, Y], [A]).values()) == {0.0}
    assert set(_scores([], [A]).values()) == {0.0}


def test_what_lies_beyond_a_depth_does_not_count_but_the_reciprocal_rank_sees_it() -> None:
    scores = _scores([X] * 10 + [A], [A])
    assert scores["recall@10"] == scores["ndcg@10"] == 0
    assert scores["recall@50"] == 1
    assert scores["mrr"] == pytest.approx(1 / 11)


def test_the_ideal_of_more_gold_pages_than_places_is_a_full_ranking() -> None:
    pages = [f"{A}/{number}" for number in range(12)]
    assert _scores(pages, pages)["ndcg@10"] == pytest.approx(1)


def test_the_first_rank_counts_from_one_and_is_none_without_a_find() -> None:
    assert match_pages([X, A, B], [B, A]).first_rank == 2
    assert match_pages([X], [A]).first_rank is None
    assert match_pages([X], []).first_rank is None


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([A, B, C, X, Y]), max_size=60), st.sets(st.sampled_from([A, B, C]), min_size=1)
)
def test_scores_lie_between_zero_and_one_and_recall_grows_with_depth(
    ranked: list[str], gold: set[str]
) -> None:
    scores = _scores(ranked, sorted(gold))
    assert all(0 <= score <= 1 + 1e-12 for score in scores.values())
    recalls = [scores[f"recall@{k}"] for k in (1, 3, 4, 5, 10, 50)]
    assert recalls == sorted(recalls)


@settings(deadline=None)
@given(st.lists(st.sampled_from([X, Y]), max_size=20))
def test_with_one_gold_page_the_scores_are_functions_of_its_rank(before: list[str]) -> None:
    rank = len(before) + 1
    scores = _scores([*before, A], [A])
    assert scores["mrr"] == 1 / rank
    assert scores["recall@5"] == (rank <= 5)
    assert scores["ndcg@10"] == pytest.approx(1 / math.log2(rank + 1) if rank <= 10 else 0)


def test_answer_at_k_is_one_from_the_first_passage_that_holds_a_reference() -> None:
    texts = ["The fee is 450 dollars.", "Due on September 1st, Friday.", "Due on the 1st of September."]
    assert passage_scores(texts, ["1 September", "the 1st of september"]) == {
        "answer@1": 0, "answer@3": 1, "answer@5": 1, "answer@10": 1,
    }  # fmt: skip
    assert passage_scores(texts, ["$450"])["answer@1"] == 1
    assert set(passage_scores(texts, ["50"]).values()) == {0.0}


def _passages(*texts: str) -> list[Passage]:
    return [
        Passage(number, A if number % 2 else B, "", "", text) for number, text in enumerate(texts, start=1)
    ]


FEE, DATE = GoldChunk("the fee is $450"), GoldChunk("due on May 1")


def test_gold_chunks_are_found_by_their_words_whatever_their_case_marks_and_articles() -> None:
    passages = _passages("Nothing.", "A note. Fee is $450, all in.", "Due on May 1st.", "It is DUE on May 1!")
    assert match_chunks(passages, [FEE, DATE]).held == tuple(map(frozenset, ([], [0], [], [1])))


def test_a_gold_chunk_with_a_page_is_only_found_there() -> None:
    passages = _passages("The fee is $450.", "The fee is $450.")
    assert match_chunks(passages, [GoldChunk("fee is $450", B + "#top")]).first_rank == 2


def test_two_gold_chunks_in_one_passage_are_both_recalled_and_the_ranking_is_ideal() -> None:
    scores = retrieval_scores(match_chunks(_passages("The fee is $450, due on May 1."), [FEE, DATE]))
    assert scores["recall@1"] == scores["mrr"] == 1
    assert scores["ndcg@10"] == pytest.approx(1)
    assert scores["precision@4"] == 0.25


def test_of_two_gold_chunks_one_found_at_rank_two() -> None:
    """nDCG: (1/log2 3) / (1 + 1/log2 3); the gold that is nowhere could have been another passage."""
    scores = retrieval_scores(
        match_chunks(_passages("Nothing.", "Due on May 1.", "Due on May 1."), [FEE, DATE])
    )
    assert (scores["recall@1"], scores["recall@3"], scores["recall@50"]) == (0, 0.5, 0.5)
    assert scores["precision@4"] == 0.5
    assert scores["ndcg@10"] == pytest.approx(0.63093 / 1.63093, abs=1e-5)


def test_counts_the_gold_chunks_that_no_passage_holds() -> None:
    elsewhere = GoldChunk("fee is $450", B)
    assert unknown_gold_chunks({FEE, DATE, elsewhere}, _passages("The fee is $450.")) == 2
    assert unknown_gold_chunks({FEE, DATE}, []) == 2


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sets(st.integers(0, 2)), max_size=15), st.integers(3, 4))
def test_scores_of_any_matches_lie_between_zero_and_one(held: list[set[int]], golds: int) -> None:
    scores = retrieval_scores(Matches(golds, tuple(map(frozenset, held))))
    assert all(0 <= score <= 1 + 1e-12 for score in scores.values())
    assert scores["recall@50"] == pytest.approx(len(set().union(*held)) / golds)

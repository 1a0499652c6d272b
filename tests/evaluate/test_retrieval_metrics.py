from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.evaluate.retrieval_metrics import gold_rank, passage_scores, retrieval_scores

A, B, C, X, Y = (f"https://u.example/{name}" for name in "abcxy")


def test_one_gold_page_at_rank_three() -> None:
    scores = retrieval_scores([X, Y, A, X], [A])
    assert scores == pytest.approx(
        {
            "recall@1": 0, "recall@3": 1, "recall@4": 1, "recall@5": 1, "recall@10": 1, "recall@50": 1,
            "precision@4": 1 / 4, "mrr": 1 / 3, "ndcg@10": 1 / 2,
        }
    )  # fmt: skip


def test_two_gold_pages_are_recalled_one_by_one_and_repeats_gain_nothing_more() -> None:
    """Ranks: 1 X, 2 A, 3 A again, 4 X, 5 B. nDCG: (1/log2 3 + 1/log2 6) / (1 + 1/log2 3)."""
    scores = retrieval_scores([X, A, A, X, B], [A, B])
    assert scores["recall@1"] == 0
    assert scores["recall@4"] == 0.5
    assert scores["recall@5"] == 1
    assert scores["precision@4"] == 0.5
    assert scores["mrr"] == 0.5
    assert scores["ndcg@10"] == pytest.approx((0.63093 + 0.38685) / (1 + 0.63093), abs=1e-5)


def test_gold_urls_count_once_however_they_are_written() -> None:
    scores = retrieval_scores([A + "#part"], [A, A.replace("u.example", "U.EXAMPLE")])
    assert scores["recall@1"] == 1
    assert scores["ndcg@10"] == 1


def test_nothing_found_scores_zero_everywhere() -> None:
    assert set(retrieval_scores([X, Y], [A]).values()) == {0.0}
    assert set(retrieval_scores([], [A]).values()) == {0.0}


def test_what_lies_beyond_a_depth_does_not_count_but_the_reciprocal_rank_sees_it() -> None:
    scores = retrieval_scores([X] * 10 + [A], [A])
    assert scores["recall@10"] == scores["ndcg@10"] == 0
    assert scores["recall@50"] == 1
    assert scores["mrr"] == pytest.approx(1 / 11)


def test_the_ideal_of_more_gold_pages_than_places_is_a_full_ranking() -> None:
    pages = [f"{A}/{number}" for number in range(12)]
    assert retrieval_scores(pages, pages)["ndcg@10"] == pytest.approx(1)


def test_gold_rank_counts_from_one_and_is_none_without_a_find() -> None:
    assert gold_rank([X, A, B], [B, A]) == 2
    assert gold_rank([X], [A]) is None
    assert gold_rank([X], []) is None


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([A, B, C, X, Y]), max_size=60), st.sets(st.sampled_from([A, B, C]), min_size=1)
)
def test_scores_lie_between_zero_and_one_and_recall_grows_with_depth(
    ranked: list[str], gold: set[str]
) -> None:
    scores = retrieval_scores(ranked, sorted(gold))
    assert all(0 <= score <= 1 + 1e-12 for score in scores.values())
    recalls = [scores[f"recall@{k}"] for k in (1, 3, 4, 5, 10, 50)]
    assert recalls == sorted(recalls)


@settings(deadline=None)
@given(st.lists(st.sampled_from([X, Y]), max_size=20))
def test_with_one_gold_page_the_scores_are_functions_of_its_rank(before: list[str]) -> None:
    rank = len(before) + 1
    scores = retrieval_scores([*before, A], [A])
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

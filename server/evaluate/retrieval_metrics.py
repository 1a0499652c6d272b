"""How high the right passages rank.

A ranking is of passages, and gold is named by page, so relevance is binary and a page's: a passage is
relevant when its page is a gold page. Chunks of one page share their relevance, and how many there are
depends on the chunking, not on the question; so recall and nDCG count each gold page once, where it first
appears, and figures stay comparable between chunk sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from server.evaluate.answer_metrics import contains_any
from server.evaluate.questions import comparable_url

RECALL_DEPTHS = (1, 3, 4, 5, 10, 50)
PRECISION_DEPTH = 4
NDCG_DEPTH = 10
ANSWER_DEPTHS = (1, 3, 5, 10)


def retrieval_scores(ranked_urls: Sequence[str], gold_urls: Sequence[str]) -> dict[str, float]:
    """`recall@k`, `precision@4`, `mrr` and `ndcg@10` of one ranking, each 0 to 1.

    `ranked_urls` has the page of each passage, best first; a ranking shorter than k is scored as it is.
    `gold_urls` must not be empty.
    """
    gold = {comparable_url(url) for url in gold_urls}
    ranked = [comparable_url(url) for url in ranked_urls]
    scores = {f"recall@{k}": recall_at(k, ranked, gold) for k in RECALL_DEPTHS}
    scores[f"precision@{PRECISION_DEPTH}"] = precision_at(PRECISION_DEPTH, ranked, gold)
    rank = first_relevant_rank(ranked, gold)
    scores["mrr"] = 1 / rank if rank else 0.0
    scores[f"ndcg@{NDCG_DEPTH}"] = ndcg_at(NDCG_DEPTH, ranked, gold)
    return scores


def gold_rank(ranked_urls: Sequence[str], gold_urls: Sequence[str]) -> int | None:
    """The rank, from 1, of the first passage of a gold page; None when there is none."""
    return first_relevant_rank(
        [comparable_url(url) for url in ranked_urls], set(map(comparable_url, gold_urls))
    )


def first_relevant_rank(ranked: Sequence[str], gold: set[str]) -> int | None:
    """The rank, from 1, of the first relevant passage in the whole ranking; 1 / it is the reciprocal rank."""
    return next((rank for rank, url in enumerate(ranked, start=1) if url in gold), None)


def recall_at(k: int, ranked: Sequence[str], gold: set[str]) -> float:
    """The share of the gold pages that have a passage among the first k.

    This is recall as TREC has it; where a question has one gold page, it is also the hit rate (success@k).
    """
    return len(gold & set(ranked[:k])) / len(gold)


def precision_at(k: int, ranked: Sequence[str], gold: set[str]) -> float:
    """The share of the first k places that hold a relevant passage; an empty place is not relevant."""
    return sum(url in gold for url in ranked[:k]) / k


def ndcg_at(k: int, ranked: Sequence[str], gold: set[str]) -> float:
    """Normalised discounted cumulative gain: 1 when the first places hold one passage of each gold page.

    A gold page's first passage gains 1 / log2(rank + 1), its further passages nothing.
    """
    first_ranks = [ranked.index(url) + 1 for url in gold.intersection(ranked[:k])]
    ideal_ranks = range(1, min(len(gold), k) + 1)
    return _discounted(first_ranks) / _discounted(ideal_ranks)


def passage_scores(ranked_texts: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """`answer@k`: 1 when a reference answer stands, normalised, in one of the first k passages, else 0."""
    deepest = ranked_texts[: max(ANSWER_DEPTHS)]
    rank = next((r for r, text in enumerate(deepest, start=1) if contains_any(text, references)), math.inf)
    return {f"answer@{k}": float(rank <= k) for k in ANSWER_DEPTHS}


def _discounted(ranks: Sequence[int]) -> float:
    return math.fsum(1 / math.log2(rank + 1) for rank in ranks)

"""Two rankings made one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from server.records import Hit

# How much a rank counts in reciprocal rank fusion (Cormack, Clarke & Büttcher 2009).
RRF_K = 60


def rank_fusion_score(
    semantic: Sequence[Hit], keyword: Sequence[Hit], alpha: float, weight: float = 0.0
) -> list[Hit]:
    """α·K + (1−α)·S: K is BM25 as a share of the question's best, S the cosine (BrockportGPT).

    The share is one of `weight`, what the question's words weigh together, where the best is less: a chunk
    that has but the least of the words ("room" of "can I have a hamster in my room") is no whole match for
    being the best there is. A chunk that one search did not score counts 0 there. Best first; equals by id.
    """
    best = max(weight, max((hit.score for hit in keyword), default=0.0)) or 1.0
    scores = {hit.chunk_id: (1 - alpha) * hit.score for hit in semantic}
    for hit in keyword:
        scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + alpha * hit.score / best
    return _ranked(scores)


def reciprocal_rank_fusion(
    semantic: Sequence[Hit], keyword: Sequence[Hit], alpha: float, weight: float = 0.0
) -> list[Hit]:
    """α/(k + keyword rank) + (1−α)/(k + semantic rank), ranks from 1 (Cormack et al. 2009; k = 60).

    Ranks have no use for the words' weight.
    """
    scores: dict[int, float] = {}
    for share, hits in ((1 - alpha, semantic), (alpha, keyword)):
        for rank, hit in enumerate(hits, 1):
            scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + share / (RRF_K + rank)
    return _ranked(scores)


class Fusion(Protocol):
    """Makes one ranking of one by meaning and one by words; `weight` is what the words weigh together."""

    def __call__(
        self, semantic: Sequence[Hit], keyword: Sequence[Hit], alpha: float, weight: float = 0.0
    ) -> list[Hit]:
        """Best first."""
        ...


FUSIONS: dict[str, Fusion] = {"score": rank_fusion_score, "rrf": reciprocal_rank_fusion}


def _ranked(scores: dict[int, float]) -> list[Hit]:
    return [Hit(*item) for item in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]

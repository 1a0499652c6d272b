"""Fusion: several rankings made one.

By meaning and by words (`FUSIONS`), with the match of single words beside both (`with_late_interaction`), and
what a question's other wordings bring beside its own (`united`), and how well a page's sample questions suit
it (`with_questions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from server.models import Candidate, Hit, Passage

# How much a rank counts in reciprocal rank fusion (Cormack, Clarke & Büttcher 2009).
RRF_K = 60


def weighted_score_fusion(
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


# Makes one ranking of one by meaning and one by words, by α and what the words weigh together.
Fusion = Callable[..., list[Hit]]
FUSIONS: dict[str, Fusion] = {"score": weighted_score_fusion, "rrf": reciprocal_rank_fusion}


def _ranked(scores: dict[int, float]) -> list[Hit]:
    return [Hit(*item) for item in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]


def with_late_interaction(fused: Sequence[Hit], matched: Sequence[Hit], share: float) -> list[Hit]:
    """(1−β)·F + β·M: F the fused score, M how well the chunk matches the question's words, best first.

    A chunk whose words are not known has the least M of all; where none is known F alone counts.
    """
    known = {hit.chunk_id: hit.score for hit in matched}
    if not known:
        return list(fused)
    least = min(known.values())
    return _ranked(
        {one.chunk_id: (1 - share) * one.score + share * known.get(one.chunk_id, least) for one in fused}
    )


def united(own: Sequence[Candidate], others: Sequence[Sequence[Candidate]], share: float) -> list[Candidate]:
    """One list without doubles, best first: (1 − share) · own score + share · best score by another wording.

    What a wording did not bring has the least score of what it brought, as it would have had that at most.
    Without other wordings the list is the question's own.
    """
    brought = [one for one in others if one]
    if not brought:
        return list(own)
    known = {one.passage.chunk_id: one for candidates in (*brought, own) for one in candidates}
    of_own, of_others = _scores(own, known), [_scores(one, known) for one in brought]
    scores = {
        chunk: (1 - share) * of_own[chunk] + share * max(one[chunk] for one in of_others) for chunk in known
    }
    return [replace(known[hit.chunk_id], score=hit.score) for hit in _ranked(scores)]


def with_questions(
    own: Sequence[Candidate], scores: Mapping[int, float], found: Iterable[Passage], share: float
) -> list[Candidate]:
    """(1 − share) · content score + share · question score, best first (Salerno).

    `scores` are the question scores by chunk id, 0 where there is none; `found` are passages that the
    questions alone brought, whose content score is at most the least there is.
    """
    least = min((one.score for one in own), default=0.0)
    known = {one.passage.chunk_id: one for one in own}
    for passage in found:
        known.setdefault(passage.chunk_id, Candidate(passage, least))
    fused = {chunk: (1 - share) * one.score + share * scores.get(chunk, 0.0) for chunk, one in known.items()}
    return [replace(known[hit.chunk_id], score=hit.score) for hit in _ranked(fused)]


def _scores(brought: Sequence[Candidate], chunks: Iterable[int]) -> dict[int, float]:
    """A score for each of the chunks."""
    least = min((one.score for one in brought), default=0.0)
    return dict.fromkeys(chunks, least) | {one.passage.chunk_id: one.score for one in brought}

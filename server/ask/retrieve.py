"""Two rankings made one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from server.ask.ports import SearchIndex, Vector, VectorSearch
from server.ask.strategy import Strategy
from server.ask.trace import TraceLog
from server.models import Candidate, Hit, Passage, Ranking, Scope

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


class Fusion(Protocol):
    """Makes one ranking of one by meaning and one by words; `weight` is what the words weigh together."""

    def __call__(
        self, semantic: Sequence[Hit], keyword: Sequence[Hit], alpha: float, weight: float = 0.0
    ) -> list[Hit]:
        """Best first."""
        ...


FUSIONS: dict[str, Fusion] = {"score": weighted_score_fusion, "rrf": reciprocal_rank_fusion}


def _ranked(scores: dict[int, float]) -> list[Hit]:
    return [Hit(*item) for item in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]


@dataclass(frozen=True, slots=True)
class RetrieveOptions:
    """How many chunks each search brings, and how the two rankings become one.

    `keyword_candidates` None: as many as the search by meaning.
    """

    candidates: int = 50
    fusion: str = "score"
    alpha: float = 0.3
    keyword_candidates: int | None = None

    @property
    def by_words(self) -> int:
        """How many the keyword search brings."""
        return self.candidates if self.keyword_candidates is None else self.keyword_candidates


def retrieve(  # noqa: PLR0913, PLR0917  (a search is made of so many things)
    question: str,
    vector: Vector | None,
    strategy: Strategy,
    options: RetrieveOptions,
    index: SearchIndex,
    trace: TraceLog,
    within: Scope | None = None,
) -> list[Candidate]:
    """The candidates within a scope, best first. `vector` is the question's; only keyword does without.

    Whatever either search brings is scored by both, so that the fused score compares like with like.
    """
    near: list[Hit] = []
    matching: list[Hit] = []
    if vector is not None and strategy.search != "keyword":
        with trace.step("retrieve.semantic") as step:
            near = index.vector.search(vector, options.candidates, within)
            step.ranking, step.notes = _with_excluded(near), _notes(near)
    if strategy.search != "semantic":
        with trace.step("retrieve.keyword") as step:
            also = [hit.chunk_id for hit in near]
            matching = index.keyword.search(question, options.by_words, also, within)
            step.ranking = _with_excluded(matching)[: options.by_words]
            step.notes = _notes(matching)
    _trace_excluded(near, matching, index, trace)
    if vector is not None and strategy.search == "hybrid":
        near = _with_scores(near, matching, vector, index.vector)
    weight = sum(index.text.word_weights(question).values()) if strategy.search == "hybrid" else 0.0
    fused = _fuse(near, matching, strategy, options, weight)
    passages = index.snapshot.passages([hit.chunk_id for hit in fused])
    trace.add_passages(passages)
    return _candidates(fused, near, matching, passages)


def _notes(hits: list[Hit]) -> Mapping[str, Any]:
    """What a search says of itself: which engine answered, and why not the one that should have."""
    return hits.notes if isinstance(hits, Ranking) else {}


def _excluded(hits: list[Hit]) -> tuple[Hit, ...]:
    return hits.left_out if isinstance(hits, Ranking) else ()


def _with_excluded(hits: list[Hit]) -> list[Hit]:
    """What a search brought, those that editors leave out in their places."""
    return sorted([*hits, *_excluded(hits)], key=lambda hit: -hit.score) if _excluded(hits) else hits


def _trace_excluded(near: list[Hit], matching: list[Hit], index: SearchIndex, trace: TraceLog) -> None:
    """A step of the trace for what editors leave out, where a search has brought any of it."""
    excluded = {hit.chunk_id for hits in (near, matching) for hit in _excluded(hits)}
    if not excluded:
        return
    with trace.step("retrieve.excluded") as step:
        trace.add_passages(index.snapshot.passages(sorted(excluded)))
        step.ranking = list({hit.chunk_id: hit for hit in [*matching, *near]}.values())
        step.notes = {"left_out": len(excluded)}


def _with_scores(near: list[Hit], matching: list[Hit], vector: Vector, semantic: VectorSearch) -> list[Hit]:
    """`near` and the cosine of every matching chunk that is not among them, best first."""
    have = {hit.chunk_id for hit in near}
    missing = [hit.chunk_id for hit in matching if hit.chunk_id not in have]
    more = semantic.scores(vector, missing) if missing else []
    return sorted([*near, *more], key=lambda hit: (-hit.score, hit.chunk_id))


def _fuse(
    near: list[Hit], matching: list[Hit], strategy: Strategy, options: RetrieveOptions, weight: float
) -> list[Hit]:
    """`weight` is what the question's words weigh together."""
    if strategy.search == "hybrid":
        return FUSIONS[options.fusion](near, matching, options.alpha, weight)
    return near or matching


def _candidates(
    fused: list[Hit], near: list[Hit], matching: list[Hit], passages: Mapping[int, Passage]
) -> list[Candidate]:
    by_meaning = {hit.chunk_id: (hit.score, rank) for rank, hit in enumerate(near, 1)}
    by_words = {hit.chunk_id: (hit.score, rank) for rank, hit in enumerate(matching, 1)}
    nothing = (None, None)
    return [
        Candidate(
            passages[hit.chunk_id],
            hit.score,
            *by_meaning.get(hit.chunk_id, nothing),
            *by_words.get(hit.chunk_id, nothing),
        )
        for hit in fused
    ]

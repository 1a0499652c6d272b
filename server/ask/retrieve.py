"""Two rankings made one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from server.ask.strategy import Strategy
from server.ask.trace import TraceLog
from server.models import Candidate, Hit, PageFacts, Passage, Ranking, Scope

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


Vector = npt.NDArray[np.float32]


class KeywordSearch(Protocol):
    """Full-text search over one snapshot."""

    def search(
        self, question: str, limit: int, also: Sequence[int] = (), within: Scope | None = None
    ) -> list[Hit]:
        """The best chunks of the scope, and those of `also` that share a word, best first.

        An index that has something to tell the trace returns a `Ranking`.
        """
        ...

    def content_words(self, text: str) -> list[str]:
        """The words that are not stop words, in lower case and in their order."""
        ...

    def word_weights(self, question: str) -> dict[str, float]:
        """The question's stemmed content words and their inverse document frequencies."""
        ...

    def stems(self, texts: Sequence[str]) -> list[set[str]]:
        """The stemmed words of each text."""
        ...

    def knows(self, words: Sequence[str]) -> set[str]:
        """Those of the words that the snapshot has."""
        ...

    def nearest_word(self, word: str, max_edits: int) -> str | None:
        """The snapshot's nearest word."""
        ...


class VectorSearch(Protocol):
    """Nearest neighbours over one snapshot."""

    def search(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The nearest chunks of the scope, best first; a score is a cosine."""
        ...

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The cosines of these chunks."""
        ...


class PassageStore(Protocol):
    """The passages themselves."""

    def passages(self, chunk_ids: Sequence[int]) -> Mapping[int, Passage]:
        """By chunk id."""
        ...

    @property
    def terms(self) -> Collection[str]:
        """Every term that a page speaks of, by its name."""
        ...

    @property
    def page_facts(self) -> Sequence[PageFacts]:
        """What is known of each page, by page id."""
        ...

    @property
    def chunk_pages(self) -> npt.NDArray[np.int32]:
        """The page id of each chunk; shape (chunks,)."""
        ...


class SearchIndex(Protocol):
    """One snapshot, open for one question."""

    @property
    def name(self) -> str:
        """The snapshot's name."""
        ...

    @property
    def keyword(self) -> KeywordSearch:
        """Its full-text search."""
        ...

    @property
    def vector(self) -> VectorSearch:
        """Its vector search."""
        ...

    @property
    def snapshot(self) -> PassageStore:
        """Its passages."""
        ...


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
    log: TraceLog,
    within: Scope | None = None,
) -> list[Candidate]:
    """The candidates within a scope, best first. `vector` is the question's; only keyword does without.

    Whatever either search brings is scored by both, so that the fused score compares like with like.
    """
    near: list[Hit] = []
    matching: list[Hit] = []
    if vector is not None and strategy.search != "keyword":
        with log.step("retrieve.semantic") as step:
            near = index.vector.search(vector, options.candidates, within)
            step.ranking, step.notes = _with_fallen(near), _notes(near)
    if strategy.search != "semantic":
        with log.step("retrieve.keyword") as step:
            also = [hit.chunk_id for hit in near]
            matching = index.keyword.search(question, options.by_words, also, within)
            step.ranking = _with_fallen(matching)[: options.by_words]
            step.notes = _notes(matching)
    _tell_fallen(near, matching, index, log)
    with log.step("retrieve.fusion") as step:
        if vector is not None and strategy.search == "hybrid":
            near = _with_scores(near, matching, vector, index.vector)
        weight = sum(index.keyword.word_weights(question).values()) if strategy.search == "hybrid" else 0.0
        fused = _fuse(near, matching, strategy, options, weight)
        passages = index.snapshot.passages([hit.chunk_id for hit in fused])
        log.add_passages(passages)
        step.ranking = fused
        step.notes = {"fusion": options.fusion, "alpha": options.alpha} if strategy.search == "hybrid" else {}
    return _candidates(fused, near, matching, passages)


def _notes(hits: list[Hit]) -> Mapping[str, Any]:
    """What a search says of itself: which engine answered, and why not the one that should have."""
    return hits.notes if isinstance(hits, Ranking) else {}


def _fallen(hits: list[Hit]) -> tuple[Hit, ...]:
    return hits.left_out if isinstance(hits, Ranking) else ()


def _with_fallen(hits: list[Hit]) -> list[Hit]:
    """What a search brought, those that editors leave out in their places."""
    return sorted([*hits, *_fallen(hits)], key=lambda hit: -hit.score) if _fallen(hits) else hits


def _tell_fallen(near: list[Hit], matching: list[Hit], index: SearchIndex, log: TraceLog) -> None:
    """A step of the trace for what editors leave out, where a search has brought any of it."""
    fallen = {hit.chunk_id for hits in (near, matching) for hit in _fallen(hits)}
    if not fallen:
        return
    with log.step("filter") as step:
        log.add_passages(index.snapshot.passages(sorted(fallen)))
        step.ranking = list({hit.chunk_id: hit for hit in [*matching, *near]}.values())
        step.notes = {"left_out": len(fallen)}


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

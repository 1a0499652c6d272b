from __future__ import annotations

from dataclasses import replace

import pytest

from server.ask.context import RetrieveOptions, parse_strategy
from server.ask.retrieve import retrieve
from server.ask.strategy.fusion import FUSIONS
from server.ask.trace import TraceLog
from server.index.search import Index
from server.inference.encoders import Embedder
from server.models import Candidate, Hit, Scope, Trace

QUESTION = "What is the deposit for a room in the residence halls?"
FEW = RetrieveOptions(candidates=5)


def search(
    index: Index, embedder: Embedder, strategy: str, options: RetrieveOptions = FEW
) -> tuple[list[Candidate], Trace]:
    log = TraceLog()
    vector = None if strategy == "keyword" else embedder.embed_question(QUESTION)
    found = retrieve(QUESTION, vector, parse_strategy(strategy), options, index, log)
    return found, Trace("t", "", "", "", {}, log.steps, log.passages)


@pytest.mark.parametrize("strategy", ["semantic", "keyword", "hybrid"])
def test_the_right_page_comes_first(index: Index, embedder: Embedder, strategy: str) -> None:
    found, _ = search(index, embedder, strategy)
    assert found[0].passage.url.endswith("/housing")
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)


@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_a_hybrid_candidate_has_both_scores_whichever_search_brought_it(
    index: Index, embedder: Embedder, fusion: str
) -> None:
    """A keyword score is missing only where there is none: where no word is shared, BM25 is 0."""
    found, _ = search(index, embedder, "hybrid", RetrieveOptions(5, fusion))
    shared = {hit.chunk_id: hit.score for hit in index.keyword.search(QUESTION, 1000)}
    nearest = index.vector.exact(embedder.embed_question(QUESTION), 1000)
    cosines = {hit.chunk_id: hit.score for hit in nearest}
    assert len(found) > 5
    for candidate in found:
        assert candidate.semantic_score == pytest.approx(cosines[candidate.passage.chunk_id], abs=1e-5)
        assert candidate.keyword_score == shared.get(candidate.passage.chunk_id)
    assert sorted(c.semantic_rank for c in found if c.semantic_rank) == list(range(1, len(found) + 1))


@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_hybrid_scores_are_the_fusion_of_both_rankings(index: Index, embedder: Embedder, fusion: str) -> None:
    found, _ = search(index, embedder, "hybrid", RetrieveOptions(5, fusion, alpha=0.4))
    weight = sum(index.text.word_weights(QUESTION).values())
    near = [Hit(c.passage.chunk_id, c.semantic_score) for c in found if c.semantic_score is not None]
    matching = [Hit(c.passage.chunk_id, c.keyword_score) for c in found if c.keyword_score is not None]
    fused = FUSIONS[fusion](best_first(near), best_first(matching), 0.4, weight)
    assert [Hit(c.passage.chunk_id, c.score) for c in found] == fused


def best_first(hits: list[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))


@pytest.mark.parametrize(("strategy", "has"), [("semantic", "semantic"), ("keyword", "keyword")])
def test_a_single_search_ranks_by_its_own_score_alone(
    index: Index, embedder: Embedder, strategy: str, has: str
) -> None:
    found, trace = search(index, embedder, strategy)
    scores = [(c.semantic_score, c.keyword_score) for c in found]
    assert len(found) == 5
    assert [c.score for c in found] == [pair[has == "keyword"] for pair in scores]
    assert all(pair[has == "semantic"] is None for pair in scores)
    assert [step.step for step in trace.steps] == [f"retrieve.{strategy}"]


def test_the_trace_has_each_ranking_and_every_passage_in_one(index: Index, embedder: Embedder) -> None:
    _, trace = search(index, embedder, "hybrid")
    steps = {step.step: step for step in trace.steps}
    assert list(steps) == ["retrieve.semantic", "retrieve.keyword"]
    assert [len(step.ranking) for step in steps.values()] == [5, 5]
    assert set(trace.passages) == {hit.chunk_id for step in trace.steps for hit in step.ranking}


def test_a_keyword_search_for_words_that_are_nowhere_finds_nothing(index: Index) -> None:
    assert retrieve("zeppelin", None, parse_strategy("keyword"), FEW, index, TraceLog()) == []


@pytest.mark.parametrize("strategy", ["semantic", "keyword", "hybrid"])
@pytest.mark.parametrize("scope", [Scope(), Scope({"nowhere": ()})])
def test_pages_without_a_topic_are_in_every_scope(
    index: Index, embedder: Embedder, strategy: str, scope: Scope
) -> None:
    """The small college's pages all lie under its root, so they have no topic."""
    vector = embedder.embed_question(QUESTION)
    parsed = parse_strategy(strategy)
    everywhere = retrieve(QUESTION, vector, parsed, FEW, index, TraceLog())
    assert retrieve(QUESTION, vector, parsed, FEW, index, TraceLog(), scope) == everywhere


def test_late_interaction_is_a_step_of_its_own_and_counts_in_hybrid_alone(
    index: Index, embedder: Embedder
) -> None:
    vector, tokens = embedder.encode_question(QUESTION)
    options = replace(FEW, late_interaction=0.5)
    for name, counts in (("hybrid", True), ("semantic", False), ("keyword", False)):
        log = TraceLog()
        strategy = parse_strategy(name)
        found = retrieve(QUESTION, vector, strategy, options, index, log, tokens=tokens)
        plain = retrieve(QUESTION, vector, strategy, options, index, TraceLog())
        late = [step for step in log.steps if step.step == "retrieve.late_interaction"]
        assert bool(late) is counts
        assert ([one.score for one in found] != [one.score for one in plain]) is counts
        if counts:
            assert {hit.chunk_id for hit in late[0].ranking} == {one.passage.chunk_id for one in found}

from __future__ import annotations

import pytest

from server.ask.strategy.fusion import (
    FUSIONS,
    reciprocal_rank_fusion,
    united,
    weighted_score_fusion,
    with_late_interaction,
)
from server.models import Candidate, Hit, Passage

SEMANTIC = [Hit(1, 0.8), Hit(2, 0.6), Hit(3, 0.5)]
KEYWORD = [Hit(3, 12.0), Hit(2, 6.0), Hit(4, 3.0)]


def by_id(hits: list[Hit]) -> dict[int, float]:
    return {hit.chunk_id: hit.score for hit in hits}


def test_rank_fusion_score_by_hand() -> None:
    """α = 0.3: 0.7·S + 0.3·K/12."""
    fused = weighted_score_fusion(SEMANTIC, KEYWORD, 0.3)
    assert by_id(fused) == pytest.approx({1: 0.56, 2: 0.42 + 0.15, 3: 0.35 + 0.3, 4: 0.075})
    assert [hit.chunk_id for hit in fused] == [3, 2, 1, 4]


def test_reciprocal_rank_fusion_by_hand() -> None:
    """α = 0.25: 0.75/(60 + semantic rank) + 0.25/(60 + keyword rank)."""
    fused = reciprocal_rank_fusion(SEMANTIC, KEYWORD, 0.25)
    assert by_id(fused) == pytest.approx(
        {1: 0.75 / 61, 2: 0.75 / 62 + 0.25 / 62, 3: 0.75 / 63 + 0.25 / 61, 4: 0.25 / 63}
    )
    assert [hit.chunk_id for hit in fused] == [2, 3, 1, 4]


@pytest.mark.parametrize("name", ["score", "rrf"])
def test_alpha_gives_all_the_weight_to_one_search_or_the_other(name: str) -> None:
    fuse = FUSIONS[name]
    assert [hit.chunk_id for hit in fuse(SEMANTIC, KEYWORD, 0.0)][:3] == [1, 2, 3]
    assert [hit.chunk_id for hit in fuse(SEMANTIC, KEYWORD, 1.0)][:3] == [3, 2, 4]


@pytest.mark.parametrize("name", ["score", "rrf"])
def test_one_empty_ranking_leaves_the_order_of_the_other(name: str) -> None:
    fuse = FUSIONS[name]
    assert [hit.chunk_id for hit in fuse(SEMANTIC, [], 0.3)] == [1, 2, 3]
    assert [hit.chunk_id for hit in fuse([], KEYWORD, 0.3)] == [3, 2, 4]
    assert fuse([], [], 0.3) == []


@pytest.mark.parametrize("name", ["score", "rrf"])
def test_equals_are_ordered_by_chunk_id(name: str) -> None:
    assert [hit.chunk_id for hit in FUSIONS[name]([Hit(9, 0.5)], [Hit(4, 7.0)], 0.0)] == [9, 4]
    assert [hit.chunk_id for hit in FUSIONS[name]([Hit(9, 1.0)], [Hit(4, 7.0)], 0.5)] == [4, 9]


def test_keyword_scores_of_nought_do_not_divide_by_it() -> None:
    assert by_id(weighted_score_fusion([], [Hit(1, 0.0)], 0.3)) == {1: 0.0}


def test_a_match_of_few_of_the_words_is_no_whole_match() -> None:
    near, matching = [Hit(1, 0.5), Hit(2, 0.4)], [Hit(2, 1.0)]
    assert [hit.chunk_id for hit in weighted_score_fusion(near, matching, 0.3)] == [2, 1]
    assert [hit.chunk_id for hit in weighted_score_fusion(near, matching, 0.3, weight=8.0)] == [1, 2]
    assert weighted_score_fusion(near, matching, 0.3, weight=0.5) == weighted_score_fusion(
        near, matching, 0.3
    )


def test_late_interaction_has_its_share_of_the_score() -> None:
    """β = 0.4: 0.6·F + 0.4·M; a chunk whose words are not known has the least M."""
    matched = [Hit(2, 0.9), Hit(1, 0.5)]
    scores = by_id(with_late_interaction(SEMANTIC, matched, 0.4))
    assert scores == pytest.approx({1: 0.48 + 0.2, 2: 0.36 + 0.36, 3: 0.3 + 0.2})


def test_where_no_words_are_known_the_fused_score_stays() -> None:
    assert with_late_interaction(SEMANTIC, [], 0.4) == SEMANTIC


def candidates(**scores: float) -> list[Candidate]:
    return [Candidate(Passage(int(name[1:]), "", "", "", ""), score) for name, score in scores.items()]


def test_what_wordings_bring_by_hand() -> None:
    """0.8 · own + 0.2 · the best of the others; what one did not bring has the least of what it brought."""
    own, others = candidates(c1=0.9, c2=0.5), [candidates(c3=1.0, c2=0.6), candidates(c1=0.4)]
    found = united(own, others, 0.2)
    scores = {one.passage.chunk_id: one.score for one in found}
    assert scores == pytest.approx({1: 0.72 + 0.12, 2: 0.4 + 0.12, 3: 0.4 + 0.2})
    assert [one.passage.chunk_id for one in found] == [1, 3, 2]


def test_without_other_wordings_the_ranking_is_the_questions_own() -> None:
    own = candidates(c1=0.9, c2=0.5)
    assert united(own, [], 0.2) == own == united(own, [[]], 0.2)
    assert [one.passage.chunk_id for one in united([], [candidates(c3=1.0)], 0.2)] == [3]

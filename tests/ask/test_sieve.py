"""A search without hidden passages finds what a search of the others would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from server.ask.rules import FilteredIndex
from server.index.search import Index
from server.models import Ranking
from tests.index import small_index

TEXTS = [f"The {word} office is in room {n}." for n, word in enumerate(["parking", "housing"] * 40)]
VECTORS = small_index.unit_vectors(len(TEXTS))


class Opened:
    """An index with a classifier, questions and wordings that nobody asks."""

    classifier = questions = wordings = None

    def __init__(self, index: Index) -> None:
        self.name, self.snapshot = index.name, index.snapshot
        self.keyword, self.vector, self.text = index.keyword, index.vector, index.text


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    opened = small_index.opened(tmp_path / "one", TEXTS, VECTORS)
    yield opened
    opened.snapshot.close()


def sieved(index: Index, hidden: list[int]) -> FilteredIndex:
    mask = np.zeros(len(TEXTS), np.bool_)
    mask[hidden] = True
    return FilteredIndex(Opened(index), mask)  # type: ignore[arg-type]


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_it_finds_the_best_of_what_is_left(index: Index, share: float) -> None:
    chosen = np.random.default_rng(7).permutation(len(TEXTS))[: int(share * len(TEXTS))]
    hidden = chosen.tolist()
    rest = [hit for hit in index.vector.search(VECTORS[3], len(TEXTS)) if hit.chunk_id not in set(hidden)]
    assert sieved(index, hidden).vector.search(VECTORS[3], 5) == rest[:5]
    words = [hit for hit in index.keyword.search("parking office", 99) if hit.chunk_id not in set(hidden)]
    assert sieved(index, hidden).keyword.search("parking office", 5) == words[:5]


def test_what_would_have_stood_in_it_is_told(index: Index) -> None:
    [best, second, *_] = index.vector.search(VECTORS[3], 2)
    found = sieved(index, [best.chunk_id]).vector.search(VECTORS[3], 1)
    assert isinstance(found, Ranking)
    assert (found, found.left_out) == ([second], (best,))


def test_what_the_other_search_brought_is_scored_unless_it_is_hidden(index: Index) -> None:
    one = sieved(index, [1])
    assert {hit.chunk_id for hit in one.keyword.search("housing", 1, also=[1, 3, 5])} >= {3, 5}
    assert 1 not in {hit.chunk_id for hit in one.keyword.search("housing", 1, also=[1, 3, 5])}
    assert [hit.chunk_id for hit in one.vector.scores(VECTORS[3], [1, 3])] == [3]


def test_nothing_is_found_where_everything_is_hidden(index: Index) -> None:
    assert sieved(index, list(range(len(TEXTS)))).vector.search(VECTORS[3], 5) == []

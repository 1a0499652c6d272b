"""A snapshot's searches without the passages that editors leave out, as if these were not there.

What a search brings is sieved, and where too little is left more is asked for, until there is enough: the
result is the one that a search of the remaining passages would have, with any engine. What fell is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from server.ask.ruling.ruling import Mask
from server.records import Hit, Ranking, Scope

if TYPE_CHECKING:
    from server.ask.classify import QuestionClassifier
    from server.ask.options import OpenSnapshot
    from server.ask.retrieve import KeywordSearch, PassageStore, Vector, VectorSearch

MORE = 4  # times as many are asked for where too few were left


class Sieved:
    """An open snapshot without the hidden passages. `hidden` is of shape (chunks,)."""

    def __init__(self, index: OpenSnapshot, hidden: Mask) -> None:
        self._index = index
        self.keyword = _Keyword(index.keyword, hidden)
        self.vector = _Vector(index.vector, hidden)

    @property
    def name(self) -> str:
        """The snapshot's name."""
        return self._index.name

    @property
    def snapshot(self) -> PassageStore:
        """All its passages, the hidden ones too: who has an id may read it."""
        return self._index.snapshot

    @property
    def classifier(self) -> QuestionClassifier:
        """What it learnt when it was built."""
        return self._index.classifier


class _Vector:
    def __init__(self, search: VectorSearch, hidden: Mask) -> None:
        self._search = search
        self._hidden = hidden

    def search(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The nearest chunks that are not hidden."""
        return _sieved(lambda most: self._search.search(vector, most, within), limit, self._hidden)

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The cosines of these chunks, the hidden ones left out."""
        return self._search.scores(vector, [one for one in chunk_ids if not self._hidden[one]])


class _Keyword:
    def __init__(self, search: KeywordSearch, hidden: Mask) -> None:
        self._search = search
        self._hidden = hidden
        self.content_words = search.content_words
        self.word_weights = search.word_weights
        self.stems = search.stems
        self.knows = search.knows
        self.nearest_word = search.nearest_word

    def search(
        self, question: str, limit: int, also: Sequence[int] = (), within: Scope | None = None
    ) -> list[Hit]:
        """The best chunks that are not hidden, and those of `also`."""
        return _sieved(
            lambda most: self._search.search(question, most, also, within), limit, self._hidden, set(also)
        )


def _sieved(
    search: Callable[[int], list[Hit]], limit: int, hidden: Mask, also: set[int] | None = None
) -> list[Hit]:
    """The `limit` best that are not hidden and, further down, those of `also`.

    What a search brings beyond the number asked for is of `also`; the hidden ones among the best go with it.
    """
    most = limit
    while True:
        hits = search(most)
        first = [hit for hit in hits[:most] if not hidden[hit.chunk_id]]
        if len(first) >= limit or len(hits) < most or most >= len(hidden):
            break
        most = min(most * MORE, len(hidden))
    wanted = {hit.chunk_id for hit in first[:limit]} | (also or set())
    kept = [hit for hit in hits if hit.chunk_id in wanted and not hidden[hit.chunk_id]]
    fell = tuple(hit for hit in hits[:limit] if hidden[hit.chunk_id])
    return Ranking(kept, hits.notes if isinstance(hits, Ranking) else {}, fell)

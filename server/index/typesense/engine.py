"""Typesense with DuckDB behind it: whatever happens to the one, retrieval goes on with the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from server.index.bm25 import KeywordIndex
from server.index.index import Index
from server.index.text import Synonym
from server.index.typesense.connection import Cluster, Connection, TypesenseError
from server.index.typesense.schema import Names
from server.index.typesense.search import Collection, KeywordOptions, TypesenseKeyword, TypesenseVector
from server.index.vectors import Vector, VectorIndex
from server.models import Hit, Ranking, Scope


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Which searches Typesense does, and how: keyword search always, vector search with `vectors`."""

    names: Names
    vectors: bool = False
    keyword: KeywordOptions = field(default_factory=KeywordOptions)
    synonyms: tuple[Synonym, ...] = ()
    hnsw_from_chunks: int = 100_000


class KeywordEngine:
    """The keyword search of one snapshot: Typesense's, or else DuckDB's; words are DuckDB's in any case."""

    def __init__(self, typesense: TypesenseKeyword, duckdb: KeywordIndex) -> None:
        self._typesense = typesense
        self._duckdb = duckdb

    def search(
        self, question: str, limit: int, also: Sequence[int] = (), within: Scope | None = None
    ) -> Ranking:
        """The best chunks of the scope, and those of `also` that share a word; the notes name the engine."""
        return _first(
            lambda: self._typesense.search(question, limit, also, within),
            lambda: self._duckdb.search(question, limit, also, within),
        )

    def content_words(self, text: str) -> list[str]:
        """The words that are not stop words."""
        return self._duckdb.content_words(text)

    def word_weights(self, question: str) -> dict[str, float]:
        """The question's stemmed words with their inverse document frequencies."""
        return self._duckdb.word_weights(question)

    def stems(self, texts: Sequence[str]) -> list[set[str]]:
        """The stemmed words of each text."""
        return self._duckdb.stems(texts)

    def knows(self, words: Sequence[str]) -> set[str]:
        """Those of the words that the snapshot has."""
        return self._duckdb.knows(words)

    def nearest_word(self, word: str, max_edits: int) -> str | None:
        """The snapshot's nearest word."""
        return self._duckdb.nearest_word(word, max_edits)


class VectorEngine:
    """The vector search of one snapshot: Typesense's, or else DuckDB's."""

    def __init__(self, typesense: TypesenseVector, duckdb: VectorIndex) -> None:
        self._typesense = typesense
        self._duckdb = duckdb

    def search(self, vector: Vector, limit: int, within: Scope | None = None) -> Ranking:
        """The nearest chunks of the scope; the notes name the engine."""
        return _first(
            lambda: self._typesense.search(vector, limit, within),
            lambda: self._duckdb.search(vector, limit, within),
        )

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The cosine of each of these chunks, best first."""
        return self._duckdb.scores(vector, chunk_ids)


class Engine:
    """The searches of one snapshot over one connection. Thread-safe."""

    def __init__(self, index: Index, cluster: Cluster, options: EngineOptions) -> None:
        self._connection = Connection(cluster)
        collection = Collection(self._connection, options.names.collection(index.name), index.snapshot)
        self.keyword = KeywordEngine(
            TypesenseKeyword(collection, index.keyword, options.synonyms, options.keyword), index.keyword
        )
        self.vector: VectorEngine | VectorIndex = index.vector
        if options.vectors:
            typesense = TypesenseVector(collection, index.vector, options.hnsw_from_chunks)
            self.vector = VectorEngine(typesense, index.vector)

    def close(self) -> None:
        """Let go of the connection; the index stays open."""
        self._connection.close()


def _first(typesense: Callable[[], list[Hit]], duckdb: Callable[[], list[Hit]]) -> Ranking:
    """Typesense's answer, or DuckDB's with a note why."""
    try:
        return Ranking(typesense(), {"engine": "typesense"})
    except TypesenseError as error:
        return Ranking(duckdb(), {"engine": "duckdb", "degraded": f"typesense: {error.reason}"})

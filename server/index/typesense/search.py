"""Typesense with DuckDB behind it: whatever happens to the one, retrieval goes on with the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest

import numpy as np

from server.index.search import Index, KeywordIndex, Vector, VectorIndex, chunks_within, expanded
from server.index.snapshot import Snapshot
from server.index.text import Concept, Synonym
from server.index.typesense.connection import Cluster, Connection, SearchAnswer, TypesenseError, TypesenseHit
from server.index.typesense.schema import QUERY_BY, VECTOR, Names, filter_by
from server.models import Hit, Ranking, Scope

MOST_AT_ONCE = 250  # hits that Typesense gives in one answer


class Collection:
    """Searches the collection of one snapshot.

    Every answer tells how many documents there are, so one that is half filled is never used.
    """

    def __init__(self, connection: Connection, name: str, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._connection = connection
        self._name = name

    def search(
        self,
        searches: Sequence[Mapping[str, str]],
        limit: int,
        within: Scope | None,
        common: Mapping[str, int] | None = None,
    ) -> list[list[TypesenseHit]]:
        """What each search brings of the scope, `limit` hits at most, best first; `TypesenseError`."""
        where = filter_by(within, self.snapshot)
        every = {"collection": self._name, "include_fields": "id"} | ({"filter_by": where} if where else {})
        bodies = [{**every, **search} for search in searches]
        found: list[list[TypesenseHit]] = [[] for _ in searches]
        for page, size in _pages(limit):
            answers = self._connection.search(bodies, {**(common or {}), "per_page": size, "page": page})
            for hits, answer in zip(found, answers, strict=True):
                self._require_ours(answer)
                hits.extend(answer.found)
            if all(len(answer.found) < size for answer in answers):
                break
        return [hits[:limit] for hits in found]

    def _require_ours(self, answer: SearchAnswer) -> None:
        chunks = self.snapshot.manifest.chunks
        if answer.documents != chunks:
            raise TypesenseError(
                f"the collection {self._name} has {answer.documents} of {chunks} documents", ill=False
            )
        if not all(0 <= hit.chunk_id < chunks for hit in answer.found):
            raise TypesenseError(f"the collection {self._name} is of another snapshot", ill=False)


def _pages(limit: int) -> Iterator[tuple[int, int]]:
    """The pages, counted from 1, that hold `limit` hits, and the size of one."""
    size = min(limit, MOST_AT_ONCE)
    return ((page, size) for page in range(1, -(-limit // size) + 1)) if size else iter(())


# So many times as many candidates as are wanted, as far as one answer holds them: of many chunks with a word,
# Typesense does not know which ones BM25 would put first.
WIDER = 5


@dataclass(frozen=True, slots=True)
class KeywordOptions:
    """How much a match in each of `QUERY_BY` weighs (0 to 127), and how many typing errors may be."""

    weights: tuple[int, ...] = (3, 2, 1, 2, 2, 1)
    num_typos: int = 2


class TypesenseKeyword(KeywordIndex):
    """The keyword search of one snapshot: Typesense's, or else the snapshot's own, with a note why.

    Typesense's own score packs the number of matching words, typing errors and fields into one integer, and
    knows no word frequencies: it is no share of anything, and cannot be fused. So what it finds, by words, by
    synonyms and in spite of typing errors, is scored by the snapshot's BM25, just as what DuckDB finds.
    """

    def __init__(
        self, collection: Collection, index: Index, synonyms: Iterable[Synonym], options: KeywordOptions
    ) -> None:
        super().__init__(index.snapshot, index.text, synonyms)
        self._collection = collection
        self._options = options

    def search(
        self,
        question: str,
        limit: int,
        also: Sequence[int] = (),
        within: Scope | None = None,
        said: Mapping[str, str] | None = None,
    ) -> Ranking:
        """The `limit` best chunks of the scope, and those of `also` that share a word, best first.

        The notes name the engine: DuckDB where Typesense does not answer, or has not the whole snapshot.
        """
        concepts = self.concepts(question, said)
        as_typed = question
        for phrase, means in (said or {}).items():
            as_typed = as_typed.replace(means, phrase)
        try:
            found = self._found([question, as_typed], concepts, limit, also, within)
        except TypesenseError as error:
            own = super().search(question, limit, also, within, said)
            return Ranking(own, {**_by_duckdb(error), **own.notes})
        return Ranking(found, {**BY_TYPESENSE, **expanded(concepts)})

    def _found(
        self,
        lines: Sequence[str],
        concepts: Sequence[Concept],
        limit: int,
        also: Sequence[int],
        within: Scope | None,
    ) -> list[Hit]:
        """What the lines bring together, scored by the concepts."""
        wide = max(limit, min(WIDER * limit, MOST_AT_ONCE))
        worded = dict.fromkeys(tuple(self._text.content_words(line)) for line in lines)
        brought = (self._candidates(words, wide, within) for words in worded if words)
        found = list(dict.fromkeys(chain.from_iterable(brought)))
        scores = self.scores(concepts, [*found, *also], within)
        ranked = _best_first(_scored([i for i in found if i in scores], scores))[:limit]
        known = {hit.chunk_id for hit in ranked}
        more = [Hit(i, scores[i]) for i in dict.fromkeys(also) if i not in known and scores.get(i)]
        return _best_first([*ranked, *more])

    def _candidates(self, words: Sequence[str], limit: int, within: Scope | None) -> list[int]:
        """Chunk ids, those that Typesense thinks best first.

        It wants all words at once, then leaves out the last, the last two and so on. So it is asked twice: in
        the question's order, in which synonyms of several words are found, and with the rarest word first,
        which is then left out last. Where both bring too few, it is asked for each word alone.
        """
        rarest = self._text.rarest_first(words)
        queries = dict.fromkeys([" ".join(words), " ".join(rarest)])
        found = self._ask([query for query in queries if query], limit, within)
        if len(found) < limit and len(rarest) > 1:
            found = list(dict.fromkeys([*found, *self._ask(rarest, limit, within)]))
        return found

    def _ask(self, queries: Sequence[str], limit: int, within: Scope | None) -> list[int]:
        """What the queries bring, by turns, each once."""
        searches = [{**self._common(), "q": query} for query in queries]
        rankings = self._collection.search(searches, limit, within, {"drop_tokens_threshold": limit})
        by_turns = chain.from_iterable(zip_longest(*rankings))
        return list(dict.fromkeys(hit.chunk_id for hit in by_turns if hit is not None))

    def _common(self) -> Mapping[str, str]:
        return {
            "query_by": ",".join(QUERY_BY),
            "query_by_weights": ",".join(str(weight) for weight in self._options.weights),
            "num_typos": str(self._options.num_typos),
            "prefix": "false",
        }


def _scored(found: Sequence[int], scores: Mapping[int, float]) -> list[Hit]:
    """The chunks that were found, with their scores.

    One that shares no word with the question, in whatever wording, was found in spite of a typing error: it
    comes after all that do, the one found earlier before the one found later.
    """
    least = min((scores[i] for i in found if scores[i]), default=1.0)
    return [Hit(i, scores[i] or least / (rank + 1)) for rank, i in enumerate(found, 1)]


def _best_first(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))


EF = 500  # how many neighbours HNSW keeps in view, as in the snapshot (index/snapshot.py)


class TypesenseVector(VectorIndex):
    """The vector search of one snapshot: Typesense's, or else the snapshot's own, with a note why.

    Cosines of chunks that are known by id come from the snapshot. Up to `hnsw_from_chunks` chunks in the
    scope, Typesense is told to look at every one of them.
    """

    def __init__(self, collection: Collection, index: Index, hnsw_from_chunks: int) -> None:
        super().__init__(index.snapshot, hnsw_from_chunks)
        self.tokens = index.vector.tokens  # none, where they are another model's
        self._collection = collection
        self._hnsw_from_chunks = hnsw_from_chunks

    def search(self, vector: Vector, limit: int, within: Scope | None = None) -> Ranking:
        """The `limit` chunks of the scope nearest to a unit `vector` of shape (dims,), best first.

        A score is a cosine. The notes name the engine.
        """
        try:
            return Ranking(self._found(vector, limit, within), BY_TYPESENSE)
        except TypesenseError as error:
            return Ranking(super().search(vector, limit, within), _by_duckdb(error))

    def _found(self, vector: Vector, limit: int, within: Scope | None) -> list[Hit]:
        """`TypesenseError` also for chunks from outside the scope, or fewer than there are: HNSW may lose its
        way in a narrow one."""
        numbers = ",".join(f"{x:.8f}" for x in vector.tolist())  # no exponents
        query = f"{VECTOR}:([{numbers}], k:{limit}, ef:{EF}, flat_search_cutoff:{self._hnsw_from_chunks})"
        [found] = self._collection.search([{"q": "*", "vector_query": query}], limit, within)
        self._require_all_of([hit.chunk_id for hit in found], limit, within)
        return sorted((_hit(hit) for hit in found), key=lambda hit: (-hit.score, hit.chunk_id))

    def _require_all_of(self, found: Sequence[int], limit: int, within: Scope | None) -> None:
        """What DuckDB makes of the scope counts, whatever Typesense made of its filter."""
        snapshot, there = self._collection.snapshot, self._collection.snapshot.manifest.chunks
        if within is not None:
            inside = chunks_within(snapshot, within)
            there = len(inside)
            outside = len(found) - int(np.isin(found, inside).sum())
            if outside:
                raise TypesenseError(f"brought {outside} chunks from outside the scope", ill=False)
        if len(found) < min(limit, there):
            raise TypesenseError(f"brought {len(found)} of {min(limit, there)} nearest neighbours", ill=False)


def _hit(found: TypesenseHit) -> Hit:
    if found.distance is None:
        raise TypesenseError("gave an answer that cannot be read")
    return Hit(found.chunk_id, 1.0 - found.distance)


BY_TYPESENSE = {"engine": "typesense"}


def _by_duckdb(error: TypesenseError) -> dict[str, str]:
    return {"engine": "duckdb", "degraded": f"typesense: {error.reason}"}


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Which searches Typesense does, and how: keyword search always, vector search with `vectors`."""

    names: Names
    vectors: bool = False
    keyword: KeywordOptions = field(default_factory=KeywordOptions)
    synonyms: tuple[Synonym, ...] = ()
    hnsw_from_chunks: int = 100_000


class Engine:
    """The searches of one snapshot over one connection. Thread-safe."""

    def __init__(self, index: Index, cluster: Cluster, options: EngineOptions) -> None:
        self._connection = Connection(cluster)
        collection = Collection(self._connection, options.names.collection(index.name), index.snapshot)
        self.keyword = TypesenseKeyword(collection, index, options.synonyms, options.keyword)
        self.vector = index.vector
        if options.vectors:
            self.vector = TypesenseVector(collection, index, options.hnsw_from_chunks)

    def close(self) -> None:
        """Let go of the connection; the index stays open."""
        self._connection.close()

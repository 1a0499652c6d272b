"""The searches of one snapshot: BM25 by words, cosine by meaning, each within a scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from server.errors import SnapshotError
from server.index.late_interaction import TokenIndex, TokenVectors
from server.index.snapshot import DatabaseError, Snapshot
from server.index.text import SYNONYM_WEIGHT, Concept, Expansion, Synonym, TextAnalysis
from server.models import Hit, Ranking, Scope

# The manifest's parameter that names the projection of the snapshot's words' vectors.
PROJECTION = "late_interaction"

Ids = npt.NDArray[np.int32]
Scores = npt.NDArray[np.floating[Any]]


def best(scores: Scores, ids: Ids, limit: int) -> list[Hit]:
    """The `limit` chunks with the highest scores, best first, equals by id. Both have shape (n,)."""
    if limit < len(ids):
        least = np.partition(scores, -limit)[-limit]
        near = scores >= least  # more than the limit where several share the last place
        scores, ids = scores[near], ids[near]
    order = np.lexsort((ids, -scores))[:limit]
    return [Hit(int(ids[i]), float(scores[i])) for i in order]


@dataclass(frozen=True, slots=True)
class Condition:
    """What stands behind WHERE, about `pages`, and the values of its question marks."""

    sql: str
    parameters: tuple[Any, ...]


# A page without a topic, or without a sub-topic, may be about anything: it is never left out.
_TOPICS = """
(topic IS NULL OR list_contains(?::VARCHAR[], topic)
 OR list_contains(?::VARCHAR[], concat_ws('/', topic, subtopic)))
"""
# The first ten characters of an ISO 8601 time are its day; days compare as text.
_DAY = "left(coalesce(modified, published), 10)"


def page_conditions(scope: Scope) -> list[Condition]:
    """The conditions that a page must meet, all of them; none when the scope limits nothing."""
    found = [
        scope.topics is not None and _topics(scope.topics),
        scope.sites and Condition("list_contains(?::VARCHAR[], host)", (list(scope.sites),)),
        scope.prefix and Condition("starts_with(url, ?)", (scope.prefix,)),
        scope.lang and Condition("(lang IS NULL OR lang = ?)", (scope.lang,)),
        scope.since and Condition(f"{_DAY} >= ?", (scope.since,)),
        scope.until and Condition(f"{_DAY} <= ?", (scope.until,)),
        not scope.archived and Condition("NOT archived", ()),
    ]
    return [condition for condition in found if isinstance(condition, Condition)]


def chunks_within(snapshot: Snapshot, scope: Scope) -> Ids:
    """The ids of a scope's chunks, ascending; shape (n,)."""
    conditions = page_conditions(scope)
    where = " AND ".join(condition.sql for condition in conditions) or "true"
    return snapshot.column(
        f"SELECT chunk_id FROM chunks JOIN pages USING (page_id) WHERE {where} ORDER BY chunk_id",  # noqa: S608 - ours
        [value for condition in conditions for value in condition.parameters],
    )


def _topics(topics: Mapping[str, Sequence[str]]) -> Condition:
    whole = [topic for topic, subtopics in topics.items() if not subtopics]
    parts = [
        "/".join(part)
        for topic, subtopics in topics.items()
        if subtopics
        for part in ((topic,), *((topic, subtopic) for subtopic in subtopics))
    ]
    return Condition(_TOPICS, (whole, parts))


class KeywordIndex:
    """BM25F (`server/index/fields.py`) over what chunks say and what is said of their pages.

    A question's concept scores by the wording that suits a chunk best: by its own words, or by a synonym's
    for `SYNONYM_WEIGHT` of what those weigh, and never by both.
    """

    def __init__(self, snapshot: Snapshot, text: TextAnalysis, synonyms: Iterable[Synonym] = ()) -> None:
        self._snapshot = snapshot
        self._text = text
        own = (Synonym(*row) for row in snapshot.synonyms)
        self._expansion = Expansion([*synonyms, *own], text)
        self._chunks = snapshot.manifest.chunks
        self._postings = snapshot.postings

    def search(
        self,
        question: str,
        limit: int,
        also: Sequence[int] = (),
        within: Scope | None = None,
        said: Mapping[str, str] | None = None,
    ) -> Ranking:
        """The `limit` best chunks of the scope, and those of `also` that share a word, best first.

        `said` has the visitor's words for which the question has an editor's; they are looked for, too. A
        score is ≥ 0, and the same in any scope: words weigh what they weigh in the whole snapshot. The notes
        tell the wordings that were looked for beside the question's own.
        """
        concepts = self.concepts(question, said)
        scores = self._scores(concepts)
        matching = np.flatnonzero(scores).astype(np.int32)
        if within is not None:
            matching = np.intersect1d(matching, chunks_within(self._snapshot, within), assume_unique=True)
        first = [hit.chunk_id for hit in best(scores[matching], matching, limit)]
        ids = np.intersect1d(matching, np.array([*first, *also], dtype=np.int32))
        return Ranking(best(scores[ids], ids, len(ids)), expanded(concepts))

    def concepts(self, question: str, said: Mapping[str, str] | None = None) -> list[Concept]:
        """What the question is about, each with those of its other wordings that the snapshot has."""
        found = self._expansion.of(question, said)
        known = self._text.postings(
            [stem for one in found for other in one.others.values() for stem in other]
        )
        return [
            replace(
                one,
                others={name: own for name, own in one.others.items() if all(known[s].chunks for s in own)},
            )
            for one in found
        ]

    def scores(
        self, concepts: Sequence[Concept], chunk_ids: Sequence[int], within: Scope | None = None
    ) -> dict[int, float]:
        """The score of each of these chunks of the scope; one that has no word of the concepts scores 0."""
        named = np.unique(np.asarray(chunk_ids, dtype=np.int64))
        ids = named[(named >= 0) & (named < self._chunks)].astype(np.int32)
        if within is not None:
            ids = np.intersect1d(ids, chunks_within(self._snapshot, within), assume_unique=True)
        return dict(zip(ids.tolist(), self._scores(concepts)[ids].tolist(), strict=True))

    def _scores(self, concepts: Sequence[Concept]) -> npt.NDArray[np.float64]:
        """The score of every chunk, by chunk id; shape (chunks,)."""
        scores = np.zeros(self._chunks)
        for one in concepts:
            if not one.others:
                self._add(one.stems, 1.0, scores)
                continue
            best_of = self._add(one.stems, 1.0, np.zeros(self._chunks))
            for other in one.others.values():
                np.maximum(best_of, self._add(other, SYNONYM_WEIGHT, np.zeros(self._chunks)), out=best_of)
            scores += best_of
        return scores

    def _add(
        self, stems: Sequence[str], share: float, to: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """A share of what the stems weigh, added to every chunk they stand in."""
        for term in self._text.postings(stems).values():
            postings = self._postings[term.first : term.first + term.chunks]
            to[postings["chunk_id"]] += share * postings["weight"]  # a chunk has one posting of a term
        return to


def expanded(concepts: Sequence[Concept]) -> dict[str, Any]:
    """For the trace: what was looked for beside the words asked."""
    found = {one.asked: list(one.others) for one in concepts if one.others}
    return {"expanded": found} if found else {}


# DuckDB's HNSW index answers only `ORDER BY array_cosine_distance(…) LIMIT`, and serves a bare distance only:
# with `1 - array_cosine_distance(…)` beside it, it is passed over.
_HNSW = """
SELECT chunk_id, 1 - distance AS cosine FROM (
    SELECT chunk_id, array_cosine_distance(embedding, ?::FLOAT[{dims}]) AS distance FROM vectors
    ORDER BY distance LIMIT ?
) ORDER BY cosine DESC, chunk_id
"""
# Row by row, by NumPy's own loop: as fast as BLAS, whose threads would keep a core from the next question.
_COSINES = "ij,j->i"

Vector = npt.NDArray[np.float32]


class VectorIndex:
    """The vectors of one snapshot."""

    def __init__(self, snapshot: Snapshot, hnsw_from_chunks: int) -> None:
        self._snapshot = snapshot
        self.tokens = TokenIndex(snapshot.folder, snapshot.manifest.chunks)
        self.uses_hnsw = snapshot.manifest.chunks >= hnsw_from_chunks

    def search(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The `limit` chunks nearest to a unit `vector` of shape (dims,), best first. A score is −1 to 1.

        HNSW takes its nearest first and filters afterwards, so within a scope the scan is always exact.
        """
        if within is None and self.uses_hnsw:
            return self.hnsw(vector, limit)
        return self.exact(vector, limit, within)

    def exact(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The true nearest, by looking at every vector."""
        cosines = np.einsum(_COSINES, self._snapshot.vectors, vector)
        if within is None:
            return best(cosines, np.arange(len(cosines), dtype=np.int32), limit)
        ids = chunks_within(self._snapshot, within)
        return best(cosines[ids], ids, limit)

    def hnsw(self, vector: Vector, limit: int) -> list[Hit]:
        """Nearly always the nearest, by the graph (Malkov & Yashunin 2016)."""
        rows = self._snapshot.rows(_HNSW.format(dims=len(vector)), [vector.tolist(), limit])
        return [Hit(*row) for row in rows]

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The cosine of each of these chunks, best first; an unknown one is left out."""
        ids = np.unique(np.asarray(chunk_ids, dtype=np.int32))
        ids = ids[(ids >= 0) & (ids < len(self._snapshot.vectors))]
        return best(np.einsum(_COSINES, self._snapshot.vectors[ids], vector), ids, len(ids))

    def forget_tokens(self) -> None:
        """From now on no chunk has words' vectors: those at hand are another model's."""
        self.tokens = TokenIndex()

    def late_interaction(self, tokens: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """How well each of these chunks matches a question's words, (tokens, token dims), best first.

        Empty where the snapshot has no words' vectors.
        """
        ranked = sorted(self.tokens.scores(tokens, chunk_ids).items(), key=lambda item: (-item[1], item[0]))
        return [Hit(*item) for item in ranked]


class Index:
    """One opened snapshot folder: its passages, its two searches, its words. Thread-safe."""

    def __init__(
        self,
        folder: Path,
        *,
        threads: int = 2,
        hnsw_from_chunks: int = 100_000,
        synonyms: Iterable[Synonym] = (),
    ) -> None:
        self.snapshot = Snapshot(folder, threads)
        try:
            self.text = TextAnalysis(self.snapshot)
            self.keyword = KeywordIndex(self.snapshot, self.text, synonyms)
            self.vector = VectorIndex(self.snapshot, hnsw_from_chunks)
        except (DatabaseError, SnapshotError) as error:
            self.snapshot.close()
            raise SnapshotError(
                f"The snapshot {self.name!r} does not hold what a snapshot should; roll back or index again."
            ) from error

    @property
    def name(self) -> str:
        """The snapshot's name."""
        return self.snapshot.name

    def require_embedder(self, name: str, sha256: str, projection: str = "") -> None:
        """A question embedded by another model than the chunks would find nonsense: `SnapshotError`.

        Where but the `projection` (its SHA-256) is another one, words' vectors are left aside.
        """
        manifest = self.snapshot.manifest
        if manifest.embedder_sha256 != sha256:
            other = "another model file of it is here now, as after an upgrade"
            if name != manifest.embedder:
                other = f"{name!r} is configured (LODGE_EMBEDDER)"
            raise SnapshotError(
                f"The snapshot {self.name!r} was built with the embedder {manifest.embedder!r}, but {other}. "
                "Run `lodge index` again, or set it back."
            )
        if manifest.parameters.get(PROJECTION, "") != projection:
            self.vector.forget_tokens()

    def warm_up(self) -> None:
        """Read once what every question reads, so that no visitor waits for the disk."""
        nothing = np.zeros(self.snapshot.manifest.dims, dtype=np.float32)
        self.vector.search(nothing, 1)
        self.keyword.search("library", 1)
        self.snapshot.passages([0])

    def stored_vectors(self, hashes: list[int]) -> dict[int, tuple[Vector, TokenVectors]]:
        """The vectors of chunks whose text has one of these hashes, and those of their words, by hash."""
        rows = self.snapshot.rows(
            "SELECT text_hash, chunk_id FROM vectors WHERE text_hash IN (SELECT unnest(?::UBIGINT[]))",
            [hashes],
        )
        return {key: (self.snapshot.vectors[id_], self.vector.tokens.of(id_)) for key, id_ in rows}

    def close(self) -> None:
        """Let go of the files."""
        self.snapshot.close()

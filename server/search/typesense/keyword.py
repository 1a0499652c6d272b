"""Keyword search by Typesense: it finds the candidates, and the snapshot's BM25 says how good each is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from server.records import Hit, Scope
from server.search.keyword import KeywordIndex
from server.search.synonyms import Synonym, Wordings
from server.search.typesense.collection import MOST_AT_ONCE, Collection
from server.search.typesense.schema import QUERY_BY

# So many times as many candidates as are wanted, as far as one answer holds them: of many chunks with a word,
# Typesense does not know which ones BM25 would put first.
WIDER = 5


@dataclass(frozen=True, slots=True)
class KeywordOptions:
    """How much a match in title, heading and text weighs (0 to 127), and how many typing errors may be."""

    weights: tuple[int, ...] = (3, 2, 1)
    num_typos: int = 2


class TypesenseKeyword:
    """The keyword search of one snapshot.

    Typesense's own score packs the number of matching words, typing errors and fields into one integer, and
    knows no word frequencies: it is no share of anything, and cannot be fused. So what it finds, by words, by
    synonyms and in spite of typing errors, is scored by the snapshot's BM25, just as what DuckDB finds.
    """

    def __init__(
        self,
        collection: Collection,
        index: KeywordIndex,
        synonyms: Iterable[Synonym] = (),
        options: KeywordOptions | None = None,
    ) -> None:
        self._collection = collection
        self._index = index
        self._wordings = Wordings(synonyms, index.content_stems)
        self._options = options or KeywordOptions()

    def search(
        self, question: str, limit: int, also: Sequence[int] = (), within: Scope | None = None
    ) -> list[Hit]:
        """The `limit` best chunks of the scope, and those of `also` that share a word, best first.

        `TypesenseError` when Typesense does not answer, or its collection is not the whole snapshot.
        """
        words = self._index.content_words(question)
        wide = max(limit, min(WIDER * limit, MOST_AT_ONCE))
        found = self._candidates(words, wide, within) if words else []
        scores = self._index.scores(self._wordings.of(question), [*found, *also], within)
        ranked = _best_first(_scored([i for i in found if i in scores], scores))[:limit]
        known = {hit.chunk_id for hit in ranked}
        more = [Hit(i, scores[i]) for i in dict.fromkeys(also) if i not in known and scores.get(i)]
        return _best_first([*ranked, *more])

    def _candidates(self, words: list[str], limit: int, within: Scope | None) -> list[int]:
        """Chunk ids, those that Typesense thinks best first.

        It wants all words at once, then leaves out the last, the last two and so on. So it is asked twice: in
        the question's order, in which synonyms of several words are found, and with the rarest word first,
        which is then left out last. Where both bring too few, it is asked for each word alone.
        """
        rarest = self._index.rarest_first(words)
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

"""Full-text search: Okapi BM25 over stemmed words, and the nearest known word to a misspelt one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from server.records import Hit, Scope
from server.search.filters import chunk_condition
from server.search.snapshot import Snapshot
from server.search.words import CHAT_WORDS, Stems, words

# `postings` holds each word's BM25 weight in each chunk, computed when the snapshot was built (build.py).
# Sorted by word, so a question reads only its own words' rows.
_SEARCH = """
WITH scored AS (
    SELECT chunk_id, sum(weight) AS score FROM postings
    WHERE termid IN (SELECT termid FROM fts_main_chunks.dict WHERE term IN (SELECT unnest(?::VARCHAR[])))
    AND {condition}
    GROUP BY chunk_id
)
(SELECT chunk_id, score FROM scored ORDER BY score DESC, chunk_id LIMIT ?)
UNION
(SELECT chunk_id, score FROM scored WHERE chunk_id IN (SELECT unnest(?::INTEGER[])))
ORDER BY score DESC, chunk_id
"""


class KeywordIndex:
    """BM25 (k1 = 1.2, b = 0.75; Robertson & Zaragoza 2009) over title, heading and text."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._stems = Stems()
        stop_words = {word for (word,) in snapshot.rows("SELECT sw FROM fts_main_chunks.stopwords")}
        self._stop_words = stop_words | CHAT_WORDS
        self._chunks = snapshot.manifest.chunks

    def search(
        self, question: str, limit: int, also: Sequence[int] = (), within: Scope | None = None
    ) -> list[Hit]:
        """The `limit` best chunks of the scope, and those of `also` that share a word, best first.

        A score is ≥ 0, and the same in any scope: words weigh what they weigh in the whole snapshot.
        """
        condition = chunk_condition(within)
        rows = self._snapshot.rows(
            _SEARCH.format(condition=condition.sql),
            [self._content_stems(question), *condition.parameters, limit, list(also)],
        )
        return [Hit(*row) for row in rows]

    def word_weights(self, question: str) -> dict[str, float]:
        """The question's stemmed words without stop words, each with its inverse document frequency, ≥ 0."""
        stems = self._content_stems(question)
        sql = "SELECT term, df FROM fts_main_chunks.dict WHERE term IN (SELECT unnest(?::VARCHAR[]))"
        frequencies: dict[str, int] = dict(self._snapshot.rows(sql, [stems]))
        return {stem: math.log1p(self._chunks / (frequencies.get(stem, 0) + 0.5)) for stem in stems}

    def stems(self, texts: Sequence[str]) -> list[set[str]]:
        """The stemmed words of each text, as the index would store them."""
        return [set(self._stems.of(words(text))) for text in texts]

    def knows(self, words: Sequence[str]) -> set[str]:
        """Those of the lower-case `words` that stand somewhere in the snapshot."""
        sql = "SELECT word FROM words WHERE word IN (SELECT unnest(?::VARCHAR[]))"
        return {word for (word,) in self._snapshot.rows(sql, [list(words)])}

    def nearest_word(self, word: str, max_edits: int) -> str | None:
        """The known word within `max_edits` (Damerau–Levenshtein): the nearest, then the commonest.

        A typist seldom misses the first letter, so of two equally near words the one that keeps it is taken.
        """
        rows = self._snapshot.rows(
            "SELECT word FROM (SELECT word, chunks, damerau_levenshtein(word, $1) AS edits FROM words "
            "WHERE abs(length(word) - length($1)) <= $2) "
            "WHERE edits <= $2 ORDER BY edits, word[1] <> $1[1], chunks DESC, word LIMIT 1",
            [word, max_edits],
        )
        return rows[0][0] if rows else None

    def content_words(self, text: str) -> list[str]:
        """The words that are not stop words, in lower case and in their order."""
        return [word for word in words(text) if word not in self._stop_words]

    def _content_stems(self, text: str) -> list[str]:
        """The stems of the content words, each once."""
        return list(dict.fromkeys(self._stems.of(self.content_words(text))))

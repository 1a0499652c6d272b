"""Full-text search: Okapi BM25 over stemmed words, and the nearest known word to a misspelt one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from server.index.filters import Ids, best, chunks_within
from server.index.snapshot import Snapshot, placeholders
from server.index.text import CHAT_WORDS, Stems, words
from server.models import Hit, Scope

# An edit changes at most two of the letters that a word is made of: few words are left to compare in earnest.
# `edits <= $2` in the query would undo this: DuckDB would filter by the dearest comparison first.
_NEAREST = """
SELECT word, damerau_levenshtein(word, $1) AS edits FROM words
WHERE abs(length(word) - length($1)) <= $2 AND bit_count(xor(letters, $3::UINTEGER)) <= 2 * $2
ORDER BY edits, word[1] <> $1[1], chunks DESC, word LIMIT 1
"""

MOST_REMEMBERED = 10_000  # terms: a question's own are asked for twice, and common ones by every question


@dataclass(frozen=True, slots=True)
class Term:
    """Where the postings of a stemmed word begin, and how many there are: one for each chunk that has it."""

    first: int = 0
    chunks: int = 0


class KeywordIndex:
    """BM25 (k1 = 1.2, b = 0.75; Robertson & Zaragoza 2009) over title, heading and text."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._stems = Stems()
        stop_words = {word for (word,) in snapshot.rows("SELECT sw FROM fts_main_chunks.stopwords")}
        self._stop_words = stop_words | CHAT_WORDS
        self._chunks = snapshot.manifest.chunks
        self._postings = snapshot.postings
        self._remembered: dict[str, Term] = {}

    def search(
        self, question: str, limit: int, also: Sequence[int] = (), within: Scope | None = None
    ) -> list[Hit]:
        """The `limit` best chunks of the scope, and those of `also` that share a word, best first.

        A score is ≥ 0, and the same in any scope: words weigh what they weigh in the whole snapshot.
        """
        scores = self._scores(self.content_stems(question))
        matching = np.flatnonzero(scores).astype(np.int32)
        if within is not None:
            matching = np.intersect1d(matching, chunks_within(self._snapshot, within), assume_unique=True)
        first = [hit.chunk_id for hit in best(scores[matching], matching, limit)]
        ids = np.intersect1d(matching, np.array([*first, *also], dtype=np.int32))
        return best(scores[ids], ids, len(ids))

    def scores(
        self, wordings: Sequence[Sequence[str]], chunk_ids: Sequence[int], within: Scope | None = None
    ) -> dict[int, float]:
        """The BM25 of each of these chunks of the scope, by the wording of the question that suits it best.

        A wording is its stems (`content_stems`); a chunk that has none of them scores 0.
        """
        named = np.unique(np.asarray(chunk_ids, dtype=np.int64))
        ids = named[(named >= 0) & (named < self._chunks)].astype(np.int32)
        if within is not None:
            ids = np.intersect1d(ids, chunks_within(self._snapshot, within), assume_unique=True)
        terms = self._terms(list(dict.fromkeys(stem for wording in wordings for stem in wording)))
        weights = {stem: self._weights(term, ids) for stem, term in terms.items()}
        scores = np.zeros(len(ids))
        for wording in wordings:
            scores = np.maximum(scores, sum((weights[stem] for stem in wording), np.zeros(len(ids))))
        return dict(zip(ids.tolist(), scores.tolist(), strict=True))

    def word_weights(self, question: str) -> dict[str, float]:
        """The question's stemmed words without stop words, each with its inverse document frequency, ≥ 0."""
        terms = self._terms(self.content_stems(question))
        return {stem: math.log1p(self._chunks / (term.chunks + 0.5)) for stem, term in terms.items()}

    def stems(self, texts: Sequence[str]) -> list[set[str]]:
        """The stemmed words of each text, as the index would store them."""
        return [set(self._stems.of(words(text))) for text in texts]

    def knows(self, words: Sequence[str]) -> set[str]:
        """Those of the lower-case `words` that stand somewhere in the snapshot."""
        sql = f"SELECT word FROM words WHERE word IN ({placeholders(words)})"  # noqa: S608 - question marks
        return {word for (word,) in self._snapshot.rows(sql, words)}

    def nearest_word(self, word: str, max_edits: int) -> str | None:
        """The known word within `max_edits` (Damerau–Levenshtein): the nearest, then the commonest.

        A typist seldom misses the first letter, so of two equally near words the one that keeps it is taken.
        """
        rows = self._snapshot.rows(_NEAREST, [word, max_edits, _letters(word)])
        return rows[0][0] if rows and rows[0][1] <= max_edits else None

    def content_words(self, text: str) -> list[str]:
        """The words that are not stop words, in lower case and in their order."""
        return [word for word in words(text) if word not in self._stop_words]

    def content_stems(self, text: str) -> list[str]:
        """The stems of the content words, each once."""
        return list(dict.fromkeys(self._stems.of(self.content_words(text))))

    def rarest_first(self, some: Sequence[str]) -> list[str]:
        """Those of the lower-case words that the snapshot has in some form, the rarest first, each once."""
        stems = dict(zip(some, self._stems.of(some), strict=True))
        terms = self._terms(list(stems.values()))
        known = [word for word, stem in stems.items() if terms[stem].chunks]
        return sorted(known, key=lambda word: terms[stems[word]].chunks)

    def _scores(self, stems: Sequence[str]) -> npt.NDArray[np.float64]:
        """The BM25 score of every chunk, by chunk id; shape (chunks,)."""
        scores = np.zeros(self._chunks)
        for term in self._terms(stems).values():
            postings = self._postings[term.first : term.first + term.chunks]
            scores[postings["chunk_id"]] += postings["weight"]  # a chunk has one posting of a term
        return scores

    def _weights(self, term: Term, ids: Ids) -> npt.NDArray[np.float64]:
        """What the term weighs in each of these chunks, 0 where it does not stand; shape (len(ids),)."""
        postings = self._postings[term.first : term.first + term.chunks]
        if not len(postings):
            return np.zeros(len(ids))
        places = np.searchsorted(postings["chunk_id"], ids).clip(max=len(postings) - 1)
        stands = postings["chunk_id"][places] == ids
        return np.where(stands, postings["weight"][places], 0.0).astype(np.float64)

    def _terms(self, stems: Sequence[str]) -> dict[str, Term]:
        """Each stem's postings, in the order of the stems; of one that the snapshot has not, none."""
        terms = {stem: self._remembered.get(stem) for stem in stems}
        new = [stem for stem, term in terms.items() if term is None]
        sql = f"SELECT term, first, chunks FROM terms WHERE term IN ({placeholders(new)})"  # noqa: S608 - question marks
        found = {term: Term(*row) for term, *row in (self._snapshot.rows(sql, new) if new else ())}
        if len(self._remembered) > MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered.update({stem: found.get(stem, Term()) for stem in new})
        return {stem: term or found.get(stem, Term()) for stem, term in terms.items()}


def _letters(word: str) -> int:
    """A bit for each of the letters a to z that the word has, as `words.letters` of the snapshot."""
    return sum(1 << (ord(letter) - ord("a")) for letter in set(word) if "a" <= letter <= "z")

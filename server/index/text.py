"""Text to index terms: the same words that DuckDB's full-text index makes, what they weigh, and synonyms."""

from __future__ import annotations

import math
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import Stemmer  # type: ignore[import-not-found]  # PyStemmer ships no types

from server.errors import BadInputError
from server.index.snapshot import Snapshot, placeholders
from server.toml_files import read_toml

# Words that say nothing, as people type them into a box, beside the full-text index's own stop words.
_CHAT = """
wat wut wen wher whre hwo whats whens wheres whos hows im ive u ur ya yall pls plz please thx thanks gonna
wanna gotta dont doesnt cant isnt hi hello hey ok lol idk btw
"""
CHAT_WORDS = frozenset(_CHAT.split())
_OTHER = re.compile(r"[^a-z0-9]+")


class Stems:
    """Porter's stemmer (1980), as DuckDB's `stem(word, 'porter')`. Thread-safe: each thread has its own."""

    def __init__(self) -> None:
        self._local = threading.local()

    def of(self, words: Iterable[str]) -> list[str]:
        """Each word's stem."""
        stemmer = getattr(self._local, "stemmer", None)
        if stemmer is None:
            stemmer = self._local.stemmer = Stemmer.Stemmer("porter")
        stems: list[str] = stemmer.stemWords(list(words))
        return stems


def words(text: str) -> list[str]:
    """Lower-case words and numbers, without accents: "Résumé, 9 a.m." → resume, 9, a, m."""
    plain = text if text.isascii() else _without_accents(text)
    return _OTHER.sub(" ", plain.lower()).split()


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


# An edit changes at most two of the letters that a word is made of: few words are left to compare in earnest.
# `edits <= $2` in the query would undo this: DuckDB would filter by the dearest comparison first.
_NEAREST = """
SELECT word, damerau_levenshtein(word, $1) AS edits FROM words
WHERE abs(length(word) - length($1)) <= $2 AND bit_count(xor(letters, $3::UINTEGER)) <= 2 * $2
ORDER BY edits, word[1] <> $1[1], chunks DESC, word LIMIT 1
"""

MOST_REMEMBERED = 10_000  # terms: a question's own are asked for twice, and common ones by every question


@dataclass(frozen=True, slots=True)
class PostingList:
    """Where the postings of a stemmed word begin, and how many there are: one for each chunk that has it."""

    first: int = 0
    chunks: int = 0


class TextAnalysis:
    """The words of one snapshot: how a text becomes index terms, what they weigh, which words there are.

    Thread-safe. A search by words goes by it, and so does whoever compares texts as the search would.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._stems = Stems()
        stop_words = {word for (word,) in snapshot.rows("SELECT sw FROM fts_main_chunks.stopwords")}
        self._stop_words = stop_words | CHAT_WORDS
        self._chunks = snapshot.manifest.chunks
        self._remembered: dict[str, PostingList] = {}

    def word_weights(self, question: str) -> dict[str, float]:
        """The question's stemmed words without stop words, each with its inverse document frequency, ≥ 0."""
        terms = self.postings(self.content_stems(question))
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
        terms = self.postings(list(stems.values()))
        known = [word for word, stem in stems.items() if terms[stem].chunks]
        return sorted(known, key=lambda word: terms[stems[word]].chunks)

    def postings(self, stems: Sequence[str]) -> dict[str, PostingList]:
        """Each stem's postings, in the order of the stems; of one that the snapshot has not, none."""
        terms = {stem: self._remembered.get(stem) for stem in stems}
        new = [stem for stem, term in terms.items() if term is None]
        sql = f"SELECT term, first, chunks FROM terms WHERE term IN ({placeholders(new)})"  # noqa: S608 - question marks
        found = {term: PostingList(*row) for term, *row in (self._snapshot.rows(sql, new) if new else ())}
        if len(self._remembered) > MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered.update({stem: found.get(stem, PostingList()) for stem in new})
        return {stem: term or found.get(stem, PostingList()) for stem, term in terms.items()}


def _letters(word: str) -> int:
    """A bit for each of the letters a to z that the word has, as `words.letters` of the snapshot."""
    return sum(1 << (ord(letter) - ord("a")) for letter in set(word) if "a" <= letter <= "z")


_KEYS = frozenset({"words", "asked", "also", "why"})
_TAKES = "it takes either words, two or more, or asked with also"
MOST_WORDINGS = 20


@dataclass(frozen=True, slots=True)
class Synonym:
    """Words or phrases that mean the same; with `asked`, only that one means the others too."""

    words: tuple[str, ...]
    asked: str | None = None

    def phrases(self) -> tuple[str, ...]:
        """All of them."""
        return self.words if self.asked is None else (self.asked, *self.words)

    def pairs(self) -> list[tuple[str, str]]:
        """Each phrase that may stand in a question, with one that may stand for it."""
        asked = self.words if self.asked is None else (self.asked,)
        return [(phrase, other) for phrase in asked for other in self.words if other != phrase]


def load_synonyms(path: Path) -> tuple[Synonym, ...]:
    """The groups of a file, in its order; a `BadInputError` names the group that is wrong, counted from 1."""
    try:
        found = read_toml(path)
    except OSError:
        raise BadInputError(f"The synonyms {path} cannot be read.") from None
    except ValueError as error:
        raise BadInputError(f"The synonyms {path} are not TOML: {error}.") from None
    entries = found.pop("synonym", [])
    if found or not isinstance(entries, list):
        raise BadInputError(f"The synonyms {path} may hold nothing but [[synonym]] entries.")
    return tuple(_synonym(entry, f"Synonym {number} of {path}") for number, entry in enumerate(entries, 1))


def _synonym(entry: Any, name: str) -> Synonym:
    if not isinstance(entry, dict):
        raise BadInputError(f"{name} is not a table.")
    if unknown := sorted(set(entry) - _KEYS):
        raise BadInputError(f"{name} has {', '.join(unknown)}; it takes: {', '.join(sorted(_KEYS))}.")
    if ("words" in entry) == ("asked" in entry) or ("asked" in entry) != ("also" in entry):
        raise BadInputError(f"{name} is not clear: {_TAKES}.")
    if "asked" in entry:
        return Synonym(_phrases(entry["also"], 1, name), _phrases([entry["asked"]], 1, name)[0])
    return Synonym(_phrases(entry["words"], 2, name))


def _phrases(value: Any, least: int, name: str) -> tuple[str, ...]:
    """A list of that many different phrases at least, without space around them."""
    if not isinstance(value, list) or not all(isinstance(phrase, str) for phrase in value):
        raise BadInputError(f"{name} has {value!r} where a list of words in quotes belongs.")
    phrases = tuple(dict.fromkeys(" ".join(phrase.split()) for phrase in value))
    if len(phrases) < least or "" in phrases:
        raise BadInputError(f"{name} has too few words or an empty one: {_TAKES}.")
    return phrases


def usable(phrase: str, content: Sequence[str]) -> bool:
    """Whether a phrase still means what it did when only its content words are looked for.

    "cost of attendance" does; of "sign up", with only "sign" left, nobody can tell.
    """
    return len(set(content)) > 1 or (len(content) == 1 and len(words(phrase)) == 1)


class Wordings:
    """Says a question in other words: each time with one phrase of it replaced by one that means the same.

    `stems_of` turns a text into its stems, without stop words, as the index has them.
    """

    def __init__(self, synonyms: Iterable[Synonym], stems_of: Callable[[str], Sequence[str]]) -> None:
        self._stems_of = stems_of
        pairs = [pair for synonym in synonyms for pair in synonym.pairs()]
        stems = {phrase: tuple(stems_of(phrase)) for pair in pairs for phrase in pair}
        good = [pair for pair in pairs if all(usable(phrase, stems[phrase]) for phrase in pair)]
        self._pairs = [(stems[phrase], stems[other]) for phrase, other in good]

    def of(self, question: str) -> list[tuple[str, ...]]:
        """The question's stems as asked, then those of each other wording; `MOST_WORDINGS` at most."""
        asked = tuple(self._stems_of(question))
        others = (_replaced(asked, phrase, other) for phrase, other in self._pairs)
        return list(dict.fromkeys([asked, *(found for found in others if found)]))[:MOST_WORDINGS]


def _replaced(stems: tuple[str, ...], phrase: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The stems with the first occurrence of the phrase replaced; nothing when it does not occur."""
    for start in range(len(stems) - len(phrase) + 1):
        if stems[start : start + len(phrase)] == phrase:
            return tuple(dict.fromkeys(stems[:start] + other + stems[start + len(phrase) :]))
    return ()

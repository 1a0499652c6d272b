"""Text to index terms: the same words that DuckDB's full-text index makes, what they weigh, and synonyms."""

from __future__ import annotations

import math
import re
import threading
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import Stemmer  # type: ignore[import-not-found]  # PyStemmer ships no types

from server.errors import BadInputError
from server.index.snapshot import Snapshot, placeholders
from server.lexicons import any_of, lexicon
from server.toml_files import read_toml

# Words that say nothing, as people type them into a box, beside the full-text index's own stop words.
_CHAT = """
wat wut wen wher whre hwo whats whens wheres whos hows im ive u ur ya yall pls plz please thx thanks gonna
wanna gotta dont doesnt cant isnt hi hello hey ok lol idk btw
"""
CHAT_WORDS = frozenset(_CHAT.split())


def spanish_stop_words() -> frozenset[str]:
    """Spanish words that say nothing, in lower case and without accents."""
    return lexicon("spanish").words("stop_words")


_OTHER = re.compile(r"[^a-z0-9]+")


class Stems:
    """Porter's stemmer (1980) and Snowball's Spanish one, as DuckDB's `stem`. Thread-safe."""

    def __init__(self) -> None:
        self._local = threading.local()

    def of(self, words: Iterable[str], stemmer: str = "porter") -> list[str]:
        """Each word's stem, by "porter" or "spanish"."""
        own = getattr(self._local, stemmer, None)
        if own is None:
            own = Stemmer.Stemmer(stemmer)
            setattr(self._local, stemmer, own)
        stems: list[str] = own.stemWords(list(words))
        return stems


def words(text: str) -> list[str]:
    """Lower-case words and numbers, without accents: "Résumé of a Ph.D., 9" → resume, of, a, phd, 9."""
    plain = text if text.isascii() else _without_accents(text)
    return _OTHER.sub(" ", searchable(plain).lower()).split()


def searchable(text: str) -> str:
    """A text with abbreviations and codes in one form, however they are written.

    "Ph. D." is "PhD" and "U.S." is "US"; "F-1" is "F1"; "CSE101" is "CSE 101". An index is made of texts in
    this form, and a question is taken apart in it.
    """
    if not _MAY_BE_CODED.search(text):
        return text
    joined = _dotted().sub(lambda match: "".join(filter(str.isalpha, match.group())), text)
    return _GLUED.sub(r"\1 \2", _HYPHENED.sub(r"\1\2", joined))


_MAY_BE_CODED = re.compile(r"[A-Za-z]\.\s?[A-Za-z]|[A-Za-z]-?[0-9]|[0-9]-[A-Za-z]")
_HYPHENED = re.compile(r"\b([A-Za-z](?=-[0-9])|[0-9]{3,4}(?=-[A-Za-z]\b))-([0-9]{1,4}[A-Za-z]?|[A-Za-z])\b")
_GLUED = re.compile(r"\b([A-Za-z]{2,5})([0-9]{2,4}[A-Za-z]?)\b")


@cache
def _dotted() -> re.Pattern[str]:
    parts = (r"\.\s?".join(phrase.split()) for phrase in lexicon("abbreviations")["parts"])
    return re.compile(rf"(?<![A-Za-z.])(?:{any_of(parts)}|[a-z](?:\.[a-z])+)(?![A-Za-z])\.?", re.IGNORECASE)


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


# An edit changes at most two of the letters that a word is made of: few words are left to compare in earnest.
# `edits <= $2` in the query would undo this: DuckDB would filter by the dearest comparison first.
_NEAREST = """
SELECT word, damerau_levenshtein(word, $1) AS edits FROM words
WHERE abs(length(word) - length($1)) <= $2 AND bit_count(xor(letters, $3::UINTEGER)) <= 2 * $2
ORDER BY edits, word[1] <> $1[1], chunks DESC, word LIMIT $4
"""

MOST_REMEMBERED = 10_000  # terms: a question's own are asked for twice, and common ones by every question


@dataclass(frozen=True, slots=True)
class PostingList:
    """Where a stemmed word's postings begin, and how many there are: one for each chunk it tells of.

    `frequency` is in how many chunks it stands themselves, and not in what is said of their pages alone.
    """

    first: int = 0
    chunks: int = 0
    frequency: int = 0


class TextAnalysis:
    """The words of one snapshot: how a text becomes index terms, what they weigh, which words there are.

    Thread-safe. A search by words goes by it, and so does whoever compares texts as the search would.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._stems = Stems()
        stop_words = {word for (word,) in snapshot.rows("SELECT sw FROM fts_main_chunks.stopwords")}
        self._stop_words = stop_words | CHAT_WORDS
        self._spanish = spanish_stop_words() if snapshot.stems_spanish else frozenset()
        self._frequency = "frequency" if snapshot.stems_by_language else "chunks"
        self._chunks = snapshot.manifest.chunks
        self._remembered: dict[str, PostingList] = {}

    def word_weights(self, question: str) -> dict[str, float]:
        """The question's stemmed words without stop words, each with its inverse document frequency, ≥ 0."""
        terms = self.postings(self.content_stems(question))
        return {stem: math.log1p(self._chunks / (term.frequency + 0.5)) for stem, term in terms.items()}

    def stems(self, texts: Sequence[str]) -> list[set[str]]:
        """The stemmed words of each text, as the index would store them."""
        return [set(self._stems.of(*self._split(text))) for text in texts]

    def knows(self, words: Sequence[str]) -> set[str]:
        """Those of the lower-case `words` that stand somewhere in the snapshot."""
        sql = f"SELECT word FROM words WHERE word IN ({placeholders(words)})"  # noqa: S608 - question marks
        return {word for (word,) in self._snapshot.rows(sql, words)}

    def knows_a_form(self, words: Sequence[str]) -> set[str]:
        """Those of the lower-case `words` that stand there with some ending: "dorms" where "dorm" does."""
        stems = self._stems.of(words)
        terms = self.postings(list(dict.fromkeys(stems)))
        return {word for word, stem in zip(words, stems, strict=True) if terms[stem].chunks}

    def nearest_words(self, word: str, max_edits: int, most: int = 1) -> list[str]:
        """The known words within `max_edits` (Damerau–Levenshtein): the nearest first, then the commonest.

        A typist seldom misses the first letter: of two equally near words the one that keeps it comes first.
        """
        rows = self._snapshot.rows(_NEAREST, [word, max_edits, _letters(word), most])
        return [known for known, edits in rows if edits <= max_edits]

    def content_words(self, text: str) -> list[str]:
        """The words that are not stop words, in lower case and in their order."""
        return self._content(text)[0]

    def content_stems(self, text: str) -> list[str]:
        """The stems of the content words, each once."""
        return list(self.stemmed(text))

    def stemmed(self, text: str) -> dict[str, str]:
        """The stems of the content words in their order, each with the first word that has it."""
        found: dict[str, str] = {}
        content, stemmer = self._content(text)
        for word, stem in zip(content, self._stems.of(content, stemmer), strict=True):
            found.setdefault(stem, word)
        return found

    def _content(self, text: str) -> tuple[list[str], str]:
        found, stemmer = self._split(text)
        stop_words = self._spanish if stemmer == "spanish" else self._stop_words
        return [word for word in found if word not in stop_words], stemmer

    def _split(self, text: str) -> tuple[list[str], str]:
        """A text's words and who stems them: for Spanish, which its small words tell, and where the snapshot
        has pages in it, the Spanish stemmer."""
        found = words(text)
        spanish = sum(word in self._spanish and word not in self._stop_words for word in found)
        english = sum(word in self._stop_words and word not in self._spanish for word in found)
        return found, "spanish" if spanish > english else "porter"

    def rarest_first(self, some: Sequence[str]) -> list[str]:
        """Those of the lower-case words that the snapshot has in some form, the rarest first, each once."""
        stems = dict(zip(some, self._stems.of(some), strict=True))
        terms = self.postings(list(stems.values()))
        known = [word for word, stem in stems.items() if terms[stem].chunks]
        return sorted(known, key=lambda word: terms[stems[word]].frequency)

    def postings(self, stems: Sequence[str]) -> dict[str, PostingList]:
        """Each stem's postings, in the order of the stems; of one that the snapshot has not, none."""
        terms = {stem: self._remembered.get(stem) for stem in stems}
        new = [stem for stem, term in terms.items() if term is None]
        columns = f"term, first, chunks, {self._frequency}"
        sql = f"SELECT {columns} FROM terms WHERE term IN ({placeholders(new)})"  # noqa: S608 - question marks
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
# What a synonym's match is worth beside one of the word itself (scripts/research/retrieval/fit_fields.py).
SYNONYM_WEIGHT = 0.7


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


@dataclass(frozen=True, slots=True)
class Concept:
    """Words of a question that stand together for one thing: as `asked`, their `stems`, and the stems of each
    other wording that the pages may have for it."""

    asked: str
    stems: tuple[str, ...]
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


# A run of a question's stems that an editor has put there, the visitor's phrase, and the stems of that.
Worded = tuple[tuple[str, ...], str, tuple[str, ...]]


class Expansion:
    """Finds a question's concepts, by synonyms.

    A phrase stands in a question where the stems of its words do, stop words left out, and each word of the
    question begins as the phrase's: "graduate" has the stem of "graduation", and does not mean it.
    """

    def __init__(self, synonyms: Iterable[Synonym], text: TextAnalysis) -> None:
        self._text = text
        self._known: dict[tuple[str, ...], tuple[list[str], dict[str, tuple[str, ...]]]] = {}
        for phrase, other in (pair for synonym in synonyms for pair in synonym.pairs()):
            asked, meant = text.content_words(phrase), text.content_words(other)
            if usable(phrase, asked) and usable(other, meant):
                _, others = self._known.setdefault(tuple(text.stemmed(phrase)), (asked, {}))
                others[other] = tuple(text.stemmed(other))
        self._longest = max(map(len, self._known), default=1)

    def of(self, question: str, said: Mapping[str, str] | None = None) -> list[Concept]:
        """Its concepts in their order, longer phrases before shorter ones.

        `said` has visitors' words for which the question has an editor's: where those stand, the visitors'
        are another wording. A stem counts once: what is asked for, or is another wording of an earlier
        concept, is not looked for as another wording again.
        """
        asked = self._text.stemmed(question)
        stems, taken, found = list(asked), set(asked), list[Concept]()
        worded = self._worded(stems, said or {})
        longest = max((self._longest, *(len(run) for run, *_ in worded)))
        while stems:
            concept = self._first(stems[:longest], asked, taken, worded)
            taken.update(stem for other in concept.others.values() for stem in other)
            del stems[: len(concept.stems)]
            found.append(concept)
        return found

    def _worded(self, stems: Sequence[str], said: Mapping[str, str]) -> list[Worded]:
        """For each wording the longest run of the question's stems that an editor has put there."""
        found = []
        for phrase, means in said.items():
            meant, own = self._text.stemmed(means), tuple(self._text.stemmed(phrase))
            runs = [tuple(run) for is_meant, run in groupby(stems, meant.__contains__) if is_meant]
            if runs and usable(phrase, self._text.content_words(phrase)):
                found.append((max(runs, key=len), phrase, own))
        return found

    def _first(
        self, stems: Sequence[str], asked: Mapping[str, str], taken: Collection[str], worded: Sequence[Worded]
    ) -> Concept:
        """The longest phrase that the stems begin with, or the first of them alone."""
        for length in range(len(stems), 0, -1):
            key = tuple(stems[:length])
            phrase, known = self._known.get(key, ([], {}))
            said = [asked[stem] for stem in key]
            others = known if known and all(map(_begins_as, said, phrase)) else {}
            if others or any(run == key for run, *_ in worded):
                others = others | {
                    name: (*(stem for stem in key if stem not in run), *own)
                    for run, name, own in worded
                    if set(run) <= set(key)
                }
                elsewhere = set(taken).difference(key)
                new = {
                    name: tuple(stem for stem in own if stem not in elsewhere) for name, own in others.items()
                }
                return Concept(
                    " ".join(said), key, {name: own for name, own in new.items() if own and own != key}
                )
        return Concept(asked[stems[0]], (stems[0],))


def _begins_as(word: str, phrase_word: str) -> bool:
    """Whether a word is the phrase's with no more than another ending: "applied" is "apply"."""
    return word.startswith(phrase_word.rstrip("ey"))

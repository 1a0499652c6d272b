"""How the stand-in finds documents: a small part of what Typesense does, after its manual and its source.

A search wants every word in some field. Where that brings too few it leaves out words from the right, then
from the left; a word that is nowhere is looked for with typing errors. Ranks go by how many words match, then
by the weight of the field, as in Typesense's own packed score, which knows no word frequencies.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import Stemmer  # type: ignore[import-not-found]  # PyStemmer ships no types

Document = Mapping[str, Any]


class RefusedError(Exception):
    """A search that Typesense would not do: its status and its words."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def tokens(text: str, separators: Sequence[str]) -> list[str]:
    """Lower-case words without accents. A sign that is no separator is dropped, and joins what it parted."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    for separator in separators:
        plain = plain.replace(separator, " ")
    dropped = set(string.punctuation)
    words = ("".join(c for c in word if c not in dropped) for word in plain.split())
    return [word for word in words if word]


@dataclass
class Words:
    """The stemmed words of a collection's fields: word → document id → field → how often."""

    separators: Sequence[str]
    postings: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")

    def stems(self, text: str) -> list[str]:
        return list(self._stemmer.stemWords(tokens(text, self.separators)))

    def add(self, document: Document, fields: Sequence[str]) -> None:
        for name in fields:
            for stem in self.stems(document.get(name, "")):
                counts = self.postings.setdefault(stem, {}).setdefault(document["id"], {})
                counts[name] = counts.get(name, 0) + 1

    def near(self, word: str, num_typos: int) -> list[str]:
        """Known words within so many typing errors: one for 4 letters or more, two for 7 or more."""
        most = min(num_typos, 0 if len(word) < 4 else 1 if len(word) < 7 else 2)
        found = [(edits(word, known, most), known) for known in self.postings if most]
        return [known for distance, known in sorted(found) if distance <= most][:4]


def edits(a: str, b: str, most: int) -> int:
    """Damerau–Levenshtein (optimal string alignment) distance, or anything above `most`."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    rows = [list(range(len(b) + 1))]
    for i, left in enumerate(a, 1):
        row = [i]
        for j, right in enumerate(b, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


@dataclass(frozen=True)
class TextQuery:
    """The parameters of a search for words."""

    q: str
    fields: Sequence[str]
    weights: Sequence[int]
    num_typos: int
    drop_tokens_threshold: int
    words_asked: int = 15  # a synonym of more words than the question has counts as what it stands for


def text_search(
    words: Words,
    query: TextQuery,
    synonyms: Sequence[tuple[Sequence[str], Sequence[str]]],
    allowed: Callable[[str], bool],
) -> list[tuple[str, int]]:
    """Document ids with their packed scores, best first. `synonyms` are stems and what may replace them."""
    asked = words.stems(query.q)
    query = replace(query, words_asked=len(asked))
    variants = [asked, *(v for a, b in synonyms if (v := _replaced(asked, list(a), list(b))) is not None)]
    scores: dict[str, int] = {}
    for variant in variants:
        _collect(words, variant, [], query, allowed, scores)
    for variant in variants:
        for kept, dropped in _dropped(variant):
            if len(scores) >= query.drop_tokens_threshold:
                break
            _collect(words, kept, dropped, query, allowed, scores)
    return sorted(scores.items(), key=lambda item: (-item[1], -int(item[0])))


def _dropped(variant: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The words less the last, less the last two …, then less the first, less the first two …"""
    for cut in range(len(variant) - 1, 0, -1):
        yield variant[:cut], variant[cut:]
    for cut in range(1, len(variant)):
        yield variant[cut:], variant[:cut]


def _replaced(asked: list[str], phrase: list[str], other: list[str]) -> list[str] | None:
    for start in range(len(asked) - len(phrase) + 1):
        if phrase and asked[start : start + len(phrase)] == phrase:
            return asked[:start] + other + asked[start + len(phrase) :]
    return None


def _collect(  # noqa: PLR0917
    words: Words,
    wanted: list[str],
    dropped: list[str],
    query: TextQuery,
    allowed: Callable[[str], bool],
    scores: dict[str, int],
) -> None:
    """Score the documents that have every wanted word, or one near it; a word near nothing is let go."""
    choices = [[w] if w in words.postings else words.near(w, query.num_typos) for w in wanted]
    choices = [choice for choice in choices if choice]
    if not choices:
        return
    groups = [set().union(*(words.postings[w] for w in choice)) for choice in choices]
    for found in set.intersection(*groups):
        if allowed(found):
            score = _packed(words, found, choices, dropped, query)
            scores[found] = max(score, scores.get(found, 0))


def _packed(words: Words, found: str, choices: list[list[str]], dropped: list[str], query: TextQuery) -> int:
    """[4 bits: words that match | 48: the best field's own | 8: its weight | 3: how many fields match]."""
    best, weight, fields = 0, 0, 0
    for name, its_weight in zip(query.fields, query.weights, strict=True):
        here = sum(any(name in words.postings[w].get(found, {}) for w in choice) for choice in choices)
        fields += bool(here)
        if (here, its_weight) > (best, weight) and here:
            best, weight = here, its_weight
    matching = len(choices) + sum(found in words.postings.get(w, {}) for w in dropped)
    matching, best = min(matching, query.words_asked, 15), min(best, query.words_asked)
    return matching << 59 | best << 11 | min(weight, 255) << 3 | min(fields, 7)


_CONDITION = re.compile(r"(\w+):=(\[[^\]]*\]|\S+)")


def parse_filter(text: str, types: Mapping[str, str]) -> Callable[[Document], bool]:
    """`a:=[1,3..5] && b:=false`: conditions on numbers and truths, all of which must hold."""
    conditions = [_condition(part.strip(), types) for part in text.split("&&")] if text else []
    return lambda document: all(condition(document) for condition in conditions)


def _condition(text: str, types: Mapping[str, str]) -> Callable[[Document], bool]:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise RefusedError(400, "Could not parse the filter query.")
    name, value = match.groups()
    if name not in types:
        raise RefusedError(404, f"Could not find a filter field named `{name}` in the schema.")
    if types[name] == "bool":
        if value not in ("true", "false"):
            raise RefusedError(400, f"Value of filter field `{name}` must be `true` or `false`.")
        return lambda document: document[name] is (value == "true")
    ranges = [_range(part, name, types[name]) for part in value.strip("[]").split(",")]

    def holds(document: Document) -> bool:
        found = document[name] if isinstance(document[name], list) else [document[name]]
        return any(low <= number <= high for number in found for low, high in ranges)

    return holds


def _range(text: str, name: str, kind: str) -> tuple[int, int]:
    low, dots, high = text.strip().partition("..")
    try:
        return int(low), int(high if dots else low)
    except ValueError:
        raise RefusedError(
            400, f"Error with filter field `{name}`: Not an {kind.removesuffix('[]')}."
        ) from None


_VECTOR = re.compile(r"(\w+):\(\[([^\]]*)\](?:,\s*(.*))?\)")


@dataclass(frozen=True)
class VectorQuery:
    """`field:([numbers], k:10, …)`."""

    name: str
    vector: list[float]
    k: int


def parse_vector_query(text: str) -> VectorQuery:
    match = _VECTOR.fullmatch(text)
    if match is None:
        raise RefusedError(400, "Malformed vector query string.")
    name, numbers, rest = match.groups()
    options = dict(part.split(":", 1) for part in (rest or "").replace(" ", "").split(",") if part)
    if unknown := set(options) - {"k", "ef", "flat_search_cutoff"}:
        raise RefusedError(400, f"Malformed vector query string: {', '.join(unknown)}.")
    for option, value in options.items():
        if not value.isdigit():
            raise RefusedError(
                400, f"Malformed vector query string: `{option}` parameter must be an integer."
            )
    return VectorQuery(name, [float(number) for number in numbers.split(",")], int(options.get("k", 10)))


def nearest(
    query: VectorQuery, documents: Mapping[str, Document], allowed: Callable[[str], bool]
) -> list[tuple[str, float]]:
    """Document ids with their cosine distances, the nearest first."""
    ids = [i for i in documents if allowed(i)]
    if not ids:
        return []
    vectors = np.array([documents[i][query.name] for i in ids], dtype=np.float32)
    wanted = np.array(query.vector, dtype=np.float32)
    if vectors.shape[1] != wanted.shape[0]:
        raise RefusedError(400, f"Query field `{query.name}` must have {vectors.shape[1]} dimensions.")
    cosines = vectors @ wanted / (np.linalg.norm(vectors, axis=1) * (np.linalg.norm(wanted) or 1.0))
    ranked = sorted(zip(ids, (1.0 - cosines).tolist(), strict=True), key=lambda pair: pair[1])
    return ranked[: query.k]

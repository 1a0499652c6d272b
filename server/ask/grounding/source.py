"""A text as the check reads it: its facts, its words, and where each of them stands.

A fact is what is right or wrong to the letter, in a form that can be compared.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Any, Literal

from server.ask.grounding.dates import (
    Day,
    SeasonTerm,
    Time,
    Weekdays,
    Years,
    days,
    months,
    terms,
    times,
    weekdays,
    years,
)
from server.ask.grounding.evidence import blank_planted, is_planted
from server.ask.grounding.names import Code, Name, NameIndex, course_codes, names, place_codes
from server.ask.grounding.quantities import Quantity, quantities
from server.ask.grounding.spans import Email, Phone, Span, Url, blanked, emails, phones, urls
from server.ask.ports import SnapshotText
from server.models import Passage
from server.sentences import letters, sentences

FactKind = Literal[
    "e-mail", "url", "phone", "date", "time", "code", "term", "year", "weekday", "money", "number", "name"
]
Value = Email | Url | Phone | Day | Time | Code | SeasonTerm | Years | Weekdays | Quantity | Name

# In this order: what one has read is hidden from the next, so that no number is counted twice.
_READERS: tuple[tuple[FactKind, Callable[[str], Iterable[Span[Any]]]], ...] = (
    ("e-mail", emails),
    ("url", urls),
    ("phone", phones),
    ("date", days),
    ("time", times),
    ("code", course_codes),
    ("term", terms),
    ("date", months),
    ("year", years),
    ("code", place_codes),
    ("weekday", weekdays),
    ("number", quantities),
    ("name", names),
)
_MONEY = frozenset("$€£")


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact as it is written, `text`, from `start` to `end`, and what it comes to."""

    kind: FactKind
    text: str
    value: Value
    start: int
    end: int


def facts_of(text: str) -> list[Fact]:
    """Every fact of the text, in its order."""
    found: list[Fact] = []
    hidden = text
    for kind, reader in _READERS:
        here = [_fact(kind, text, one) for one in reader(hidden)]
        hidden = blanked(hidden, ((fact.start, fact.end) for fact in here))
        found += here
    return sorted(found, key=lambda fact: fact.start)


def _fact(kind: FactKind, text: str, one: Span[Any]) -> Fact:
    money = isinstance(one.value, Quantity) and one.value.unit in _MONEY
    return Fact("money" if money else kind, text[one.start : one.end].strip(), one.value, one.start, one.end)


_WORD = re.compile(r"[^\W_]+")
_CELL = re.compile(r";\s")
_CLAUSE = re.compile(r"[,()–—]\s|\s[–—(]|\b(?:but|and|or|while|whereas)\s")
SUBJECT = " — "  # what stands before it in a table row says what the row is about (server/ingest/chunk.py)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a word stands: line, sentence of the text, cell of the row, clause, and its count from the start.

    `subject`: before the dash of a table row; line 0 is the title and the headings.
    """

    line: int
    sentence: int
    cell: int
    clause: int
    count: int
    subject: bool


@dataclass(frozen=True, slots=True)
class WordToken:
    """A word, its stem and its place in the text."""

    word: str
    stem: str
    start: int
    place: Place


class Source:
    """One text with everything that is looked for in it. A passage's title and headings are its first
    line.
    """

    def __init__(self, text: str, words: SnapshotText, passage: Passage | None = None) -> None:
        self.text = text
        self.passage = passage
        self._words = words

    @classmethod
    def of(cls, passage: Passage, words: SnapshotText) -> Source:
        """A passage, led in by its title and headings; what is planted in it is no source of anything."""
        above = [part for part in (passage.title, passage.heading) if part and not is_planted(part)]
        return cls(f"{' · '.join(above)}\n{blank_planted(passage.text)}", words, passage)

    @property
    def body(self) -> int:
        """Where a passage's own text begins."""
        return len(self.text) - len(self.passage.text) if self.passage else 0

    @cached_property
    def facts(self) -> list[Fact]:
        """Everything in it that can be compared to the letter."""
        return facts_of(self.text)

    @cached_property
    def names(self) -> NameIndex:
        """Its words, to look names up in."""
        return NameIndex(self.text)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Its sentences and lines; the first is a passage's title and headings."""
        return sentences(self.text)

    @property
    def lead(self) -> str:
        """A passage's title and headings."""
        return self.text[: max(self.body - 1, 0)]

    @cached_property
    def by_sentence(self) -> list[list[WordToken]]:
        """The words of each sentence and line."""
        found: dict[int, list[WordToken]] = {}
        for token in self.tokens:
            found.setdefault(token.place.sentence, []).append(token)
        return list(found.values())

    @cached_property
    def sentences(self) -> list[list[str]]:
        """The stems of each sentence and line."""
        return [[token.stem for token in tokens] for tokens in self.by_sentence]

    @cached_property
    def tokens(self) -> list[WordToken]:
        """Its words in order."""
        found = [(match.group(), match.start()) for match in _WORD.finditer(self.text)]
        stems = stems_of([word for word, _ in found], self._words)
        places = _places(self.text, self.spans, [start for _, start in found])
        return [
            WordToken(word, stem, start, place)
            for stem, (word, start), place in zip(stems, found, places, strict=True)
        ]

    def quotes(self, text: str) -> bool:
        """Whether the text is one or several whole sentences, lines or cells of a passage, to the letter."""
        wanted = letters(text)
        written, edges = self._letters
        at = written.find(wanted) if wanted else -1
        while at >= 0:
            if at in edges and at + len(wanted) in edges:
                return True
            at = written.find(wanted, at + 1)
        return False

    @cached_property
    def _letters(self) -> tuple[str, frozenset[int]]:
        """A passage's own letters and digits, and where among them sentences, lines and cells begin or
        end.
        """
        cuts = sorted(
            {self.body, len(self.text), *chain.from_iterable(self.spans), *_marks(_CELL.finditer(self.text))}
        )
        pieces = [letters(self.text[a:b]) for a, b in pairwise(cuts) if a >= self.body]
        return "".join(pieces), frozenset(accumulate(map(len, pieces), initial=0))

    @cached_property
    def given(self) -> frozenset[str]:
        """The stems of a passage's title and headings."""
        return frozenset(token.stem for token in self.tokens if token.start < self.body)

    @cached_property
    def by_stem(self) -> dict[str, list[Place]]:
        """Every place of each stem."""
        found: dict[str, list[Place]] = {}
        for token in self.tokens:
            found.setdefault(token.stem, []).append(token.place)
        return found

    def starts_of(self, stem: str) -> list[int]:
        """Where each word of a stem begins."""
        return [token.start for token in self.tokens if token.stem == stem]

    def place_at(self, start: int) -> Place:
        """The place of the first word that begins at a character or after it, else of the last."""
        i = bisect_left(self._starts, start)
        return self.tokens[min(i, len(self.tokens) - 1)].place

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start for token in self.tokens]


def stems_of(found: Sequence[str], words: SnapshotText) -> list[str]:
    """The stem of each word, in order; what has none is its own."""
    plain = [_plain(word) for word in found]
    unique = list(dict.fromkeys(plain))
    stems = {word: min(stems, default=word) for word, stems in zip(unique, words.stems(unique), strict=True)}
    return [stems[word] for word in plain]


def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFD", word.lower())
    return "".join(c for c in letters if not unicodedata.combining(c))


def _places(text: str, spans: Sequence[tuple[int, int]], starts: Sequence[int]) -> list[Place]:
    lines = _marks(re.finditer(r"\n", text))
    cells, clauses = _marks(_CELL.finditer(text)), _marks(_CLAUSE.finditer(text))
    begins = [start for start, _ in spans]
    subjects = _subjects(text)
    return [
        Place(
            bisect_right(lines, start),
            bisect_right(begins, start),
            bisect_right(cells, start),
            bisect_right(clauses, start),
            count,
            any(first <= start < last for first, last in subjects),
        )
        for count, start in enumerate(starts)
    ]


def _marks(matches: Iterable[re.Match[str]]) -> list[int]:
    return [match.end() for match in matches]


def _subjects(text: str) -> list[tuple[int, int]]:
    """The spans before the dash of each table row."""
    found, offset = [], 0
    for line in text.split("\n"):
        before, mark, _ = line.partition(SUBJECT)
        if mark:
            found.append((offset, offset + len(before)))
        offset += len(line) + 1
    return found

"""Other wordings of a question, by what a snapshot knows of words: synonyms and the texts of links.

They are for the search alone, so that a rough one does no harm: "when are the dorms open" is also looked for
as "when are the residence halls open".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from server.index.search import KeywordIndex
from server.index.snapshot import Snapshot
from server.index.text import Concept, TextAnalysis

# A link text that has less of what the question's words weigh is about something else.
LEAST_SHARED = 0.4
MOST_LINK_TEXTS = 50_000  # of a snapshot


@dataclass(frozen=True, slots=True)
class LinkText:
    """A link's text, its stems, and what they weigh together."""

    text: str
    stems: frozenset[str]
    weight: float


class Wordings:
    """Other wordings over one snapshot. Thread-safe."""

    def __init__(self, snapshot: Snapshot, text: TextAnalysis, keyword: KeywordIndex) -> None:
        self._snapshot = snapshot
        self._text = text
        self._keyword = keyword

    def of(self, question: str, most: int, said: Mapping[str, str] | None = None) -> list[str]:
        """At most so many, each once: as the visitor said it where an editor's words stand for it, by
        synonyms, and with the link text beside it that shares most with it."""
        found = dict.fromkeys(self._all(question, said or {}))
        return list(islice((one for one in found if one.casefold() != question.casefold()), most))

    def synonyms_of(self, question: str) -> list[tuple[frozenset[str], frozenset[str]]]:
        """Stems of the question, each time with those of another wording that the snapshot has for them."""
        return [
            (frozenset(one.stems), frozenset(other))
            for one in self._keyword.concepts(question)
            for other in one.others.values()
        ]

    def as_in(self, question: str) -> Callable[[str], str]:
        """What puts the question in a text's own words: "dorms with AC" where that has "air conditioning".

        A word that the text has stays, and so does one that it has no synonym of.
        """
        concepts = [one for one in self._keyword.concepts(question) if one.others]

        def worded(text: str) -> str:
            found, [stems] = question, self._text.stems([text])
            for one in concepts:
                if stems.issuperset(one.stems):
                    continue
                other = next((name for name, own in one.others.items() if stems.issuperset(own)), None)
                if other:
                    found = _with_other(found, one, other)
            return found

        return worded if concepts else lambda _: question

    def _all(self, question: str, said: Mapping[str, str]) -> Iterator[str]:
        yield as_said(question, said)
        by_synonyms = [*self._by_synonyms(question)]
        yield from by_synonyms[:1]
        if link := self._nearest_link(question):
            yield f"{question} {link}"
        yield from by_synonyms[1:]

    def _by_synonyms(self, question: str) -> Iterator[str]:
        """The question with the first synonym of everything that has one, then with the second, and so on."""
        concepts = [one for one in self._keyword.concepts(question) if one.others]
        for n in range(max((len(one.others) for one in concepts), default=0)):
            yield with_synonyms(question, concepts, n)

    def _nearest_link(self, question: str) -> str | None:
        """The link text that shares most with the question, has words beside, and is about the same."""
        weights = self._text.word_weights(question)
        whole = sum(weights.values())
        best, found = 0.0, None
        for link in self._links if whole else ():
            shared = link.stems & weights.keys()
            if not shared or len(shared) == len(link.stems):
                continue
            of_question = sum(weights[stem] for stem in shared) / whole
            score = of_question * sum(weights[stem] for stem in shared) / link.weight
            if of_question >= LEAST_SHARED and score > best:
                best, found = score, link.text
        return found

    @cached_property
    def _links(self) -> tuple[LinkText, ...]:
        """The link texts of all pages; read once, when one is first looked for."""
        texts = self._snapshot.link_texts(MOST_LINK_TEXTS)
        stems = {text: frozenset(self._text.content_stems(text)) for text in texts}
        known = self._text.postings(sorted({stem for own in stems.values() for stem in own}))
        chunks = self._snapshot.manifest.chunks
        weights = {stem: math.log1p(chunks / (term.frequency + 0.5)) for stem, term in known.items()}
        return tuple(
            LinkText(text, own, sum(weights[stem] for stem in own)) for text, own in stems.items() if own
        )


def as_said(question: str, said: Mapping[str, str]) -> str:
    """The question with the visitor's own words back in the places of an editor's."""
    for phrase, means in said.items():
        question = question.replace(means, phrase)
    return question


def with_synonyms(question: str, concepts: list[Concept], n: int) -> str:
    """The question with the `n`th other wording, from 0, of each concept that has so many."""
    for one in concepts:
        if n < len(one.others):
            question = _with_other(question, one, list(one.others)[n])
    return question


def _with_other(question: str, concept: Concept, other: str) -> str:
    """The question with another wording in a concept's place."""
    return _loosely(concept.asked).sub(other.replace("\\", ""), question, count=1)


def _loosely(asked: str) -> re.Pattern[str]:
    """A concept's words in a question, with at most two others, such as "of the", between them."""
    between = r"\W+(?:\w+\W+){0,2}?"
    return re.compile(rf"\b{between.join(map(re.escape, asked.split()))}\b", re.IGNORECASE)

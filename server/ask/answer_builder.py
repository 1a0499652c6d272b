"""What is said of an answer, piece by piece: its text so far, and its citations, numbered as they come."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from server.models import Citation, Cited, Event, Passage, Token

_MARK = re.compile(r"\[([0-9]{1,3})\]\Z")


def citation_of(passage: Passage, n: int, quote: str) -> Citation:
    """A passage as a source; `quote` is in its own words."""
    return Citation(
        n=n,
        url=passage.url,
        title=passage.title,
        heading=passage.heading,
        quote=quote,
        last_modified=passage.last_modified,
        fetched_at=passage.fetched_at,
    )


class AnswerBuilder:
    """One answer as it is read out. The texts of its tokens joined are `text`."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._numbers: dict[tuple[str, str, str], int] = {}
        self._citations: list[Citation] = []
        self._on_new_line = False

    @property
    def text(self) -> str:
        """All that has been said."""
        return "".join(self._pieces)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Those that have been referred to, number 1 first."""
        return tuple(self._citations)

    def new_line(self) -> None:
        """What is said next begins a line."""
        self._on_new_line = True

    def say(self, text: str, before: str = " ") -> Iterator[Event]:
        """Words that need no source; `before` stands between them and what was said before."""
        if not text:
            return
        before = "\n" if self._on_new_line else before
        piece = before + text if self._pieces else text
        self._on_new_line = False
        self._pieces.append(piece)
        yield Token(piece)

    def quote(self, sentence: str, sources: Mapping[int, Citation], before: str = " ") -> Iterator[Event]:
        """A sentence that ends in the numbers of its sources, which get the numbers they have in this answer.

        A citation follows the first sentence that refers to it. A number that is no source's is a word like
        any other: "Applications open in spring [2026]".
        """
        body, named = _without_marks(sentence, sources)
        known = len(self._citations)
        numbers = dict.fromkeys(self._number(citation) for citation in named)
        yield from self.say(" ".join(filter(None, (body, "".join(f"[{n}]" for n in numbers)))), before)
        yield from map(Cited, self._citations[known:])

    def _number(self, citation: Citation) -> int:
        key = citation.url, citation.heading, citation.quote
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers) + 1
            self._citations.append(replace(citation, n=self._numbers[key]))
        return self._numbers[key]


def _without_marks(sentence: str, sources: Mapping[int, Citation]) -> tuple[str, list[Citation]]:
    """A sentence without the marks of its sources at its end, and these sources, in their order."""
    body, named = sentence, list[Citation]()
    while (mark := _MARK.search(body)) and int(mark[1]) in sources:
        named.insert(0, sources[int(mark[1])])
        body = body[: mark.start()]
    return body.rstrip() if named else body, named

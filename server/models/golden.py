"""Golden questions: questions with a known right answer, asked again after every change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from server.models.answers import Answer

GoldenSource = Literal["", "visitors"]


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question of one site whose right answer is known.

    `pages` are the addresses that may answer it, one is enough; `answers` are words of which the answer must
    hold one; empty: any will do. With neither it only has to be answered. `refuse`: it must not be answered.
    `from_trace` is the trace it was made from. `known_gap` says why it is known not to be answered rightly
    yet: it is asked like the others, and holds nothing back. `source` is "visitors" where it was sampled from
    what they asked; empty: somebody chose it.
    """

    id: str
    site: str
    question: str
    pages: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    refuse: bool = False
    topic: str | None = None
    from_trace: str | None = None
    known_gap: str = ""
    source: GoldenSource = ""

    def as_question(self) -> dict[str, Any]:
        """A line of a questions file, as `lodge eval --questions` reads it."""
        said = {"known_gap": self.known_gap, "source": self.source}
        return {
            "id": self.id,
            "question": self.question,
            "answers": list(self.answers),
            "gold_urls": list(self.pages) or None,
            "topic": self.topic,
            "answerable": not self.refuse,
        } | {name: text for name, text in said.items() if text}


@dataclass(frozen=True, slots=True)
class GoldenOutcome:
    """The outcome of one golden question: why it failed, or None; the words and the pages of the answer.

    `known_gap`: it was known not to be answered rightly.
    """

    golden_id: str
    failure: str | None
    answer: str
    cited: tuple[str, ...] = ()
    known_gap: bool = False

    @property
    def passed(self) -> bool:
        """Whether the answer was right."""
        return self.failure is None


def outcome_of(golden: GoldenQuestion, answer: Answer) -> GoldenOutcome:
    """The outcome of an answer, by what its golden question expects."""
    cited = tuple(dict.fromkeys(citation.url for citation in answer.citations))
    why = failure(golden, answer.answer, answer.refused, cited)
    return GoldenOutcome(golden.id, why, answer.answer, cited, bool(golden.known_gap))


def failure(golden: GoldenQuestion, answer: str, refused: bool, cited: Sequence[str]) -> str | None:
    """Why an answer, its words and its sources' pages, is not right, as a sentence; None when it passes."""
    if golden.refuse:
        return None if refused else "It is answered, and should not be."
    if refused:
        return "It is not answered."
    if golden.pages and not {bare_address(url) for url in golden.pages} & set(map(bare_address, cited)):
        return "None of its right pages is cited."
    if golden.answers and not any(_words(one) in _words(answer) for one in golden.answers):
        return "The answer has none of the right words."
    return None


def bare_address(url: str) -> str:
    """An address without its fragment and its last slash: pages are told apart by the rest."""
    return url.partition("#")[0].rstrip("/")


def _words(text: str) -> str:
    """Text for comparing: one space between words, capitals made small."""
    return " ".join(text.casefold().split())

"""The answer as a language model writes it: each sentence is shown once it has passed the check.

What the model is like, and where, is none of the flow's business: it is a `Writer`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

from server.ask.answer_builder import Speech, citation_of
from server.ask.trace import TraceLog
from server.errors import LlmUnavailableError
from server.models import Event, Passage

if TYPE_CHECKING:
    from server.ask.grounding.sentence import Grounds


@dataclass(frozen=True, slots=True)
class Scene:
    """Who speaks and when, for the prompt."""

    site_name: str
    today: date


class Manuscript(Protocol):
    """One answer under way."""

    @property
    def passages(self) -> Sequence[Passage]:
        """Those that the model was given, number 1 first."""
        ...

    @property
    def notes(self) -> Mapping[str, Any]:
        """The prompt and how the answer came about, for the trace."""
        ...

    @property
    def declined(self) -> bool:
        """Whether the model wrote that the passages do not answer the question; known at the end."""
        ...

    def pieces(self) -> Iterator[str]:
        """The text as it comes; an `LlmUnavailableError` at any point."""
        ...


class Writer(Protocol):
    """A language model that answers from passages. Thread-safe."""

    def begin(
        self, question: str, passages: Sequence[Passage], history: Sequence[tuple[str, str]], scene: Scene
    ) -> Manuscript:
        """An answer from as many of the passages, best first, as fit; nothing is sent yet."""
        ...

    def from_memory(self, question: str, scene: Scene) -> str:
        """An answer without any passage, for evaluation only; an `LlmUnavailableError`."""
        ...

    def named(self, model: str) -> Writer:
        """The same by another model of the same server."""
        ...

    @property
    def resting(self) -> bool:
        """Whether it is left in peace after failures."""
        ...

    @property
    def versions(self) -> Mapping[str, str]:
        """The model's name and the prompts' hash, for the trace."""
        ...

    def close(self) -> None:
        """Cancel what is under way."""
        ...


@dataclass(slots=True)
class Written:
    """What became of a model's answer.

    `enough`: it is an answer; `said`: the visitor has seen some of it; `trouble`: why it broke off.
    """

    enough: bool = False
    said: bool = False
    declined: bool = False
    trouble: str | None = None


def write(
    manuscript: Manuscript, grounds: Grounds, speech: Speech, log: TraceLog
) -> Generator[Event, None, Written]:
    """Says the sentences that pass, each with its passages as sources; returns what became of the answer.

    A source's quote is the whole passage: any of it may be what a sentence rests on.
    """
    from server.ask.ground import Checker  # noqa: PLC0415 - its many patterns are for those with a model

    checker = Checker(manuscript.passages, grounds)
    sources = {n: citation_of(passage, n, passage.text) for n, passage in enumerate(manuscript.passages, 1)}
    written = Written()
    with log.step("write") as step:
        try:
            for one in checker.check(manuscript.pieces()):
                if one.shown:
                    written.said = True
                    yield from speech.quote(one.shown, sources, one.before)
        except LlmUnavailableError as error:
            written.trouble = error.trouble
        written.declined = manuscript.declined
        written.enough = checker.tally.enough
        step.notes = {**manuscript.notes, "trouble": written.trouble, "declined": written.declined}
    with log.step("check") as step:
        step.notes = {**checker.notes(), "threshold": grounds.threshold}
    return written

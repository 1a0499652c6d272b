"""What a question leaves behind: its events, the `Trace` of its steps, the `Exchange` that is kept, and the
visitor's `Feedback`.

A flow yields `Event`s: any number of `Status`, `Token` and `Cited`, then exactly one `Final`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

from server.models.answers import Answer, Citation, Hit, Passage, Question

# What steps were called in traces that were recorded before 2026-12, and are called now.
STEP_ALIASES: Mapping[str, str] = {
    "guard": "normalize",
    "receive": "triage",
    "recheck": "challenge",
    "unsafe": "moderate",
    "filter": "retrieve.excluded",
    "retrieve.fusion": "retrieve",
    "gate": "scope",
    "prefer": "boost",
    "favour": "boost.pages",
    "answer": "extract",
    "write": "generate",
    "check": "ground",
}


def current_step(name: str) -> str:
    """The present name of a step of a recorded trace."""
    return STEP_ALIASES.get(name, name)


# Steps that say what became of a part that was read twice.
READ_AGAIN = ("extract.asking", "extract.own")


class Sureness(NamedTuple):
    """How sure an answer was of what it quotes, and how sure it had to be; both 0 to 1."""

    value: float
    threshold: float | None


def evidence_of(steps: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Sureness]:
    """How sure a trace was of each part of its question, in their order, from its steps' names and notes.

    Where an unsure part was read again, without its story or in the visitor's own words, it is what both
    readings came to.
    """
    found: list[Sureness] = []
    for name, notes in steps:
        if name in READ_AGAIN:
            del found[-2:]
        value = notes.get("evidence")
        if name in ("extract", *READ_AGAIN) and isinstance(value, int | float) and math.isfinite(value):
            found.append(Sureness(float(value), notes.get("threshold")))
    return found


@dataclass(frozen=True, slots=True)
class TraceStep:
    """What one step did. `ranking` is its passages, best first, as hits; `notes` is whatever else it saw."""

    step: str
    ms: float
    ranking: tuple[Hit, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything needed to see why an answer came out as it did, and to ask the same again.

    `passages` holds every passage that any step ranked, by chunk id, so that a trace outlives its snapshot.
    `asked` is what came with the question (site, history, scope), `settings` the numbers of the flow by name;
    both are empty in traces of an earlier Lodge.
    """

    trace_id: str
    question: str
    strategy: str
    snapshot: str
    versions: Mapping[str, str]
    steps: tuple[TraceStep, ...]
    passages: Mapping[int, Passage]
    asked: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """A JSON object; the keys of `passages` are strings, as JSON wants them."""
        plain = asdict(self)
        plain["passages"] = {str(key): value for key, value in plain["passages"].items()}
        return plain


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and its answer, as it goes into the records store: `asked_at` is ISO 8601, UTC."""

    question: Question
    answer: Answer
    trace: Trace
    asked_at: str


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a visitor thinks of one answer; `given_at` is ISO 8601, UTC.

    `reason` is one of `FeedbackReasons[helpful]` or empty, `comment` the visitor's own words or empty.
    """

    conversation_id: str
    message_id: str
    helpful: bool
    reason: str
    comment: str
    given_at: str


@dataclass(frozen=True, slots=True)
class Status:
    """The flow has begun a step; `step` is its name ("retrieve", "answer")."""

    step: str
    kind: Literal["status"] = "status"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer's text, in order; joined they are `Final.answer.answer`."""

    text: str
    kind: Literal["token"] = "token"


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation, as soon as the text that refers to it has been yielded."""

    citation: Citation
    kind: Literal["citation"] = "citation"


@dataclass(frozen=True, slots=True)
class Final:
    """The whole answer and its trace. By the time it is yielded, both are in the records store."""

    answer: Answer
    trace: Trace
    kind: Literal["final"] = "final"


Event = Status | Token | Cited | Final

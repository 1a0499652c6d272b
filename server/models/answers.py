"""Results of a question: its `Answer`, the `Trace` of its steps, the visitor's `Feedback`.

A flow yields `Event`s: any number of `Status`, `Token` and `Cited`, then exactly one `Final`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from server.models.passages import Citation, Hit, Passage, Question

RefusalReason = Literal["off_topic", "no_evidence", "unsafe"]
RefusalReasons: tuple[RefusalReason, ...] = ("off_topic", "no_evidence", "unsafe")
# Why an answer was found helpful, and why not.
FeedbackReasons: Mapping[bool, tuple[str, ...]] = {
    True: ("clear", "complete", "other"),
    False: ("wrong", "incomplete", "outdated", "off_topic", "other"),
}


@dataclass(frozen=True, slots=True)
class Caution:
    """Why a source may not hold any more; `n` is its citation's number.

    `past_term`: it speaks of nothing newer than `term`, which is over; `changed`: its page says something
    else than when it was read, or is gone; `older`: its page was last changed more than a year before that of
    another source, whose day the answer is as of.
    """

    kind: Literal["past_term", "changed", "older"]
    n: int
    term: str = ""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How new an answer's sources are: `as_of` is an ISO 8601 day, None where no source carries a date."""

    as_of: str | None = None
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, slots=True)
class PlainContact:
    """A `Contact` in the language of the site's own pages."""

    label: str
    email: str = ""
    phone: str = ""
    url: str = ""
    hours: str = ""


@dataclass(frozen=True, slots=True)
class ClosestPage:
    """A page to look at when the site gives no answer."""

    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The contract of `POST /api/ask` and `lodge ask --json`; `as_json` is its letter.

    `answerer` is "extractive", "llm" or "curated"; "help" where help lines are all there is to say,
    "courtesy" for a friendly line. `degraded` says why the language model did not write this, or not to its
    end: the `trouble` of an `LlmUnavailableError`; or "busy", under load (`Question.load_shed`).
    `notices` are urgent and stand above the answer; `contacts`, of a refusal, are whom to ask instead;
    `as_of` and `cautions` say how new its sources are. `lang` is the language of an answer that is Lodge's
    own words, as a refusal is; None: it is in that of the site's pages.
    """

    answer: str
    refused: bool
    refusal_reason: RefusalReason | None
    answerer: str
    degraded: str | None
    citations: tuple[Citation, ...]
    closest_pages: tuple[ClosestPage, ...]
    strategy: str
    snapshot: str
    conversation_id: str
    message_id: str
    trace_id: str
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    contacts: tuple[PlainContact, ...] = ()
    as_of: str | None = None
    cautions: tuple[Caution, ...] = ()
    lang: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The JSON object of the contract, every key always present."""
        return asdict(self)


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

"""The turns of a conversation as a page shows them: while they happen, and out of the records afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from server.ask.scope import PASSING
from server.errors import NotFoundError
from server.models import Answer, Trace
from server.storage.conversations import ConversationStore

MAX_TURNS = 10
# A conversation is brought back to its tab for so long after its last word. A browser that opens a closed tab
# again brings back what the tab knew, and the next person at a shared computer should not find it.
KEEP_FOR = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Rated:
    """What the visitor thinks of an answer; `reason` and `comment` may be empty."""

    helpful: bool
    reason: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and the answer to it; `topic` is what the flow took it to be about, if it was sure."""

    question: str
    answer: Answer
    topic: str | None = None
    rated: Rated | None = None


def topic_of(trace: Trace) -> str | None:
    """The likeliest topic of those that the flow allowed."""
    return _topic((step.step, step.notes) for step in trace.steps)


def kept_turns(
    records: ConversationStore, conversation_id: str, site: str, within: timedelta | None = None
) -> tuple[Turn, ...]:
    """The last turns of a site's recorded conversation; none for one that is unknown, or another site's.

    With `within`, none either for one whose last question was asked longer ago than that.
    """
    try:
        found = records.conversation(conversation_id)
    except NotFoundError:
        return ()
    if found["site"] != site:
        return ()
    if within is not None and datetime.now(UTC) - datetime.fromisoformat(found["last_at"]) > within:
        return ()
    return recorded_turns(records, found)[-MAX_TURNS:]


def recorded_turns(records: ConversationStore, conversation: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Every turn of a conversation as the records hold it. The topic is in the trace."""
    turns, question = [], ""
    for message in conversation["messages"]:
        if message["role"] == "user":
            question = message["text"]
            continue
        answer = msgspec.convert(message["answer"], Answer)
        rated = msgspec.convert(message["feedback"], Rated | None)
        turns.append(Turn(question, answer, _recorded_topic(records, answer.trace_id), rated))
    return tuple(turns)


def _recorded_topic(records: ConversationStore, trace_id: str) -> str | None:
    try:
        trace = records.trace(trace_id)
    except NotFoundError:
        return None
    return _topic((step["step"], step["notes"]) for step in trace["steps"])


def _topic(steps: Iterable[tuple[str, Mapping[str, Any]]]) -> str | None:
    """None where the question was out of scope: it is about none of the site's topics."""
    noted: dict[str, Mapping[str, Any]] = {}
    for step, notes in steps:
        noted.setdefault(step, notes)  # of several questions, the first
    if noted.get("scope", {}).get("verdict", "in_scope") not in PASSING:
        return None
    return next(iter(noted.get("classify", {}).get("allowed") or ()), None)

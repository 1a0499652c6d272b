"""Golden questions asked: by the flow that answers visitors, and judged."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from server.ask.pipeline import Asker
from server.errors import LodgeError
from server.golden import GoldenOutcome, GoldenQuestion, outcome_of
from server.jobs import Progress
from server.records import Final, Question


def ask_golden(
    asker: Asker, questions: Sequence[GoldenQuestion], progress: Progress | None = None
) -> list[GoldenOutcome]:
    """What becomes of each, in their order. `asker` should record nothing: see `Asker.otherwise`."""
    outcomes = []
    for done, golden in enumerate(questions):
        if progress:
            progress.at(done, len(questions), golden.question)
        outcomes.append(outcome_of(golden, asked(asker, golden.question, golden.site).answer))
    return outcomes


def asked(asker: Asker, text: str, site: str) -> Final:
    """One question with nothing before it, asked to the end."""
    conversation_id, message_id, trace_id = (uuid.uuid4().hex for _ in range(3))
    for event in asker.ask(Question(text, conversation_id, message_id, trace_id, site)):
        if isinstance(event, Final):
            return event
    raise LodgeError("The question's flow ended without an answer.")

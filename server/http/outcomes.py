"""What became of each question: one line in the log, and the figures.

A line has the trace's id, by which the console finds the rest; it never has the question, the address that it
came from or the conversation.
"""

from __future__ import annotations

import logging

from server.errors import ModelError, SnapshotError, StorageError
from server.http.metrics import Metrics, code_of
from server.models import Answer, Question

logger = logging.getLogger("lodge.access")

OURS = (StorageError, SnapshotError, ModelError)


class Outcomes:
    """Told of every question of a visitor. Thread-safe."""

    def __init__(self, metrics: Metrics | None = None) -> None:
        self._metrics = metrics or Metrics()

    def answered(self, question: Question, answer: Answer, seconds: float) -> None:
        """It has been answered, or refused with the closest pages."""
        self._metrics.answered(question.site, answer, seconds)
        status = f"refused:{answer.refusal_reason}" if answer.refused else "answered"
        more = {"degraded": answer.degraded} if answer.degraded else {}
        _log(question, status, seconds, answerer=answer.answerer, **more)

    def failed(self, question: Question, error: Exception, seconds: float) -> None:
        """It got no answer."""
        self._metrics.failed(code_of(error))
        # Sentences about what a visitor gave may quote it; those about our own parts do not.
        more = {"why": error.message} if isinstance(error, OURS) else {}
        _log(question, f"failed:{code_of(error)}", seconds, **more)

    def turned_away(self, site: str, error: Exception) -> None:
        """It was over a limit; nothing was begun."""
        self._metrics.failed(code_of(error))
        logger.info("question", extra={"fields": {"site": site, "status": f"failed:{code_of(error)}"}})


def _log(question: Question, status: str, seconds: float, **more: str) -> None:
    known = {"trace_id": question.trace_id, "site": question.site, "status": status}
    logger.info("question", extra={"fields": {**known, "ms": round(seconds * 1000, 1), **more}})

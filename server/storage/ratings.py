"""Rated answers: what visitors think of the answers that were quoted to them, and how sure those were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from server.models.exchange import current_step, evidence_of
from server.storage.tables.visitors import MessageRow, StoredFeedback, StoredTrace

# The newest so many say how the site answers now.
MOST = 2000


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """An answer's confidence (0 to 1) by the correction of its day, and whether its visitor found it
    helpful."""

    confidence: float
    helpful: bool
    confidence_shift: float = 0.0
    confidence_scale: float = 1.0


def rated_answers(connection: Connection, most: int = MOST) -> list[RatedAnswer]:
    """The newest ratings of quoted answers to one question; an editor's or a model's own say nothing of how
    sure a quote is."""
    query = (
        select(StoredTrace.document, StoredFeedback.helpful)
        .join(MessageRow, StoredTrace.message_id == MessageRow.id)
        .join(StoredFeedback, StoredFeedback.message_id == MessageRow.id)
        .where(MessageRow.refused.is_(False), MessageRow.answerer == "extractive")
        .order_by(MessageRow.number.desc())
        .limit(most)
    )
    return [one for row in connection.execute(query) for one in _rated(row.document, row.helpful)]


def _rated(document: Mapping[str, Any], helpful: bool) -> Iterator[RatedAnswer]:
    sure = evidence_of((current_step(step["step"]), step["notes"]) for step in document["steps"])
    if len(sure) != 1:
        return
    numbers = document.get("settings", {})
    yield RatedAnswer(
        sure[0].value,
        helpful,
        float(numbers.get("confidence_shift", 0.0)),
        float(numbers.get("confidence_scale", 1.0)),
    )

"""The best of many scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from server.index.snapshot import Snapshot
from server.models import Hit, Scope

Ids = npt.NDArray[np.int32]
Scores = npt.NDArray[np.floating[Any]]


def best(scores: Scores, ids: Ids, limit: int) -> list[Hit]:
    """The `limit` chunks with the highest scores, best first, equals by id. Both have shape (n,)."""
    if limit < len(ids):
        least = np.partition(scores, -limit)[-limit]
        near = scores >= least  # more than the limit where several share the last place
        scores, ids = scores[near], ids[near]
    order = np.lexsort((ids, -scores))[:limit]
    return [Hit(int(ids[i]), float(scores[i])) for i in order]


@dataclass(frozen=True, slots=True)
class Condition:
    """What stands behind WHERE, about `pages`, and the values of its question marks."""

    sql: str
    parameters: tuple[Any, ...]


# A page without a topic, or without a sub-topic, may be about anything: it is never left out.
_TOPICS = """
(topic IS NULL OR list_contains(?::VARCHAR[], topic)
 OR list_contains(?::VARCHAR[], concat_ws('/', topic, subtopic)))
"""
# The first ten characters of an ISO 8601 time are its day; days compare as text.
_DAY = "left(coalesce(modified, published), 10)"


def page_conditions(scope: Scope) -> list[Condition]:
    """The conditions that a page must meet, all of them; none when the scope limits nothing."""
    found = [
        scope.topics is not None and _topics(scope.topics),
        scope.sites and Condition("list_contains(?::VARCHAR[], host)", (list(scope.sites),)),
        scope.prefix and Condition("starts_with(url, ?)", (scope.prefix,)),
        scope.lang and Condition("(lang IS NULL OR lang = ?)", (scope.lang,)),
        scope.since and Condition(f"{_DAY} >= ?", (scope.since,)),
        scope.until and Condition(f"{_DAY} <= ?", (scope.until,)),
        not scope.archived and Condition("NOT archived", ()),
    ]
    return [condition for condition in found if isinstance(condition, Condition)]


def chunks_within(snapshot: Snapshot, scope: Scope) -> Ids:
    """The ids of a scope's chunks, ascending; shape (n,)."""
    conditions = page_conditions(scope)
    where = " AND ".join(condition.sql for condition in conditions) or "true"
    return snapshot.column(
        f"SELECT chunk_id FROM chunks JOIN pages USING (page_id) WHERE {where} ORDER BY chunk_id",  # noqa: S608 - ours
        [value for condition in conditions for value in condition.parameters],
    )


def _topics(topics: Mapping[str, Sequence[str]]) -> Condition:
    whole = [topic for topic, subtopics in topics.items() if not subtopics]
    parts = [
        "/".join(part)
        for topic, subtopics in topics.items()
        if subtopics
        for part in ((topic,), *((topic, subtopic) for subtopic in subtopics))
    ]
    return Condition(_TOPICS, (whole, parts))

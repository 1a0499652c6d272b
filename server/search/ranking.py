"""The best of many scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from server.records import Hit

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

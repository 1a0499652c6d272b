"""A general question is answered near the front door: "who is the chair" on the department's page, not on a
conference's that somebody's own page leads to.

How many pages are nearer was counted when they were indexed (ingest/click_distance.py). Where a question
says much, the page that says the same is meant, however deep it lies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from server.ask.ports import SnapshotText
from server.ask.trace import OpenStep
from server.models import Candidate, Hit

# From so much on a question says much, in the inverse document frequencies of its words together: three words
# of which one passage in forty has each.
SAYS_MUCH = 11.0
# The pages that are hardly further than the door itself, and what a passage's score loses for each distance.
# Chosen over ten sets (docs/retrieval.md).
AT_THE_DOOR, LOSES = 20, 0.05


def is_general(question: str, text: SnapshotText) -> bool:
    """Whether the words of the question are few, or such as these pages are full of."""
    return sum(text.word_weights(question).values()) < SAYS_MUCH


def nearer_first(candidates: Sequence[Candidate], step: OpenStep) -> list[Candidate]:
    """The candidates, those forward whose pages are near the front door; as they are where no distance is
    known. A page that no link leads to is as far as the others are in the middle."""
    known = [nearer for one in candidates if (nearer := one.passage.nearer) is not None]
    if not known:
        return list(candidates)
    middle = median(known)
    moved = (_weighed(one, middle) for one in candidates)
    ranked = sorted(moved, key=lambda one: -one.score)
    step.notes = {**step.notes, "general": True}
    step.ranking = [Hit(one.passage.chunk_id, one.score) for one in ranked]
    return ranked


def _weighed(candidate: Candidate, middle: float) -> Candidate:
    """By the logarithm of how many pages are nearer: one more counts less, the more there are."""
    nearer = middle if candidate.passage.nearer is None else candidate.passage.nearer
    distance = math.log1p(nearer / AT_THE_DOOR)
    score = candidate.score - LOSES * distance * abs(candidate.score)
    return replace(candidate, score=score, distance=distance)

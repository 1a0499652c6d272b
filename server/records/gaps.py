"""Gaps: questions of one meaning that were not answered well, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from server.records.searching import ALL_TURNS, TurnFilter

# What went wrong with a question: the site said nothing, the visitor was not helped, the answer was hardly
# sure, or it was none of the site's business.
GapKind = Literal["no_evidence", "unhelpful", "low_evidence", "off_topic"]
GapKinds: tuple[GapKind, ...] = get_args(GapKind)
# `mended` waits for the next snapshot; then it is asked again, and is `answered` or `unanswered`. What is
# `answered` and goes wrong again is `reopened`.
GapState = Literal["open", "mended", "answered", "unanswered", "reopened", "ignored"]
GapStates: tuple[GapState, ...] = get_args(GapState)
MISSING: tuple[GapKind, ...] = ("no_evidence", "unhelpful", "low_evidence")
TO_DO: tuple[GapState, ...] = ("open", "unanswered", "reopened")


@dataclass(frozen=True, slots=True)
class GapFilter:
    """Which gaps are wanted: those in these states, with questions of these kinds, asked in these days."""

    kinds: tuple[GapKind, ...] = MISSING
    states: tuple[GapState, ...] = TO_DO
    asked: TurnFilter = ALL_TURNS


@dataclass(frozen=True, slots=True)
class Waiting:
    """A question that is in no gap yet: `key` is the same for all that ask it in the same words."""

    site: str
    key: str
    question: str


@dataclass(frozen=True, slots=True)
class Placement:
    """Where questions belong among the groups of a site.

    `places` has for each question the number of its group, in the order they were given in (those after the
    last are new), and its cosine to the group's middle. `middles` are the groups that changed: the sums of
    their vectors, little-endian float32.
    """

    places: Sequence[tuple[int, float]]
    middles: Mapping[int, bytes]

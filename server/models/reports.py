"""Filters of what the console searches and counts: `ConversationFilter`, `TurnFilter` and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Rating = Literal["helpful", "unhelpful", "any", "none"]
HelpShown = Literal["shown", "missed"]
Ratings: tuple[Rating, ...] = get_args(Rating)


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """Which conversations are wanted; as it is made without arguments, all.

    `since` and `until` are ISO 8601 days or times of a conversation's beginning; a day is included whole, a
    time without a zone is in UTC. One and the same exchange has to be as all the rest say: `text` occurs in
    its question or answer, whatever the case; `url` begins the address of a page that its answer cites;
    `rating` is what its visitor thinks of it, "any" or "none" at all; `help`: help lines were "shown", or may
    have been "missed".
    """

    since: str | None = None
    until: str | None = None
    site: str | None = None
    topic: str | None = None
    refused: bool | None = None
    degraded: bool | None = None
    rating: Rating | None = None
    answerer: str | None = None
    text: str | None = None
    url: str | None = None
    help: HelpShown | None = None


EVERYTHING = ConversationFilter()


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Which questions are counted; as it is made without arguments, all.

    `since` and `until` are the ISO 8601 days (UTC) they were asked on, both included.
    """

    since: str | None = None
    until: str | None = None
    site: str | None = None
    topic: str | None = None


ALL_TURNS = TurnFilter()

FeedbackState = Literal["new", "in_work", "done", "dismissed"]
FeedbackStates: tuple[FeedbackState, ...] = get_args(FeedbackState)


@dataclass(frozen=True, slots=True)
class FeedbackFilter:
    """Which feedback is wanted, of thumbs down and of what has words; without arguments, all of it.

    `since` and `until` are ISO 8601 days or times it was given at; a day is included whole.
    """

    state: FeedbackState | None = None
    helpful: bool | None = None
    since: str | None = None
    until: str | None = None
    site: str | None = None


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


@dataclass(frozen=True, slots=True)
class Vitals:
    """The live snapshot, where there is one: when it was made (ISO 8601, UTC) and its counts.

    `llm_resting`: the language model is left in peace after failures; None: there is none. `disk_free_bytes`:
    under `LODGE_HOME`. `snapshot_trouble`: a sentence where an earlier snapshot stands in for the published
    one.
    """

    snapshot_created_at: str | None = None
    pages: int = 0
    chunks: int = 0
    snapshot_trouble: str | None = None
    llm_resting: bool | None = None
    disk_free_bytes: int = 0

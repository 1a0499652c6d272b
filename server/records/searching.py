"""What is looked for among the conversations: a `ConversationFilter`; what is counted: a `TurnFilter`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Rating = Literal["helpful", "unhelpful", "any", "none"]
Ratings: tuple[Rating, ...] = get_args(Rating)


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """Which conversations are wanted; as it is made without arguments, all.

    `since` and `until` are ISO 8601 days or times of a conversation's beginning; a day is included whole, a
    time without a zone is in UTC. One and the same exchange has to be as all the rest say: `text` occurs in
    its question or answer, whatever the case; `url` begins the address of a page that its answer cites;
    `rating` is what its visitor thinks of it, "any" or "none" at all.
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
    """Which feedback is wanted, of that with a reason or a comment; without arguments, all of it.

    `since` and `until` are ISO 8601 days or times it was given at; a day is included whole.
    """

    state: FeedbackState | None = None
    helpful: bool | None = None
    since: str | None = None
    until: str | None = None
    site: str | None = None

"""Triage, before anything is retrieved: what is this line of a conversation?

In this order: help lines for a crisis, always first; a friendly line for small talk; a challenge of the last
answer; and else questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from server.ask.challenge import is_challenge
from server.ask.conversation.crisis import Crisis, detect_crisis, help_text
from server.ask.conversation.language import is_english
from server.ask.conversation.smalltalk import reply, small_talk
from server.ask.conversation.standalone import turns_of
from server.ask.ports import QuestionEmbedder, Vector
from server.models import HelpLine

History = Sequence[tuple[str, str]]


class CrisisClassifier(Protocol):
    """How like a text is to what people in distress write."""

    def detect_crisis(self, text: str, vector: Vector) -> Crisis | None:
        """What it is most like, if it is like enough."""
        ...


@dataclass(frozen=True, slots=True)
class Triage:
    """What a line is.

    `help_text` is said before anything else; `small_talk` is the whole answer; `is_challenge`: the last
    answer is to be checked again; `has_questions`: there is something to look up.
    """

    help_text: str = ""
    small_talk: str = ""
    is_challenge: bool = False
    has_questions: bool = False
    notes: Mapping[str, Any] = field(default_factory=dict)


def triage(  # noqa: PLR0913, PLR0917  (a line, its conversation, and what it is heard by)
    text: str,
    history: History,
    site_name: str,
    help_lines: Sequence[HelpLine],
    embedder: QuestionEmbedder,
    likeness: CrisisClassifier | None = None,
) -> Triage:
    """What a line is after these (role, text) turns, oldest first.

    In an emergency the help lines stand alone; in other distress the site may also know where to turn.
    """
    if crisis := _crisis(text, embedder, likeness):
        return Triage(
            help_text(crisis, help_lines),
            has_questions=crisis.level != "emergency",
            notes={"distress": crisis.level, "matter": crisis.matter, "heard": crisis.heard},
        )
    if talk := small_talk(text):
        return Triage(small_talk=reply(talk, site_name), notes={"small_talk": talk.kind})
    turns = turns_of(history)
    if turns and is_challenge(text, turns[-1].answer):
        return Triage(is_challenge=True, notes={"doubts": True})
    return Triage(has_questions=True)


def _crisis(text: str, embedder: QuestionEmbedder, likeness: CrisisClassifier | None) -> Crisis | None:
    """By its words; by likeness too, as far as the embedder knows the language."""
    found = detect_crisis(text)
    if found or likeness is None or not is_english(text):
        return found
    return likeness.detect_crisis(text, embedder.embed_question(text))

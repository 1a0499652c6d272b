"""The stand-alone question by a language model, taken only when it can be one; else the rules' own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from server.ask.conversation.followup import Understood
from server.ask.conversation.phrases import content_words, words_of
from server.ask.conversation.standalone import Standalone
from server.errors import LodgeError

MOST_WORDS, MOST_CHARS = 60, 400
_LABEL = re.compile(
    r"^\W*(?:the\s+)?(?:stand-?alone|rewritten|condensed|follow-?up)?\s*(?:question|query)\s*(?:is)?\s*:\s*",
    re.IGNORECASE,
)
_QUOTES = "\"'“”‘’«»`* "
# How much of a word must agree: "graduate" and "graduates", "parking" and "park".
_COMMON = 4


class Condenser(Protocol):
    """A language model that makes one question of a conversation."""

    def condense(self, question: str, history: Sequence[tuple[str, str]]) -> str:
        """What it wrote, as it wrote it; a `LodgeError` when it is down or slow."""
        ...


def condensed(
    question: str, history: Sequence[tuple[str, str]], understood: Understood, condenser: Condenser | None
) -> Understood:
    """What was understood, with the model's words for it if they can be used.

    The model is asked for follow-ups only. `standalone.how` says whose words they are: "model", or how the
    rules made theirs.
    """
    if condenser is None or understood.relation != "follow_up":
        return understood
    try:
        written = parse_condensed(condenser.condense(question, history), question, history)
    except LodgeError:
        written = None
    if written is None:
        return understood
    return replace(understood, standalone=Standalone(written, understood.standalone.topic, "model"))


def parse_condensed(output: str, question: str, history: Sequence[tuple[str, str]]) -> str | None:
    """The one question in a model's output; None when there is none, several, or one out of the blue."""
    lines = [line.strip() for line in output.strip().splitlines() if line.strip()]
    if len(lines) != 1:
        return None
    line = " ".join(_LABEL.sub("", lines[0]).strip(_QUOTES).split())
    if not 2 <= len(words_of(line)) <= MOST_WORDS or len(line) > MOST_CHARS:
        return None
    if "?" in line[:-1].rstrip("?") or not _shares(line, question, history):
        return None
    return line


def _shares(line: str, question: str, history: Sequence[tuple[str, str]]) -> bool:
    """Whether it has a content word of the conversation; a question that adds none says what was said."""
    said = {
        word.key[:_COMMON] for text in (question, *(text for _, text in history)) for word in words_of(text)
    }
    return any(word.key[:_COMMON] in said for word in content_words(line))

"""Before anything is retrieved: what is this line of a conversation, and what is to be done with it?

In this order: help lines for distress, always first; a friendly line for small talk; the last answer again
for a doubt; and the questions in it, each as it stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from server.ask.challenge import is_confirmation
from server.ask.contextualize import Condenser, Understood, condensed, understand
from server.ask.conversation.crisis import US_HELP_LINES, Distress, distress_in, help_text
from server.ask.conversation.language import is_english
from server.ask.conversation.slots import QuestionEmbedder, Vector
from server.ask.conversation.smalltalk import reply, small_talk
from server.ask.conversation.standalone import Lexicon, turns_of
from server.ask.decompose import left_line, split_question
from server.models import HelpLine

History = Sequence[tuple[str, str]]


class DistressLikeness(Protocol):
    """How like a text is to what people in distress write."""

    def distress_in(self, text: str, vector: Vector) -> Distress | None:
        """What it is most like, if it is like enough."""
        ...


@dataclass(frozen=True, slots=True)
class Reception:
    """What is to be done with a line.

    `help` is said before anything else; `line` is the whole answer, when there is nothing to look up;
    `doubts`: the last answer is to be checked again; `parts` are the questions, and `left` a line on those
    beyond the limit.
    """

    help: str = ""
    line: str = ""
    doubts: bool = False
    parts: tuple[Understood, ...] = ()
    left: str = ""
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Receiver:
    """Receives a visitor's lines; deterministic, and thread-safe if its parts are.

    Where it does not rewrite, every question stands as it was typed.
    """

    embedder: QuestionEmbedder
    site_name: str
    help_lines: Sequence[HelpLine] = US_HELP_LINES
    likeness: DistressLikeness | None = None
    condenser: Condenser | None = None
    rewrites: bool = True

    def receive(self, text: str, history: History, lexicon: Lexicon) -> Reception:
        """What is to be done with a line after these (role, text) turns, oldest first."""
        distress = self._distress(text)
        if distress:
            return self._help(text, history, lexicon, distress)
        if talk := small_talk(text):
            return Reception(line=reply(talk, self.site_name), notes={"small_talk": talk.kind})
        turns = turns_of(history)
        if turns and is_confirmation(text, turns[-1].answer):
            return Reception(doubts=True, notes={"doubts": True})
        return self._questions(text, history, lexicon)

    def _distress(self, text: str) -> Distress | None:
        """By its words; by likeness too, as far as the embedder knows the language."""
        found = distress_in(text)
        if found or self.likeness is None or not is_english(text):
            return found
        return self.likeness.distress_in(text, self.embedder.embed_question(text))

    def _help(self, text: str, history: History, lexicon: Lexicon, distress: Distress) -> Reception:
        """In an emergency the help lines alone; in distress the site may also know where to turn."""
        said = help_text(distress, self.help_lines)
        notes = {"distress": distress.level, "matter": distress.matter, "heard": distress.heard}
        if distress.level == "emergency":
            return Reception(help=said, notes=notes)
        asked = self._questions(text, history, lexicon)
        return Reception(help=said, parts=asked.parts, left=asked.left, notes={**asked.notes, **notes})

    def _questions(self, text: str, history: History, lexicon: Lexicon) -> Reception:
        """Each question of the line, the earlier ones of the line being part of its history."""
        parts = split_question(text)
        understood: list[Understood] = []
        before = [*history]
        for part in parts.asked:
            understood.append(self._understood(part, before, lexicon))
            before.append(("user", part))
        return Reception(
            parts=tuple(understood),
            left=left_line(parts.left),
            notes={"parts": [part.notes for part in understood]},
        )

    def _understood(self, part: str, before: History, lexicon: Lexicon) -> Understood:
        if not self.rewrites:
            return understand(part, (), lexicon, self.embedder)
        rules = understand(part, before, lexicon, self.embedder)
        return condensed(part, before, rules, self.condenser)

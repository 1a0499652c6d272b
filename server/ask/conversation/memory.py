"""What is remembered of a conversation: what it is about, until a new topic clears it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

MOST_TURNS = 6


@dataclass(frozen=True, slots=True)
class Turn:
    """A visitor's question and the answer to it, if there was one."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """The topic's turns, oldest first; the last question as it stands alone, and the phrase it is about."""

    turns: tuple[Turn, ...] = ()
    question: str = ""
    topic: str = ""

    def __bool__(self) -> bool:
        return bool(self.turns)

    @property
    def questions(self) -> str:
        """All the topic's questions in one line."""
        return " ".join(turn.question for turn in self.turns)

    @property
    def answers(self) -> str:
        """All its answers in one line."""
        return " ".join(turn.answer for turn in self.turns if turn.answer)

    def with_turn(self, turn: Turn, question: str, topic: str) -> Memory:
        """The same topic, a turn later."""
        return replace(self, turns=(*self.turns, turn)[-MOST_TURNS:], question=question, topic=topic)


def turns_of(history: Sequence[tuple[str, str]]) -> tuple[Turn, ...]:
    """The (role, text) turns as questions with their answers; whatever is not the user's is an answer."""
    turns: list[Turn] = []
    for role, text in history:
        if role == "user":
            turns.append(Turn(text))
        elif turns:
            turns[-1] = Turn(turns[-1].question, f"{turns[-1].answer} {text}".strip())
    return tuple(turns)

"""Which passages go into the prompt, and in which order.

Models read the beginning and the end of a long prompt best (Liu et al., "Lost in the Middle", 2023): the best
passage comes first, the second best last, the worst in the middle. Passages go in whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from server.llm.prompts import History, Scene, answer_prompt, passage_text
from server.llm.wire import Message
from server.models import Passage
from server.sentences import sentences

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Packed:
    """A prompt that fits. `passages` stand in its order: number n in it is `passages[n - 1]`.

    There may be none, where the question alone fills the room. `tokens` is the prompt's length, as it was
    counted, without what the chat template adds; `dropped` is how many passages found no room.
    """

    messages: tuple[Message, ...]
    passages: tuple[Passage, ...]
    tokens: int
    dropped: int


def pack(  # noqa: PLR0913, PLR0917  (a prompt is made of so many things)
    question: str,
    passages: Sequence[Passage],
    scene: Scene,
    room: int,
    count: Count,
    history: History = (),
) -> Packed:
    """The answer prompt of as many passages, given best first, as `room` tokens hold.

    Each passage is taken if it still fits beside the better ones. The best one is cut, at the end of a
    sentence, where it is too long for the room alone.
    """
    tokens = sum(count(message.content) for message in answer_prompt(question, (), scene, history))
    kept: list[Passage] = []
    for passage in passages:
        if not kept:
            passage = _cut(passage, room - tokens, count)  # noqa: PLW2901 (it may be shortened)
        cost = _cost(passage, count)
        if passage.text and tokens + cost <= room:
            kept.append(passage)
            tokens += cost
    ordered = best_at_the_ends(kept)
    return Packed(
        answer_prompt(question, ordered, scene, history), ordered, tokens, len(passages) - len(kept)
    )


def best_at_the_ends(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Best first → best first, second best last, and so on to the middle."""
    return (*passages[0::2], *reversed(passages[1::2]))


def _cost(passage: Passage, count: Count) -> int:
    """Tokens of a passage with its frame, a number of two digits and the blank line after it."""
    return count(passage_text(10, passage) + "\n\n")


def _cut(passage: Passage, room: int, count: Count) -> Passage:
    """As many of its first sentences as fit; the passage itself where all do."""
    if _cost(passage, count) <= room:
        return passage
    ends = [end for _, end in sentences(passage.text)]
    fitting = bisect_right(
        ends, room, key=lambda end: _cost(replace(passage, text=passage.text[:end]), count)
    )
    return replace(passage, text=passage.text[: ends[fitting - 1]] if fitting else "")

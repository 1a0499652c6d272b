"""Which of visitors' questions are worth labelling: those where confidence and what people said disagree
most, and a part drawn at random, by which a share of all can be told."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Literal

Reason = Literal["sure_unhelpful", "refused_helpful", "seems_helpful", "asked_again"]

RANDOM_SHARE = 1 / 3
# An editor's answer, or one by a language model: nobody has weighed how sure it is.
UNWEIGHED = 0.5
# Who was not helped asks again at once, or after one more question.
SOON = 2


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A question that was asked, and what became of it.

    `question` stands alone, `asked` is the same for all that ask it in the same words; `confidence` is 0 to
    1, None where nobody weighed it; `seems`: passages were shown as what seems to answer.
    """

    number: int
    message_id: str
    trace_id: str
    conversation_id: str
    question: str
    asked: str
    refused: bool
    seems: bool
    confidence: float | None
    helpful: bool | None

    @property
    def is_sure(self) -> bool:
        """Whether it was answered, neither refused nor shown as what only seems to answer."""
        return not (self.refused or self.seems)


@dataclass(frozen=True, slots=True)
class ChosenQuestion:
    """A question of a sample, by one of the answers to it.

    `draws` is how many of those drawn at random ask it (0: it is there for its reasons alone), `times` how
    many asked it in these days.
    """

    message_id: str
    draws: int
    times: int
    reasons: tuple[Reason, ...]


def choose(
    turns: Sequence[PastTurn],
    size: int,
    seed: int,
    again: Mapping[int, float],
    is_wanted: Callable[[PastTurn], bool],
) -> list[ChosenQuestion]:
    """At most so many different questions, the same ones for a seed, in an order of chance.

    `again` has, by a turn's number, how likely its question was soon asked again in other words. Where too
    few disagree, more are drawn at random. What is drawn twice counts twice.
    """
    wanted = cache(is_wanted)
    lots = filter(wanted, sorted(turns, key=lambda turn: _lot(seed, turn)))
    chosen: dict[str, PastTurn] = {}
    draws: Counter[str] = Counter()
    for turn in islice(lots, round(size * RANDOM_SHARE)):
        chosen.setdefault(turn.asked, turn)
        draws[turn.asked] += 1
    for turn in filter(wanted, disagreeing(turns, seed, again)):
        if len(chosen) >= size:
            break
        chosen.setdefault(turn.asked, turn)
    while len(chosen) < size and (drawn := next(lots, None)):
        chosen.setdefault(drawn.asked, drawn)
        draws[drawn.asked] += 1
    times = Counter(turn.asked for turn in turns)
    return [
        ChosenQuestion(turn.message_id, draws[key], times[key], tuple(signals(turn, again)))
        for key, turn in sorted(chosen.items(), key=lambda one: _lot(~seed, one[1]))
    ]


def disagreeing(turns: Iterable[PastTurn], seed: int, again: Mapping[int, float]) -> list[PastTurn]:
    """Those of which people said otherwise than the confidence did: the furthest apart first, then by how
    many asked."""
    times = Counter(turn.asked for turn in turns)
    apart = {turn: max(signals(turn, again).values(), default=0.0) for turn in turns}
    return sorted(
        (turn for turn, far in apart.items() if far),
        key=lambda turn: (-round(apart[turn], 2), -times[turn.asked], _lot(seed, turn)),
    )


def signals(turn: PastTurn, again: Mapping[int, float]) -> dict[Reason, float]:
    """Why it is worth a look, with how far confidence and people are apart, 0 to 1."""
    sure = UNWEIGHED if turn.confidence is None else turn.confidence
    if not turn.is_sure:
        kind: Reason = "refused_helpful" if turn.refused else "seems_helpful"
        return {kind: 1 - sure} if turn.helpful else {}
    found: dict[Reason, float] = {}
    if turn.helpful is False:
        found["sure_unhelpful"] = sure
    if turn.number in again and not turn.helpful:
        found["asked_again"] = sure * again[turn.number]
    return found


def soon_after(turns: Iterable[PastTurn]) -> Iterator[tuple[PastTurn, PastTurn]]:
    """Each sure answer's turn with those that follow it soon in its conversation, in other words."""
    conversations: dict[str, list[PastTurn]] = defaultdict(list)
    for turn in sorted(turns, key=lambda turn: turn.number):
        conversations[turn.conversation_id].append(turn)
    for own in conversations.values():
        for place, turn in enumerate(own):
            for later in own[place + 1 : place + 1 + SOON]:
                if turn.is_sure and later.asked != turn.asked:
                    yield turn, later


def _lot(seed: int, turn: PastTurn) -> bytes:
    """A lot of its own for each turn, so that what is asked later moves none of the others."""
    return hashlib.sha256(f"{seed}\n{turn.message_id}".encode()).digest()

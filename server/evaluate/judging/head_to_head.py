"""Head to head: two runs' answers to the same questions, judged in both orders; "neither" is a verdict.

A judge that prefers the same place in both orders prefers neither. Questions that one of the two refused are
taken out and counted: to refuse wins and loses nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from server.evaluate.figures import StrategyResult
from server.evaluate.judging.evaluators import JudgeModel, ask
from server.evaluate.outcomes import QuestionOutcome
from server.evaluate.questions import EvalQuestion
from server.evaluate.significance import Interval, mean_interval
from server.sentences import without_marks

Preference = Literal["a", "b", "neither"]
_CHOICE = re.compile(r"\W*([012])\b")


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two answers to one question, neither of them a refusal."""

    question: EvalQuestion
    a: str
    b: str

    @property
    def reference(self) -> str:
        """What is known of the right answer."""
        return "; ".join(self.question.answers)


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """`a_wins` and `b_wins` are shares of the judged pairs; `win_rate` of b counts "neither" as half.

    `refused`: pairs taken out, as a, b or both refused. `turned`: those where the two orders differ.
    """

    pairs: int
    refused: int
    turned: int
    a_wins: Interval
    b_wins: Interval
    neither: Interval
    win_rate: Interval

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return asdict(self)


def pairs_of(a: StrategyResult, b: StrategyResult) -> tuple[tuple[AnswerPair, ...], int]:
    """The pairs of the questions that both were asked, and how many were taken out for a refusal."""
    others: dict[EvalQuestion, QuestionOutcome] = {one.question: one for one in b.outcomes}
    both = [(one, others[one.question]) for one in a.outcomes if one.question in others]
    kept = [(one, other) for one, other in both if not one.refused and not other.refused]
    pairs = [
        AnswerPair(one.question, without_marks(one.answer), without_marks(other.answer))
        for one, other in kept
    ]
    return tuple(pairs), len(both) - len(kept)


def prefer(model: JudgeModel, pair: AnswerPair) -> tuple[Preference, bool]:
    """Which is better, asked in both orders, and whether the orders differ. What cannot be read is neither.

    Answers that are the same to the letter are neither without asking.
    """
    if pair.a == pair.b:
        return "neither", False
    first = _choice(model, pair, pair.a, pair.b)
    second = {"1": "2", "2": "1"}.get(turned := _choice(model, pair, pair.b, pair.a), turned)
    if first != second:
        return "neither", True
    return ("a" if first == "1" else "b" if first == "2" else "neither"), False


def head_to_head(
    model: JudgeModel, pairs: Sequence[AnswerPair], refused: int, on_judged: Callable[[], None]
) -> HeadToHead:
    """All pairs judged; there must be one. Intervals are by bootstrap over the questions."""
    preferred: list[Preference] = []
    turned = 0
    for pair in pairs:
        choice, differs = prefer(model, pair)
        preferred.append(choice)
        turned += differs
        on_judged()
    return counted(preferred, refused, turned)


def counted(preferred: Sequence[Preference], refused: int, turned: int) -> HeadToHead:
    """What was preferred of each pair, as shares; there must be a pair."""
    shares = {name: _share([one == name for one in preferred]) for name in ("a", "b", "neither")}
    points = np.array([{"a": 0.0, "neither": 0.5, "b": 1.0}[one] for one in preferred])
    return HeadToHead(
        len(preferred),
        refused,
        turned,
        shares["a"],
        shares["b"],
        shares["neither"],
        mean_interval(points),
    )


def _share(hits: Sequence[bool]) -> Interval:
    return mean_interval(np.array(hits, dtype=np.float64))


def _choice(model: JudgeModel, pair: AnswerPair, first: str, second: str) -> str:
    texts = {
        "question": pair.question.question,
        "reference": pair.reference,
        "first": first,
        "second": second,
    }
    found = _CHOICE.match(ask(model, "head_to_head", texts))
    return found[1] if found else "0"

"""Head to head by hand: which pair comes next for whom, in which order, and what was found so far."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from server.errors import NotFoundError
from server.workbench.blind.store import PreferenceStore, Sides
from server.workbench.remembered import Remembered

if TYPE_CHECKING:
    from server.evaluate.figures import StrategyResult
    from server.evaluate.judging.head_to_head import AnswerPair, Preference

# ruff: noqa: PLC0415  (the rooms that measure are large, and a server may never be asked for them)

Choice = Literal["first", "second", "neither"]
MOST_REMEMBERED = 4  # comparisons' pairs; a kept run never changes


@dataclass(frozen=True, slots=True)
class Compared:
    """Which strategy of which run; "" is the run's first."""

    run: str
    strategy: str = ""


@dataclass(frozen=True, slots=True)
class BlindPair:
    """Two answers to a question, in an order that says nothing of whose they are.

    `history` are the (role, text) turns before it, `expected` what is known of the right answer, `chosen`
    what the one who asks chose before.
    """

    question_id: str
    question: str
    history: tuple[tuple[str, str], ...]
    expected: str
    first: str
    second: str
    chosen: Choice | None = None


@dataclass(frozen=True, slots=True)
class NextPair:
    """The pair to be judged next, None: there is none; of `pairs` in all one has judged `judged`.

    Not among them are those that either side `refused`, and those whose answers are the `same`.
    """

    pairs: int
    judged: int
    refused: int
    same: int
    pair: BlindPair | None


@dataclass(frozen=True, slots=True)
class _Pairs:
    """What two sides answered: pairs to be judged, by question, and those that need no judging."""

    sides: Sides
    different: Mapping[str, AnswerPair]
    same: int
    refused: int


@dataclass(slots=True)
class BlindComparisons:
    """The kept runs in a folder, two at a time. A missing run, strategy or pair is a `NotFoundError`."""

    folder: Path
    store: PreferenceStore
    _read: Remembered[tuple[str, str, str, str], _Pairs] = field(
        default_factory=lambda: Remembered(MOST_REMEMBERED)
    )

    def next(self, a: Compared, b: Compared, by: str, question_id: str | None = None) -> NextPair:
        """The first pair that `by` has not judged yet, or that of a question, to be judged again."""
        pairs = self._pairs(a, b)
        own = self.store.preferred(pairs.sides).get(by, {})
        left = [one for one in pairs.different if one not in own]
        wanted = question_id or next(iter(left), None)
        if wanted is not None and wanted not in pairs.different:
            raise NotFoundError("There is no pair of answers to that question.")
        pair = None if wanted is None else _blind(pairs.different[wanted], by, own.get(wanted))
        judged = len(pairs.different) - len(left)
        return NextPair(len(pairs.different), judged, pairs.refused, pairs.same, pair)

    def prefer(self, a: Compared, b: Compared, question_id: str, choice: Choice, by: str) -> None:
        """Keeps which of the two `by` found better, as they were shown."""
        pairs = self._pairs(a, b)
        if question_id not in pairs.different:
            raise NotFoundError("There is no pair of answers to that question.")
        turned = _is_turned(question_id, by)
        places = {"first": "b" if turned else "a", "second": "a" if turned else "b"}
        self.store.prefer(pairs.sides, question_id, places.get(choice, "neither"), by=by)

    def found(self, a: Compared, b: Compared) -> dict[str, Any]:
        """Shares as `lodge eval head-to-head --json` has them, who judged how many, and their agreement.

        A question counts for what most of its judges prefer; without a majority, and where both answers are
        the same, for neither.
        """
        from server.evaluate.judging.head_to_head import counted

        pairs = self._pairs(a, b)
        people = self.store.preferred(pairs.sides)
        by_question: dict[str, list[Preference]] = {}
        for own in people.values():
            for question, preferred in own.items():
                if question in pairs.different:
                    by_question.setdefault(question, []).append(preferred)  # type: ignore[arg-type]
        verdicts = [_majority(words) for words in by_question.values()]
        alike: list[Preference] = ["neither"] * pairs.same
        shares = counted([*verdicts, *alike], pairs.refused, 0) if verdicts else None
        told = shares.as_json() if shares else None
        if told:
            del told["turned"]  # each sees an order of their own
        return {
            "a": pairs.sides.a,
            "b": pairs.sides.b,
            "pairs": len(pairs.different),
            "judged": len(verdicts),
            "same": pairs.same,
            "refused": pairs.refused,
            "shares": told,
            "people": {name: len(own) for name, own in people.items()},
            **_agreement(people),
        }

    def _pairs(self, a: Compared, b: Compared) -> _Pairs:
        from server.evaluate.judging.head_to_head import pairs_of
        from server.evaluate.runs import RunStore

        runs = RunStore(self.folder)
        names = runs.find(a.run), runs.find(b.run)

        def read() -> _Pairs:
            one, other = (
                _of_strategy(runs.load(name).evaluation.strategies, side.strategy)
                for name, side in zip(names, (a, b), strict=True)
            )
            pairs, refused = pairs_of(one, other)
            different = {pair.question.id: pair for pair in pairs if pair.a != pair.b}
            sides = Sides(*(f"{name} {own.strategy}" for name, own in zip(names, (one, other), strict=True)))
            return _Pairs(sides, different, sum(pair.a == pair.b for pair in pairs), refused)

        return self._read.get((names[0], a.strategy, names[1], b.strategy), read)


def _of_strategy(results: Sequence[StrategyResult], name: str) -> StrategyResult:
    found = next((one for one in results if name in ("", one.strategy)), None)
    if found is None:
        there = ", ".join(one.strategy for one in results)
        raise NotFoundError(f"The run has no strategy {name!r}. It has: {there}.")
    return found


def _is_turned(question_id: str, by: str) -> bool:
    """Whether somebody sees b first: as likely as not, and always the same for them."""
    return hashlib.sha256(f"{by}\n{question_id}".encode()).digest()[0] % 2 == 1


def _blind(pair: AnswerPair, by: str, preferred: str | None) -> BlindPair:
    turned = _is_turned(pair.question.id, by)
    first, second = (pair.b, pair.a) if turned else (pair.a, pair.b)
    places: dict[str | None, Choice] = {"a": "second" if turned else "first", "neither": "neither"}
    places["b"] = "first" if turned else "second"
    own = pair.question
    return BlindPair(own.id, own.question, own.history, pair.reference, first, second, places.get(preferred))


def _majority(words: Sequence[Preference]) -> Preference:
    """What more than half of them say; else neither."""
    word, count = Counter(words).most_common(1)[0]
    return word if 2 * count > len(words) else "neither"


def _agreement(people: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Cohen's kappa of each two people over what both judged, and Fleiss' of all over what all did."""
    from server.evaluate.judging.agreement import cohen_kappa, fleiss_kappa

    cohen = []
    for one, other in combinations(people, 2):
        both = [
            (people[one][question], people[other][question])
            for question in people[one]
            if question in people[other]
        ]
        if both:
            cohen.append({"people": [one, other], "n": len(both), "kappa": cohen_kappa(both)})
    shared = set.intersection(*(set(own) for own in people.values())) if people else set()
    fleiss = None
    if len(people) > 2 and shared:
        ratings = [[own[question] for own in people.values()] for question in sorted(shared)]
        fleiss = {"people": list(people), "n": len(shared), "kappa": fleiss_kappa(ratings)}
    return {"cohen": cohen, "fleiss": fleiss}

"""A small flow whose every score is written down: two searches fused by α, a reader, and an evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from server.ask.context import RerankOptions
from server.ask.rerank import rerank
from server.ask.trace import TraceLog
from server.evaluate.evaluate import AnswerFlow
from server.evaluate.questions import EvalQuestion
from server.models import Answer, Candidate, Event, Final, Hit, Passage, Question, Reading, Trace

SITE = "https://u.example/"


@dataclass(frozen=True)
class Found:
    """What the searches bring for a question: (semantic, keyword) by page, and how sure the flow is."""

    pages: Mapping[str, tuple[float, float]]
    evidence: float = 0.9


@dataclass
class SmallReader:
    """A cross-encoder that finds a passage relevant when its text says so; it counts what it reads."""

    weights: Mapping[str, float] = field(default_factory=dict)
    read_so_far: list[tuple[str, str]] = field(default_factory=list)

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        self.read_so_far += passages
        return [Reading(6.0 if "right" in text else -6.0 - len(text)) for _, text in passages]


@dataclass
class SmallAskers:
    """The flow by α, depth and threshold, over what is found for each question's text.

    A page's text is its name. A question whose text has an "N" is one of names, which leans on the words:
    its α is never below `least`. With `curved`, the fusion is not linear in α.
    """

    found: Mapping[str, Found]
    stop: float = 0.0
    snapshot: str = "small-1"
    least: float = 0.6
    curved: bool = False

    def asker(self, *, alpha: float, depth: int, threshold: float) -> AnswerFlow:
        return SmallAsker(self, alpha, depth, threshold)

    def given_alpha(self, text: str, alpha: float) -> float:
        return max(alpha, self.least) if "N" in text else alpha


@dataclass
class SmallAsker:
    """One of them."""

    askers: SmallAskers
    alpha: float
    depth: int
    threshold: float
    reader: SmallReader = field(default_factory=SmallReader)

    def ask(self, question: Question) -> Iterator[Event]:
        found, log = self.askers.found[question.text], TraceLog()
        candidates = self._retrieve(question.text, found, log)
        if "rerank" in (question.strategy or ""):
            options = RerankOptions(self.depth, stop=self.askers.stop)
            with log.step("rerank") as step:
                candidates = rerank(question.text, candidates, self.reader, options, step)
        with log.step("extract") as step:
            step.notes = {"evidence": found.evidence}
        refused = found.evidence < self.threshold
        strategy, snapshot = question.strategy or "", self.askers.snapshot
        trace = Trace("t", question.text, strategy, snapshot, {}, log.steps, log.passages)
        yield Final(_answer("" if refused else candidates[0].passage.text, refused, trace.snapshot), trace)

    def _retrieve(self, text: str, found: Found, log: TraceLog) -> list[Candidate]:
        alpha = self.askers.given_alpha(text, self.alpha)
        weight = alpha**2 if self.askers.curved else alpha
        passages = {
            number: Passage(number, SITE + name, name, "", name) for number, name in enumerate(found.pages, 1)
        }
        scores = {
            number: (1 - weight) * semantic + weight * keyword
            for number, (semantic, keyword) in enumerate(found.pages.values(), start=1)
        }
        ranked = sorted(scores, key=lambda number: (-scores[number], number))
        with log.step("retrieve") as step:
            step.ranking = [Hit(number, scores[number]) for number in ranked]
            step.notes = {"alpha": alpha}
            log.add_passages(passages)
        return [Candidate(passages[number], scores[number]) for number in ranked]


def _answer(text: str, refused: bool, snapshot: str) -> Answer:
    return Answer(
        text, refused, "no_evidence" if refused else None, "small", None, (), (), "", snapshot, "c", "m", "t"
    )


def questions(n: int) -> list[EvalQuestion]:
    """Questions "q0", "q1", … whose right page is "right"."""
    return [EvalQuestion(f"q{i}", f"q{i}", ("right",), (SITE + "right",), answerable=True) for i in range(n)]


def deep(rank: int) -> dict[str, tuple[float, float]]:
    """Pages among which the right one has this rank, whatever α; the later, the longer their names."""
    names = [f"p{'x' * i}" for i in range(1, rank)] + ["right"] + [f"p{'x' * i}" for i in range(rank, 60)]
    return {name: (math.exp(-i / 60), math.exp(-i / 60)) for i, name in enumerate(names)}

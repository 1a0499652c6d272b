"""Outcomes: what became of one question of a line, and of the line as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from server.ask.boost import BoostedPages
from server.ask.classify import Classification
from server.ask.contextualize import ContextualizedQuestion
from server.ask.scope import ScopeVerdict
from server.models import Candidate, RefusalReason

# Of several questions that are refused, the visitor is told the reason that leaves the most hope.
_REASONS: tuple[RefusalReason, ...] = ("no_evidence", "off_topic", "unsafe")


@dataclass(frozen=True, slots=True)
class Found:
    """What was retrieved for one question: as it was searched, best passages first, and its scope verdict."""

    question: str
    candidates: tuple[Candidate, ...] = ()
    about: Classification = field(default_factory=Classification)
    verdict: ScopeVerdict = "in_scope"
    boosted: BoostedPages = field(default_factory=BoostedPages)

    @property
    def closest(self) -> tuple[Candidate, ...]:
        """The candidates as they are shown where nothing is answered: pinned pages first."""
        return tuple(sorted(self.candidates, key=lambda one: not self.boosted.pins(one.passage.url)))


@dataclass(frozen=True, slots=True)
class PartOutcome:
    """What became of one question: who answered it, or why nobody did; and what was found for it.

    `is_said`: the visitor has read something for it although it was refused.
    """

    part: ContextualizedQuestion
    answerer: str = ""
    reason: RefusalReason | None = None
    degraded: str | None = None
    found: Found | None = None
    is_said: bool = False

    @property
    def verdict(self) -> ScopeVerdict:
        """Whether it is the site's business."""
        return self.found.verdict if self.found else "in_scope"


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What became of the whole line; `question` is what was asked, as it stands alone."""

    answerer: str
    question: str = ""
    reason: RefusalReason | None = None
    degraded: str | None = None
    candidates: tuple[Candidate, ...] = ()
    about: Classification = field(default_factory=Classification)

    @property
    def refused_topics(self) -> tuple[str, ...]:
        """What a refused question is about; what is off topic is about none of the site's topics."""
        return self.about.allowed if self.reason == "no_evidence" else ()


def most_hopeful(refused: Sequence[PartOutcome]) -> PartOutcome:
    """The refused question whose reason is given for all."""
    return min(refused, key=lambda one: _REASONS.index(one.reason or "no_evidence"))


def summed_up(parts: Sequence[PartOutcome], *, is_helped: bool) -> LineOutcome:
    """One outcome of all questions. Help lines with nothing found beside them are no refusal."""
    answered = [one for one in parts if not one.reason]
    question = " ".join(one.found.question if one.found else one.part.question for one in parts)
    if not answered and (is_helped or not parts):
        return LineOutcome("help", question)
    main = answered[0] if answered else most_hopeful(parts)
    found = main.found or next((one.found for one in parts if one.found), None)
    outcome = LineOutcome(
        main.answerer or "extractive",
        question,
        degraded=next((one.degraded for one in parts if one.degraded), None),
        candidates=found.closest if found else (),
        about=found.about if found else Classification(),
    )
    return outcome if answered else replace(outcome, reason=main.reason)

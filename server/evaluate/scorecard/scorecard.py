"""The whole scorecard: its figures, what they rest on, what others have published, and what it cannot say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from server.errors import BadInputError
from server.evaluate.scorecard.asked import ScoredAnswer
from server.evaluate.scorecard.attacks import AttackOutcome, as_rows
from server.evaluate.scorecard.figures import (
    ScoreFigure,
    ScoreGroup,
    all_figures,
    groups_by,
    off_scope_kinds,
)

FEW = 30  # of fewer questions a share says little


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """What another assistant has published; `beside` is our figure's name, `of` None where n was not told."""

    beside: str
    system: str
    value: float
    says: str
    source: str
    of: int | None = None


@dataclass(frozen=True, slots=True)
class ScoreMade:
    """What a scorecard was made with. `sets` has each file's name and how many questions of it were asked.

    `writes`: a language model writes answers. `day`: the ISO 8601 day that is today; None: the machine's.
    """

    created_at: str
    site: str
    lodge: str
    command: str
    snapshot: str
    pages: int
    chunks: int
    strategy: str
    day: str | None
    models: Mapping[str, str]
    sets: Mapping[str, int]
    machine: str
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Scorecard:
    """A site's published figures; groups by kind of grouping ("by topic"), empty ones left out.

    `asked` has what became of each question and attack, by its id.
    """

    made: ScoreMade
    figures: tuple[ScoreFigure, ...]
    groups: Mapping[str, tuple[ScoreGroup, ...]]
    attacks: tuple[Mapping[str, Any], ...]
    published: tuple[PublishedFigure, ...]
    cannot_say: tuple[str, ...]
    asked: tuple[Mapping[str, Any], ...] = ()

    def figure(self, name: str) -> ScoreFigure | None:
        """One figure; None where it could not be judged."""
        return next((one for one in self.figures if one.name == name), None)

    def beside(self, name: str) -> tuple[PublishedFigure, ...]:
        """What others have published of that."""
        return tuple(one for one in self.published if one.beside == name)

    @classmethod
    def of_json(cls, document: Any) -> Scorecard:
        """The one that `as_json` wrote; a `BadInputError` when it is none."""
        try:
            return msgspec.convert(document, cls)
        except msgspec.ValidationError as error:
            raise BadInputError(f"This is no scorecard: {error}.") from error

    def as_json(self) -> dict[str, Any]:
        """The JSON document of `lodge scorecard --json`."""
        document: dict[str, Any] = {
            "made": asdict(self.made),
            "figures": [_figure_json(one) for one in self.figures],
            "published": [asdict(one) for one in self.published],
            "groups": {
                by: [
                    {
                        "name": one.name,
                        "questions": one.questions,
                        "figures": {name: _figure_json(f) for name, f in one.figures.items()},
                    }
                    for one in groups
                ]
                for by, groups in self.groups.items()
            },
            "attacks": list(self.attacks),
            "cannot_say": list(self.cannot_say),
            "asked": list(self.asked),
        }
        plain: dict[str, Any] = msgspec.to_builtins(document)
        return plain


def scorecard_of(
    made: ScoreMade,
    answers: Sequence[ScoredAnswer],
    off_scope: Sequence[ScoredAnswer],
    attacks: Sequence[AttackOutcome],
    published: Sequence[PublishedFigure],
) -> Scorecard:
    """A scorecard of what was asked."""
    groups = {
        "question set": groups_by(answers, lambda one: one.of),
        "topic": groups_by(answers, lambda one: one.topic),
        "kind of question": groups_by(answers, lambda one: one.kind),
        "language": groups_by(answers, lambda one: one.lang),
        "kind of off-scope question": off_scope_kinds(off_scope),
    }
    figures = all_figures(answers, off_scope, attacks)
    return Scorecard(
        made,
        figures,
        {by: found for by, found in groups.items() if found},
        tuple(as_rows(attacks)),
        tuple(published),
        tuple(_cannot_say(made, figures, answers)),
        (*(one.as_row() for one in (*answers, *off_scope)), *(one.as_row() for one in attacks)),
    )


def _figure_json(one: ScoreFigure) -> dict[str, Any]:
    return {**asdict(one), "label": one.label, "over": one.over}


def _cannot_say(
    made: ScoreMade, figures: Sequence[ScoreFigure], answers: Sequence[ScoredAnswer]
) -> Iterator[str]:
    """What a reader might take the figures for and must not, most weighty first."""
    there = {one.name: one for one in figures}
    yield (
        "The questions are those of the files named above. Most were written by people who had read the "
        "pages: they are no sample of what visitors ask, and those who know a site ask otherwise."
    )
    yield (
        "“Right” means that the answer holds the strings that a right answer must hold. One that says "
        "something false beside them passes, and one that says it in other words fails."
    )
    sure = [one for one in answers if one.question.answerable and one.tier == "answer"]
    unjudged = sum(one.right is None for one in sure)
    if "right_of_answered" not in there:
        yield "How many answers are right: no question asked here names the answer it wants."
    elif unjudged:
        yield (
            f"Whether {unjudged} of the {len(sure)} confident answers to questions that the site answers are "
            "right: these questions name no string that a right answer must hold. They count as neither."
        )
    if made.writes:
        yield (
            "Whether what the language model wrote is supported: comparing words cannot judge it, so its "
            "answers are left out of “shown without its source saying so”."
        )
    yield (
        "“Shown without its source saying so” compares words. It does not see a true line quoted for the "
        "wrong question: that counts against “right”."
    )
    yield (
        "Other systems' figures are of other sites, questions and judges, and most have no interval. "
        "Standing side by side they compare nothing."
    )
    yield (
        "The attacks are known kinds, not the next one. A count of zero of n leaves room for a share of up "
        "to about 3 / n."
    )
    yield (
        "Answers and rules that editors have set are not part of it: the pages alone are asked. Nor is what "
        "a conversation brings, but where a question names the turns before it."
    )
    yield "The times are of one question at a time on the machine named above, whatever else it did."
    few = [one.label for one in figures if one.n < FEW]
    if few:
        yield f"Of fewer than {FEW} questions a share says little: {'; '.join(few)}."

"""Golden questions asked: by the flow that answers visitors, and judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from server.ask.pipeline import Asker
from server.errors import BadInputError, LodgeError, NotReadyError
from server.evaluate.questions import EvalQuestion
from server.models import Question
from server.models.golden import GoldenOutcome, GoldenQuestion, outcome_of
from server.workbench.answering import AnsweringParts, asked
from server.workbench.checks import is_id, name_of
from server.workbench.golden.store import GoldenStore, RunRow, checked_golden
from server.workbench.jobs import JobProgress


def ask_golden(
    asker: Asker, questions: Sequence[GoldenQuestion], progress: JobProgress | None = None
) -> list[GoldenOutcome]:
    """What becomes of each, in their order. `asker` should record nothing: see `Asker.otherwise`."""
    outcomes = []
    for done, golden in enumerate(questions):
        if progress:
            progress.at(done, len(questions), golden.question)
        outcomes.append(outcome_of(golden, asked(asker, golden.question, golden.site).answer))
    return outcomes


def ask_every_site(
    asker: Asker, questions: Sequence[GoldenQuestion], progress: JobProgress | None = None
) -> list[GoldenOutcome]:
    """The same for the questions of many sites, those of one together, each by its own site's strategy."""
    outcomes: list[GoldenOutcome] = []
    for site, of_site in groupby(questions, key=lambda one: one.site):
        part = progress.part(len(outcomes), len(questions)) if progress else None
        flow = asker.otherwise(replace(asker.options, strategy=strategy_of(asker, site)))
        outcomes += ask_golden(flow, list(of_site), part)
    return outcomes


def strategy_of(asker: Asker, site: str) -> str:
    """How visitors of a site are answered: by its own strategy, else the server's."""
    known = asker.site_config.site(site)
    return (known.strategy if known else "") or asker.options.strategy


@dataclass(frozen=True, slots=True)
class GoldenRuns:
    """Asks all golden questions of a site over the live snapshot, on the models that answer visitors."""

    answering: AnsweringParts
    store: GoldenStore

    def check(self, site: str, strategy: str | None = None) -> None:
        """`BadInputError` where there is nothing to ask, or no such strategy: before the work begins."""
        if not self.store.all(site):
            raise BadInputError(f"The site {site!r} has no golden questions yet; add one first.")
        asker = self.answering().asker
        named = strategy or strategy_of(asker, site)
        with suppress(NotReadyError):  # no snapshot yet
            next(asker.ask(Question("known?", "", "", "", strategy=named)))

    def run(self, site: str, strategy: str | None, by: str, progress: JobProgress | None = None) -> RunRow:
        """Asks them, keeps the run, and returns it.

        Nothing else is recorded. Without a strategy the site's own is taken, else the server's. A snapshot
        that is swapped meanwhile is a `LodgeError`: such a run would be one of neither.
        """
        parts = self.answering()
        named = strategy or strategy_of(parts.asker, site)
        flow = parts.asker.otherwise(replace(parts.asker.options, strategy=named))
        snapshot = parts.snapshot
        outcomes = ask_golden(flow, self.store.all(site), progress)
        if (now := parts.snapshot) != snapshot:
            raise LodgeError(f"The snapshot changed from {snapshot} to {now} meanwhile; ask them again.")
        number = self.store.note_run(
            outcomes, site=site, occasion="asked", snapshot=snapshot, strategy=named, by=by
        )
        return self.store.run(number)


def golden_questions(
    questions: Sequence[EvalQuestion], path: Path, site: str, warn: Callable[[str], None]
) -> list[GoldenQuestion]:
    """The questions of the file `path` as golden ones of a site, ready to be kept.

    What cannot be kept is named by `warn` and left out: follow-ups (a golden question is asked by itself),
    addresses that are none. A file of nothing else is a `BadInputError`.
    """
    kept: dict[str, GoldenQuestion] = {}
    for question in questions:
        try:
            golden = checked_golden(_golden(question, site))
            if golden.id in kept:
                raise BadInputError("another question of the file has the same id.")
        except BadInputError as error:
            warn(f"{path.name}, {question.id}: {error.message}")
        else:
            kept[golden.id] = golden
    if not kept:
        raise BadInputError(f"{path} has no question that can be kept.")
    return list(kept.values())


def _golden(question: EvalQuestion, site: str) -> GoldenQuestion:
    if question.history:
        raise BadInputError("it follows on others; a golden question is asked by itself.")
    refuse = question.answerable is False
    return GoldenQuestion(
        question.id if is_id(question.id) else name_of(question.id) or name_of(question.question),
        site,
        question.question,
        () if refuse else question.gold_urls,
        () if refuse else question.answers,
        refuse,
        question.topic,
        known_gap=question.known_gap,
        source="visitors" if question.source == "visitors" else "",
    )

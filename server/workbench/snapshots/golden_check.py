"""Golden questions over a new snapshot beside the live one: what breaks, and what was wrong before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Protocol

from server.ask.pipeline import Asker
from server.errors import LodgeError
from server.ingest.publish import SnapshotStore
from server.models.golden import GoldenOutcome, GoldenQuestion
from server.workbench.golden.service import ask_every_site, strategy_of
from server.workbench.jobs import JobProgress

NAMED_AT_MOST = 10

# The folder of a snapshot → a flow that answers from it alone, and records nothing.
AskerOver = Callable[[Path], AbstractContextManager[Asker]]

# A golden question that fails: id, site, question, failure (a sentence), and known_gap where it is one.
Failed = dict[str, str]


@dataclass(frozen=True, slots=True)
class GoldenCheck:
    """How many golden questions were asked over a new snapshot, and those that fail over it.

    `broken` are answered rightly over the live one, `still_wrong` over neither; `known_gaps` are marked so.
    """

    asked: int = 0
    broken: list[Failed] = field(default_factory=list)
    still_wrong: list[Failed] = field(default_factory=list)
    known_gaps: list[Failed] = field(default_factory=list)

    @property
    def says(self) -> str:
        """What became of them, as a sentence; empty where none was asked."""
        if not self.asked:
            return ""
        told = (
            (len(self.broken), "not any more"),
            (len(self.still_wrong), "wrong as before"),
            (len(self.known_gaps), "known gaps"),
        )
        right = self.asked - sum(count for count, _ in told)
        why = ", ".join(f"{count} {words}" for count, words in told if count)
        return f"{right} of {self.asked} golden questions are answered rightly{why and f' ({why})'}."


class GoldenOutcomes(Protocol):
    """Where runs of golden questions are kept."""

    def note_run(  # noqa: PLR0913  (what a run was, each by its name)
        self,
        outcomes: Sequence[GoldenOutcome],
        *,
        site: str,
        occasion: str,
        snapshot: str,
        strategy: str,
        by: str,
    ) -> int:
        """Keeps a run; returns its number."""

    def failed_over(self, snapshot: str) -> set[str]:
        """The ids of those that failed when they were last asked over a snapshot."""


@dataclass(frozen=True, slots=True)
class GoldenChecker:
    """Asks golden questions over snapshots; `warn` is told where the live one cannot be asked."""

    shelf: SnapshotStore
    store: GoldenOutcomes
    asker_over: AskerOver
    warn: Callable[[str], None]

    def check(
        self,
        folder: Path,
        live: str | None,
        questions: Sequence[GoldenQuestion],
        by: str,
        progress: JobProgress | None,
    ) -> GoldenCheck:
        """What becomes of each over the snapshot in `folder`, kept as a run of each site.

        Those that fail are asked over the live one too. `LodgeError` where the new one cannot be asked.
        """
        with self.asker_over(folder) as asker:
            outcomes = ask_every_site(asker, questions, progress)
            self._keep(questions, outcomes, asker, folder.name, by)
        wrong = {one.golden_id: one.failure for one in outcomes if one.failure}
        fails = [one for one in questions if one.id in wrong]
        held = [one for one in fails if not one.known_gap]
        before = self._wrong_over(live, held)
        return GoldenCheck(
            len(questions),
            [failed(one, wrong[one.id]) for one in held if one.id not in before],
            [failed(one, wrong[one.id]) for one in held if one.id in before],
            [failed(one, wrong[one.id]) for one in fails if one.known_gap],
        )

    def _wrong_over(self, live: str | None, questions: Sequence[GoldenQuestion]) -> set[str]:
        """The ids of those to which visitors get no right answer now; all of them where nothing is live.

        Where the live one cannot be asked (it was made with another model, say), what became of them when
        they were last asked over it; of those that never were, nothing is known, and they count as right.
        """
        if live is None:
            return {one.id for one in questions}
        if not questions:
            return set()
        try:
            with self.asker_over(self.shelf.require(live)) as asker:
                outcomes = ask_every_site(asker, questions)
        except LodgeError as error:
            self.warn(f"The golden questions could not be asked over the live snapshot: {error.message}")
            return self.store.failed_over(live)
        return {one.golden_id for one in outcomes if one.failure}

    def _keep(
        self,
        questions: Sequence[GoldenQuestion],
        outcomes: Sequence[GoldenOutcome],
        asker: Asker,
        name: str,
        by: str,
    ) -> None:
        told = zip(questions, outcomes, strict=True)
        for site, of_site in groupby(told, key=lambda pair: pair[0].site):
            self.store.note_run(
                [outcome for _, outcome in of_site],
                site=site,
                occasion="publish",
                snapshot=name,
                strategy=strategy_of(asker, site),
                by=by,
            )


def failed(question: GoldenQuestion, failure: str | None) -> Failed:
    """One that fails, as it is told."""
    one = {"id": question.id, "site": question.site, "question": question.question, "failure": failure or ""}
    return one | ({"known_gap": question.known_gap} if question.known_gap else {})


def blocked(name: str, found: GoldenCheck) -> str:
    """Why a snapshot is not published, as a sentence."""
    broken = found.broken
    named = "; ".join(f"{one['site']}/{one['id']}: {one['failure']}" for one in broken[:NAMED_AT_MOST])
    more = f"; and {len(broken) - NAMED_AT_MOST} more" if len(broken) > NAMED_AT_MOST else ""
    return (
        f"{name} is not published: {len(broken)} of {found.asked} golden questions are answered rightly now "
        f"and fail over it ({named}{more}). The live snapshot stays as it is."
    )

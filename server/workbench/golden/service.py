"""Golden questions asked: by the flow that answers visitors, and judged."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from server.ask.pipeline import Asker
from server.ask.ports import SiteDirectory
from server.errors import BadInputError, LodgeError
from server.index.manager import SnapshotManager
from server.models import Final, Question
from server.models.golden import GoldenOutcome, GoldenQuestion, outcome_of
from server.storage.golden import GoldenStore
from server.wiring.flow import require_strategies
from server.wiring.opened import OpenedSnapshot
from server.workbench.jobs import Progress


def ask_golden(
    asker: Asker, questions: Sequence[GoldenQuestion], progress: Progress | None = None
) -> list[GoldenOutcome]:
    """What becomes of each, in their order. `asker` should record nothing: see `Asker.otherwise`."""
    outcomes = []
    for done, golden in enumerate(questions):
        if progress:
            progress.at(done, len(questions), golden.question)
        outcomes.append(outcome_of(golden, asked(asker, golden.question, golden.site).answer))
    return outcomes


def ask_every_site(
    asker: Asker, questions: Sequence[GoldenQuestion], progress: Progress | None = None
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


def asked(asker: Asker, text: str, site: str) -> Final:
    """One question with nothing before it, asked to the end."""
    conversation_id, message_id, trace_id = (uuid.uuid4().hex for _ in range(3))
    for event in asker.ask(Question(text, conversation_id, message_id, trace_id, site)):
        if isinstance(event, Final):
            return event
    raise LodgeError("The question's flow ended without an answer.")


@dataclass(frozen=True, slots=True)
class GoldenRuns:
    """Asks all golden questions of a site over the live snapshot, on the models that answer visitors."""

    asker: Asker
    live: SnapshotManager[OpenedSnapshot]
    sites: SiteDirectory
    shelf: GoldenStore

    def check(self, site: str, strategy: str | None = None) -> None:
        """`BadInputError` where there is nothing to ask, or no such strategy: before the work begins."""
        if not self.shelf.all(site):
            raise BadInputError(f"The site {site!r} has no golden questions yet; add one first.")
        require_strategies(self.asker, [self._strategy(site, strategy)])

    def run(
        self, site: str, strategy: str | None, by: str, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Asks them, keeps the run, and returns it: its keys are those of `GoldenHistory.run`.

        Nothing else is recorded. Without a strategy the site's own is taken, else the server's. A snapshot
        that is swapped meanwhile is a `LodgeError`: such a run would be one of neither.
        """
        named = self._strategy(site, strategy)
        flow = self.asker.otherwise(replace(self.asker.options, strategy=named))
        snapshot = self._snapshot()
        outcomes = ask_golden(flow, self.shelf.all(site), progress)
        if (now := self._snapshot()) != snapshot:
            raise LodgeError(f"The snapshot changed from {snapshot} to {now} meanwhile; ask them again.")
        number = self.shelf.note_run(
            outcomes, site=site, occasion="asked", snapshot=snapshot, strategy=named, by=by
        )
        return self.shelf.run(number)

    def _strategy(self, site: str, strategy: str | None) -> str:
        known = self.sites.get(site)
        return strategy or (known.strategy if known else "") or self.asker.options.strategy

    def _snapshot(self) -> str:
        with self.live.lease() as opened:
            return opened.name

"""The parts that answer questions, put together: live snapshot, records, sites, flow."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from server.ask.normalize import Filters
from server.ask.pipeline import Asker
from server.ask.strategy.modes import Mode
from server.errors import BadInputError, LodgeError, ModelError, NotReadyError
from server.index.manager import SnapshotManager
from server.index.snapshot import Snapshot
from server.inference.encoders import Embedder
from server.models import Answer, Event, Question, Vitals
from server.models.golden import GoldenOutcome
from server.settings import Settings
from server.sites.table import SiteStore
from server.storage.audit import COMMAND_LINE
from server.wiring.examples import GoldenExamples, passed_answers
from server.wiring.flow import build_asker, build_embedder, build_paraphraser, build_verifier
from server.wiring.notifying import build_notifications
from server.wiring.opened import FixedSnapshot, OpenedSnapshot, build_live, open_folder
from server.wiring.opening import (
    build_records,
    build_rules,
    build_site_config,
    build_sites,
    edit_sites,
    masker_of,
    site_defaults,
)
from server.wiring.page_questions import of_records
from server.wiring.private_copy import private_copy
from server.wiring.snapshot_store import shelf as snapshot_shelf
from server.wiring.vitals import sentences, take_vitals
from server.workbench.answering import Answering, AnsweringParts, last_event
from server.workbench.clock import Clock
from server.workbench.conversations.retention_store import DailyPurge, keep_of
from server.workbench.coverage.service import CoverageService
from server.workbench.crawls.service import CrawlService
from server.workbench.curation.trial import DraftPreviews
from server.workbench.evaluations.service import KeptEvaluations
from server.workbench.gaps.service import GapService
from server.workbench.golden.service import GoldenRuns
from server.workbench.golden.store import RunRow
from server.workbench.hours.service import HoursService
from server.workbench.job_store import JobStore
from server.workbench.jobs import JobProgress, Jobs
from server.workbench.labelling.service import LabellingService
from server.workbench.mending.service import MendingService
from server.workbench.notifications.service import NotificationService
from server.workbench.owners.service import OwnerService
from server.workbench.records import Records
from server.workbench.snapshots.golden_check import AskerOver
from server.workbench.snapshots.publishing import SnapshotPublisher
from server.workbench.snapshots.service import SnapshotService
from server.workbench.traces.service import TraceService

logger = logging.getLogger("lodge.parts")

PURGE_LOOK_S = 3_600.0
TELL_EVERY_S = 20.0
FILES_LOOK_S = 1.0  # a few microseconds each time, so that a damaged snapshot is told of at once


class UnreadyAsker:
    """Stands in while a part is missing, and says which."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def ask(self, question: Question) -> Iterator[Event]:
        """`NotReadyError`, always, and as late as every asker raises: at the first event."""
        yield from self._nothing()

    def _nothing(self) -> Iterator[Event]:
        raise NotReadyError(self._reason)

    def close(self) -> None:
        """There is nothing to let go of."""


class Serving:
    """The parts of a running server."""

    def __init__(  # noqa: PLR0913, PLR0917  (a server has so many parts)
        self,
        asker: Asker | UnreadyAsker,
        live: SnapshotManager[OpenedSnapshot] | None,
        records: Records,
        sites: SiteStore,
        trouble: str | None,
        answering: AnsweringParts,
        evaluations: KeptEvaluations,
        snapshots: SnapshotService,
    ) -> None:
        self.asker = asker
        self.records = records
        self.sites = sites
        self.traces = TraceService(answering, snapshots.settings.crawl_dir, records.rulebooks.draft_of)
        self.previews = DraftPreviews(
            answering,
            records.curation,
            records.golden.all,
            records.search.first_questions,
            records.coverage.citations,
        )
        self.mending = MendingService(
            answering, records.search.first_questions, self.previews, records.gaps, records.rulebooks
        )
        self.labelling = LabellingService(records.labels, records.golden, records.conversations, answering)
        self.hours = HoursService(records.hours, answering)
        self.gaps = GapService(records.gaps, answering)
        self.coverage = CoverageService(records.coverage, answering)
        self.golden = GoldenRuns(answering, records.golden)
        self.evaluations = evaluations
        self.snapshots = snapshots
        self.jobs = snapshots.jobs
        self.crawls = CrawlService(snapshots.settings, records, self.jobs, snapshots)
        self.notifications: NotificationService = build_notifications(
            snapshots.settings, records, self.coverage
        )
        self.owners = OwnerService(records, self.notifications.findings.upkeep)
        self._clock = Clock(self.start_due)
        self._telling = Clock(self.notifications.look, every_s=TELL_EVERY_S)
        purge = DailyPurge(records.retention, keep_of(snapshots.settings))
        self._purging = Clock(purge, every_s=PURGE_LOOK_S)
        self._watching = Clock(self._look_at_files, every_s=FILES_LOOK_S)
        self._live = live
        self._trouble = trouble

    def follow_schedules(self) -> None:
        """Start what is due, and follow the snapshots' files and other servers' jobs, until it is closed."""
        self._clock.start()
        self._purging.start()
        self._watching.start()
        self._telling.start()
        self.jobs.watch()

    def start_due(self, now: datetime) -> None:
        """Start the crawls that are due; put what was not answered well into its gaps, and ask the questions
        of mended gaps again where there is a newer snapshot."""
        self.crawls.start_due(now)
        self.gaps.begin(self.jobs, "the server's clock")

    def _look_at_files(self, _now: datetime) -> None:
        if self._live is not None:
            self._live.look()

    @property
    def readiness(self) -> Serving:
        """This object: it knows its own state."""
        return self

    def missing(self) -> list[str]:
        """A sentence for each part that is missing."""
        missing = [self._trouble] if self._trouble else []
        if self._live is not None:
            try:
                with self._live.lease():
                    pass
            except LodgeError as error:
                missing.append(error.message)
        try:
            self.records.tokens.all()
        except LodgeError as error:
            missing.append(error.message)
        return missing

    def degraded(self) -> list[str]:
        """A sentence for each part that answers can do without, and now must, or soon will have to."""
        return sentences(self.vitals())

    def vitals(self) -> Vitals:
        """The figures behind the sentences."""
        rests = self.asker.writer_rests if isinstance(self.asker, Asker) else None
        return take_vitals(self._live, rests, self.snapshots.settings.home)

    def close(self) -> None:
        """End what is done aside, and let go of files and of the language model."""
        self._clock.close()
        self._purging.close()
        self._watching.close()
        self._telling.close()
        self.jobs.close()
        self.asker.close()
        if self._live is not None:
            self._live.close()
        self.records.close()


def build_serving(settings: Settings) -> Serving:
    """The server's parts. A missing model or snapshot does not keep it from starting; `/readyz` tells."""
    if settings.chat_mode == Mode.SIMPLE:
        raise BadInputError("LODGE_CHAT_MODE=simple answers from no page: it is for `lodge eval` alone.")
    sites = SiteStore(settings.sites_path, settings.home, site_defaults(settings))
    records, evaluations = build_records(settings), KeptEvaluations(settings.home / "eval" / "runs")
    rules = build_rules(records)
    edit_sites(sites, rules, settings)
    records.conversations.mask_by(masker_of(settings, sites))
    try:
        embedder = build_embedder(settings)
        live = build_live(settings, settings.current_snapshot, embedder, partial(of_records, records))
        verifier = build_verifier(settings)
        paraphraser = build_paraphraser(settings, embedder, verifier)
        site_config = build_site_config(settings, sites, records, paraphraser, rules)
        examples = GoldenExamples(partial(passed_answers, records.golden), embedder.embed_questions)
        asker = build_asker(settings, live, embedder, records.conversations, site_config, examples, verifier)
        desk = _snapshot_desk(settings, records, sites, partial(_asker_over, settings, asker, embedder))
        desk.embedder_sha256 = embedder.sha256
        parts = Answering(asker, live.lease, embedder, paraphraser)
        return Serving(asker, live, records, sites, None, lambda: parts, evaluations, desk)
    except ModelError as error:
        trouble = error.message
        missing = partial(_not_ready, trouble)
        desk = _snapshot_desk(settings, records, sites, missing)
        return Serving(UnreadyAsker(trouble), None, records, sites, trouble, missing, evaluations, desk)


def _not_ready(trouble: str, _folder: Path | None = None) -> Any:
    """Where a model is missing, nobody can be asked, over the live snapshot or over another."""
    raise NotReadyError(trouble)


def _snapshot_desk(
    settings: Settings, records: Records, sites: SiteStore, asker_over: AskerOver
) -> SnapshotService:
    onto = snapshot_shelf(settings)
    publisher = SnapshotPublisher(
        onto, settings.keep_snapshots, records, asker_over, logger.warning, sites.all
    )
    jobs = Jobs(JobStore(records.transactions))
    return SnapshotService(settings, publisher, records, jobs, partial(_open_aside, settings))


@contextmanager
def _open_aside(settings: Settings, folder: Path) -> Iterator[Snapshot]:
    """A snapshot to be looked at: a copy of it, so that nothing done to its files reaches the server."""
    with private_copy(settings, folder) as copy, closing(Snapshot(copy, settings.duckdb_threads)) as snapshot:
        yield snapshot


@contextmanager
def _asker_over(settings: Settings, asker: Asker, embedder: Embedder, folder: Path) -> Iterator[Asker]:
    """The flow that answers visitors, over another snapshot that is opened aside."""
    with closing(open_folder(settings, folder, embedder)) as opened:
        yield asker.over(FixedSnapshot(opened).lease)


@contextmanager
def _command_flow(settings: Settings, *, keeps: bool) -> Iterator[tuple[Answering, Records]]:
    """What one command asks with, over the live snapshot; `keeps` answers like a visitor's."""
    embedder = build_embedder(settings)
    with ExitStack() as opened:
        records = opened.enter_context(closing(build_records(settings)))
        more = partial(of_records, records)
        live = opened.enter_context(closing(build_live(settings, settings.current_snapshot, embedder, more)))
        verifier = build_verifier(settings)
        paraphraser = build_paraphraser(settings, embedder, verifier)
        site_config = build_site_config(settings, build_sites(settings), records, paraphraser)
        store = records.conversations if keeps else None
        examples = GoldenExamples(partial(passed_answers, records.golden), embedder.embed_questions)
        asker = build_asker(settings, live, embedder, store, site_config, examples, verifier)
        yield Answering(opened.enter_context(closing(asker)), live.lease, embedder, paraphraser), records


def ask_once(settings: Settings, text: str, strategy: str | None, **filters: Any) -> Answer:
    """One question through the whole flow, recorded like a visitor's; `filters` are those of `Filters`."""
    within = Filters(**filters).scope()
    with _command_flow(settings, keeps=True) as (answering, records):
        conversation_id, message_id, trace_id = (uuid.uuid4().hex for _ in range(3))
        masker = masker_of(settings, answering.asker.site_config.sites)
        records.conversations.mask_by(masker)
        masked = masker().masked(text) if masker else text
        question = Question(masked, conversation_id, message_id, trace_id, strategy=strategy, within=within)
        return last_event(answering.asker, question).answer


def run_golden(
    settings: Settings, site: str, strategy: str | None, on_progress: Callable[[int, int], None]
) -> tuple[RunRow, tuple[GoldenOutcome, ...]]:
    """Asks all golden questions of a site, keeps the run, and returns it with what became of each."""
    with _command_flow(settings, keeps=False) as (answering, records):
        runs = GoldenRuns(lambda: answering, records.golden)
        runs.check(site, strategy)
        progress = JobProgress(lambda **now: on_progress(now["done"], now["total"]))
        run = runs.run(site, strategy, COMMAND_LINE, progress)
        return run, records.golden.outcomes(run.number)

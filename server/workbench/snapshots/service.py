"""What the console does with snapshots: look, compare, build, publish, roll back. Long work is a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from server.errors import BadInputError, ConflictError, StorageError
from server.index.compare import KINDS, SnapshotComparison, compare, compare_page
from server.index.snapshot import Manifest, Snapshot
from server.ingest.crawl.contents import last_crawls
from server.ingest.publish import SnapshotStore
from server.models.golden import GoldenOutcome, GoldenQuestion
from server.settings import Settings
from server.workbench.golden.service import ask_every_site
from server.workbench.job_store import Job
from server.workbench.jobs import JobProgress, Jobs, Restart
from server.workbench.records import Records
from server.workbench.remembered import Remembered
from server.workbench.running import run_command
from server.workbench.snapshots.publishing import SnapshotPublisher

REMEMBERED = 4  # comparisons; a snapshot never changes
RUNS_LOOKED_AT = 200

# A snapshot's folder → that snapshot, opened to be looked at.
OpenSnapshot = Callable[[Path], AbstractContextManager[Snapshot]]


@dataclass(slots=True)
class SnapshotService:
    """The snapshots of a running server. `embedder_sha256` is the model's that questions are embedded by."""

    settings: Settings
    publisher: SnapshotPublisher
    records: Records
    jobs: Jobs
    open_snapshot: OpenSnapshot
    embedder_sha256: str | None = None
    _compared: Remembered[tuple[str, str], SnapshotComparison] = field(
        default_factory=lambda: Remembered(REMEMBERED)
    )

    def __post_init__(self) -> None:
        restarts = self.jobs.restarts
        restarts["index"] = Restart("developer", lambda _about, _given, by: self.build(by=by))
        restarts["publish"] = Restart(
            "developer", lambda _about, given, by: self.publish(given["name"], given["override"], by=by)
        )
        restarts["comparison"] = Restart(
            "editor", lambda _about, given, by: self.compare_golden(given["before"], given["after"], by=by)
        )

    @property
    def shelf(self) -> SnapshotStore:
        """Where they stand."""
        return self.publisher.shelf

    def all(self) -> list[dict[str, Any]]:
        """Every snapshot, the newest first; `usable`: made with the model that questions are embedded by.

        `checked` says how many golden questions passed, failed and are known gaps, when it was to be
        published, or is null.
        """
        checked = self._checked()
        return [
            asdict(entry)
            | {
                "usable": self.embedder_sha256 in (None, entry.embedder_sha256),
                "checked": checked.get(entry.name),
            }
            for entry in self.shelf.entries()
        ]

    def manifest(self, name: str) -> dict[str, Any]:
        """What a snapshot was made of and with."""
        manifest = Manifest.read(self.shelf.require(name)).as_json()
        return manifest | {"current": name == self.shelf.current_name}

    def compare(
        self, before: str, after: str, kind: str | None, *, offset: int, limit: int
    ) -> dict[str, Any]:
        """Counts of pages in, out, changed and the same, and some of those of one kind (or of all)."""
        if kind not in (None, *KINDS):
            raise BadInputError(f"There is no kind {kind!r}. There are: {', '.join(KINDS)}.")
        comparison = self._comparison(before, after)
        wanted = [change for one in KINDS if kind in (None, one) for change in comparison.changes[one]]
        following = offset + limit
        return {
            "before": before,
            "after": after,
            "counts": {one: len(comparison.changes[one]) for one in KINDS} | {"same": comparison.same},
            "pages": [asdict(change) for change in wanted[offset:following]],
            "next": following if following < len(wanted) else None,
        }

    def compare_page(self, before: str, after: str, url: str) -> dict[str, Any]:
        """The passages of one page that only one of two snapshots has."""
        with self._both(before, after) as (old, new):
            found = compare_page(old, new, url)
        return {
            "url": found.url,
            "only_before": [{"heading": heading, "text": text} for heading, text in found.only_before],
            "only_after": [{"heading": heading, "text": text} for heading, text in found.only_after],
        }

    def compare_golden(self, before: str, after: str, *, by: str) -> Job:
        """A job that asks every golden question over both, and says which come out otherwise."""
        folders = [self.shelf.require(name) for name in (before, after)]
        questions = self.records.golden.all()
        if not questions:
            raise ConflictError("There are no golden questions yet, so there is nothing to ask.")

        def work(progress: JobProgress) -> dict[str, Any]:
            outcomes = []
            for number, folder in enumerate(folders):
                part = progress.part(number * len(questions), len(folders) * len(questions))
                with self.publisher.asker_over(folder) as asker:
                    outcomes.append(ask_every_site(asker, questions, part))
            told = zip(questions, *outcomes, strict=True)
            return {"before": before, "after": after, "questions": [_flip(*one) for one in told]}

        pair = {"before": before, "after": after}
        return self.jobs.start("comparison", f"{before}..{after}", by, work, arguments=pair)

    def build(self, *, by: str) -> Job:
        """A job that makes a snapshot of everything crawled and shelves it; nothing is published."""
        return self.jobs.start("index", "crawl", by, lambda progress: self.built(progress, by))

    def built(self, progress: JobProgress, by: str) -> dict[str, Any]:
        """The report of `lodge index --no-publish`, run in a process of its own."""
        pages = sum(site.held for site in last_crawls(self.settings.crawl_dir))

        def read(now: Mapping[str, int]) -> tuple[int, int, str]:
            return now["done"], max(pages, now["done"]), f"{now['kept']:,} of {now['done']:,} pages kept"

        report = run_command(
            self.settings, ["index", "--no-publish"], progress, read, begins="Reading the crawled pages"
        )
        name = report["snapshot"]
        done = {"done": "built", "pages": report["pages"], "chunks": report["chunks"]}
        with self.records.audit.noting(("snapshot", name), None, done, by=by):
            return report

    def publish(self, name: str, override: str | None, *, by: str) -> Job:
        """A job that makes it live unless it breaks golden questions; an override says why not to mind."""
        self.shelf.require(name)
        self._require_usable(name)
        return self.jobs.start(
            "publish",
            "live snapshot",
            by,
            lambda progress: self.published(name, progress, override, by),
            arguments={"name": name, "override": override},
        )

    def published(self, name: str, progress: JobProgress, override: str | None, by: str) -> dict[str, Any]:
        """What `Publisher.publish` did."""
        done = self.publisher.publish(name, by=by, override=override, progress=progress)
        return done.as_json()

    def roll_back(self, name: str | None, *, by: str) -> dict[str, Any]:
        """An earlier snapshot is live again, the one before the live one unless another is named.

        A job asks the suggested questions over it; whether or not it can begin, visitors are answered.
        """
        live = self.shelf.current_name
        if name is not None and live is not None and self.shelf.require(name).name >= live:
            raise BadInputError(f"{name} is not older than the live snapshot {live}; publish it instead.")
        done = self.publisher.roll_back(name, by=by)
        if any(site.suggested for site in self.publisher.sites()):
            with suppress(ConflictError, StorageError):
                self.jobs.start(
                    "suggestions", "live snapshot", by, lambda _: self.publisher.ask_suggestions()
                )
        return done.as_json()

    def _require_usable(self, name: str) -> None:
        """Visitors would go on with the snapshot before, and nobody would know why."""
        manifest = Manifest.read(self.shelf.require(name))
        if self.embedder_sha256 not in (None, manifest.embedder_sha256):
            raise BadInputError(
                f"{name} was made with the model {manifest.embedder!r}; this server answers with another. "
                "Build a new snapshot."
            )

    def _comparison(self, before: str, after: str) -> SnapshotComparison:
        def compared() -> SnapshotComparison:
            with self._both(before, after) as (old, new):
                return compare(old, new)

        return self._compared.get((before, after), compared)

    @contextmanager
    def _both(self, before: str, after: str) -> Iterator[tuple[Snapshot, Snapshot]]:
        with ExitStack() as opened:
            pair = [
                opened.enter_context(self.open_snapshot(self.shelf.require(name))) for name in (before, after)
            ]
            yield pair[0], pair[1]

    def _checked(self) -> dict[str, dict[str, int]]:
        """By snapshot: golden questions passed and failed in the last run of each site before publishing."""
        found: dict[str, dict[str, int]] = {}
        seen: set[tuple[str, str]] = set()
        for run in self.records.golden.runs(limit=RUNS_LOOKED_AT):
            key = (run.snapshot, run.site)
            if run.occasion != "publish" or key in seen:
                continue
            seen.add(key)
            counted = found.setdefault(run.snapshot, {"passed": 0, "failed": 0, "known_gaps": 0})
            counted["passed"] += run.passed
            counted["failed"] += run.failed
            counted["known_gaps"] += run.known_gaps
        return found


def _flip(question: GoldenQuestion, before: GoldenOutcome, after: GoldenOutcome) -> dict[str, Any]:
    """One golden question over both: `change` is broken, mended, still_wrong or still_right."""
    changes = {
        (True, False): "broken",
        (False, True): "mended",
        (False, False): "still_wrong",
        (True, True): "still_right",
    }
    return {
        "id": question.id,
        "site": question.site,
        "question": question.question,
        "change": changes[before.passed, after.passed],
        "before": _told(before),
        "after": _told(after),
    }


def _told(outcome: GoldenOutcome) -> dict[str, Any]:
    return {"failure": outcome.failure, "answer": outcome.answer, "cited": list(outcome.cited)}

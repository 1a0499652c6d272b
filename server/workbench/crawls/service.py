"""What the console does with crawls: look at the last one, start one, have it started by the clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from server.errors import BadInputError, ConflictError, NotFoundError
from server.ingest.crawl.contents import WantedPages, crawled_pages, last_crawl, last_crawls
from server.ingest.crawl.urls import normalise, site_of
from server.settings import Settings
from server.storage.audit import SCHEDULE, note_change
from server.storage.engine import Connection
from server.workbench.crawls.schedules_store import CrawlSchedule, KeptSchedule, Then
from server.workbench.job_store import Job
from server.workbench.jobs import CancelledError, JobProgress, Jobs, Restart
from server.workbench.records import Records
from server.workbench.running import run_command
from server.workbench.snapshots.service import SnapshotService

KIND: Literal["crawl"] = "crawl"
STOPPED = "It was stopped. What it has fetched is kept, and the next crawl goes on from there."
WHOLE = ("done", "max_pages")  # endings after which a snapshot is worth building


@dataclass(frozen=True, slots=True)
class _Crawl:
    """What is crawled, and what is to follow it; `then` is None where no schedule has begun it."""

    urls: tuple[str, ...]
    prefixes: tuple[str, ...]
    then: Then | None = None


class CrawlService:
    """The crawls of a running server; of all servers on the same records one crawls at a time.

    `snapshots` builds and publishes after a crawl by schedule.
    """

    def __init__(self, settings: Settings, records: Records, jobs: Jobs, snapshots: SnapshotService) -> None:
        self._settings = settings
        self._schedules = records.schedules
        self._jobs = jobs
        self._snapshots = snapshots
        jobs.restarts[KIND] = Restart("developer", self._again)

    def sites(self) -> list[dict[str, Any]]:
        """The last crawl of each site, the latest first."""
        return [asdict(one) for one in last_crawls(self._settings.crawl_dir)]

    def pages(self, site: str, *, limit: int, after: int, **wanted: str | None) -> list[dict[str, Any]]:
        """Addresses of a site's last crawl and what became of them, after a row's `cursor`.

        `wanted` has the fields of `WantedPages`.
        """
        rows = crawled_pages(self._settings.crawl_dir, site, WantedPages(**wanted), limit=limit, after=after)
        return [asdict(row) for row in rows]

    def start(self, site: str | None, urls: Sequence[str], prefixes: Sequence[str], *, by: str) -> Job:
        """A job that crawls: a site from the addresses it was crawled from before, or new addresses.

        `ConflictError` while another is at work.
        """
        starts = self._starts(site, urls)
        about = ", ".join(dict.fromkeys(site_of(url) for url in starts))
        return self._start(about, _Crawl(starts, tuple(prefixes)), by)

    def schedules(self) -> list[dict[str, Any]]:
        """When sites are crawled by themselves, by site."""
        return [_told(one) for one in self._schedules.all()]

    def put_schedule(self, schedule: CrawlSchedule, *, by: str) -> list[dict[str, Any]]:
        """Keep it in place of the site's earlier one; without `urls`, those the site was crawled from."""
        urls = self._starts(schedule.site, schedule.urls)
        if other := next((url for url in urls if site_of(url) != schedule.site), None):
            raise BadInputError(f"{other} is not on the site {schedule.site}.")
        self._schedules.put(replace(schedule, urls=urls), datetime.now(UTC), by=by)
        return self.schedules()

    def remove_schedule(self, site: str, *, by: str) -> list[dict[str, Any]]:
        """The site is no longer crawled by itself; `NotFoundError` when it was not."""
        self._schedules.remove(site, by=by)
        return self.schedules()

    def start_due(self, now: datetime) -> Job | None:
        """Start one crawl that is due, unless one is at work or another server was first.

        Claim and job are one transaction: a time that is claimed is a crawl that every server knows of.
        """
        schedule = self._schedules.due(now)
        if schedule is None:
            return None
        what = _Crawl(schedule.urls, schedule.prefixes, schedule.then)
        with suppress(ConflictError):
            return self._begin(
                schedule.site,
                what,
                SCHEDULE,
                lambda connection: self._schedules.claim(connection, schedule, now),
            )
        return None

    def _again(self, about: str, arguments: Mapping[str, Any], by: str) -> Job:
        urls, prefixes = (tuple(arguments[name]) for name in ("urls", "prefixes"))
        return self._start(about, _Crawl(urls, prefixes, arguments["then"]), by)

    def _start(self, about: str, what: _Crawl, by: str) -> Job:
        """One that a person starts, with its entry in the audit log."""
        after = {"done": "started a", "urls": list(what.urls), "prefixes": list(what.prefixes)}
        return self._begin(
            about, what, by, lambda connection: note_change(connection, by, (KIND, about), None, after)
        )

    def _begin(self, about: str, what: _Crawl, by: str, first: Callable[[Connection], None]) -> Job:
        def work(progress: JobProgress) -> dict[str, Any]:
            if what.then is None:
                return self._crawl(what, progress)
            try:
                found = self._whole(what, what.then, by, progress)
            except Exception as end:  # whatever it was, in the morning it is asked what came of the night
                self._schedules.note(about, str(end))
                raise
            self._schedules.note(about, found["says"])
            return found

        given = {"urls": list(what.urls), "prefixes": list(what.prefixes), "then": what.then}
        return self._jobs.start(KIND, about, by, work, alone=KIND, arguments=given, first=first)

    def _whole(self, what: _Crawl, then: Then, by: str, progress: JobProgress) -> dict[str, Any]:
        """A crawl with what is to follow it; `says` is what came of it as a sentence."""
        found = self._crawl(what, progress)
        says = counted(found)
        if then == "nothing" or found["ended"] not in WHOLE:
            trouble = " ".join(found["troubles"].values())
            return found | {"says": f"{says} {trouble}".strip()}
        built = self._snapshots.built(progress, by)
        says += f" Built {built['snapshot']} of {built['pages']:,} pages."
        if then == "publish":
            published = self._snapshots.published(built["snapshot"], progress, None, by)
            says += f" It is live. {published['says']}".rstrip()
        return found | {"snapshot": built["snapshot"], "says": says}

    def _crawl(self, what: _Crawl, progress: JobProgress) -> dict[str, Any]:
        """The report of `lodge crawl`, run in a process of its own."""
        named = [argument for prefix in what.prefixes for argument in ("--prefix", prefix)]

        def read(now: Mapping[str, int]) -> tuple[int, int, str]:
            waiting, failed = now["queued"], now["errors"]
            return now["done"], now["done"] + waiting, f"{waiting:,} known and waiting, {failed:,} failed"

        begins, command = "Asking for robots.txt", ["crawl", *named, "--", *what.urls]
        try:
            report = run_command(self._settings, command, progress, read, begins=begins)
        except CancelledError:
            raise CancelledError(STOPPED) from None
        if report["ended"] == "interrupted":
            raise CancelledError(STOPPED)
        return report

    def _starts(self, site: str | None, urls: Sequence[str]) -> tuple[str, ...]:
        """Where a crawl starts; `BadInputError` for what is no address."""
        if not urls and not site:
            raise BadInputError(
                "Say what to crawl: a site that was crawled before, or an address to start from."
            )
        if not urls and site:
            try:
                return last_crawl(self._settings.crawl_dir, site).urls
            except NotFoundError as error:
                raise BadInputError(f"{error.message} Give an address to start from.") from None
        starts = []
        for url in urls:
            name = normalise(url)
            if name is None:
                raise BadInputError(
                    f"{url!r} is no address to crawl; it takes one such as https://www.example.edu/."
                )
            starts.append(name)
        return tuple(dict.fromkeys(starts))


def counted(report: Mapping[str, Any]) -> str:
    """What a crawl found, in sentences: what is new, what is gone, and what could not be read.

    A page that was read before is told apart from what has never been read: that is no news of tonight.
    """
    new, gone, now = report["fetched"], report["gone"], report["failed_now"]
    never = sum(report["failed"].values()) - now
    says = f"{new:,} {'page' if new == 1 else 'pages'} new or changed, {gone:,} gone."
    if now:
        pages, them = ("page that was", "it") if now == 1 else ("pages that were", "them")
        says += f" {now:,} {pages} read before could not be read now; what was read of {them} is kept."
    if never:
        says += f" {never:,} {'address has' if never == 1 else 'addresses have'} never been readable."
    return says


def _told(kept: KeptSchedule) -> dict[str, Any]:
    return asdict(kept.schedule) | {
        "next_at": kept.next_at.isoformat(),
        "last_at": kept.last_at.isoformat() if kept.last_at else None,
        "last_said": kept.last_said,
    }

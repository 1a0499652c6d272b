"""What the console does with crawls: look at the last one, start one, have it started by the clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from server.errors import BadInputError, ConflictError, NotFoundError
from server.ingest.crawl.contents import WantedPages, crawled_pages, last_crawl, last_crawls
from server.ingest.crawl.urls import normalise, site_of
from server.models.schedules import CrawlSchedule, KeptSchedule, Then
from server.settings import Settings
from server.storage.audit import SCHEDULE
from server.workbench.jobs import OPEN, CancelledError, Job, Jobs, Progress
from server.workbench.records import Records
from server.workbench.running import run_command
from server.workbench.snapshots.service import SnapshotService

STOPPED = "It was stopped. What it has fetched is kept, and the next crawl goes on from there."
WHOLE = ("done", "max_pages")  # endings after which a snapshot is worth building


@dataclass(frozen=True, slots=True)
class CrawlService:
    """The crawls of a running server. One job at a time crawls; `snapshots` builds and publishes after it."""

    settings: Settings
    records: Records
    jobs: Jobs
    snapshots: SnapshotService

    def sites(self) -> list[dict[str, Any]]:
        """The last crawl of each site, the latest first."""
        return [asdict(one) for one in last_crawls(self.settings.crawl_dir)]

    def pages(self, site: str, *, limit: int, after: int, **wanted: str | None) -> list[dict[str, Any]]:
        """Addresses of a site's last crawl and what became of them, after a row's `cursor`.

        `wanted` has the fields of `WantedPages`.
        """
        rows = crawled_pages(self.settings.crawl_dir, site, WantedPages(**wanted), limit=limit, after=after)
        return [asdict(row) for row in rows]

    def start(self, site: str | None, urls: Sequence[str], prefixes: Sequence[str], *, by: str) -> Job:
        """A job that crawls: a site from the addresses it was crawled from before, or new addresses.

        `ConflictError` while another is at work.
        """
        starts = self._starts(site, urls)
        if self._is_at_work:
            raise ConflictError("Another crawl is at work already; wait for its end, or stop it.")
        about = ", ".join(dict.fromkeys(site_of(url) for url in starts))
        with self.records.audit.noting(
            ("crawl", about),
            None,
            {"done": "started a", "urls": list(starts), "prefixes": list(prefixes)},
            by=by,
        ):
            return self._start(about, starts, prefixes, "nothing", by)

    def schedules(self) -> list[dict[str, Any]]:
        """When sites are crawled by themselves, by site."""
        return [_told(one) for one in self.records.schedules.all()]

    def put_schedule(self, schedule: CrawlSchedule, *, by: str) -> list[dict[str, Any]]:
        """Keep it in place of the site's earlier one; without `urls`, those the site was crawled from."""
        urls = self._starts(schedule.site, schedule.urls)
        if other := next((url for url in urls if site_of(url) != schedule.site), None):
            raise BadInputError(f"{other} is not on the site {schedule.site}.")
        kept = CrawlSchedule(**{**asdict(schedule), "urls": urls, "prefixes": tuple(schedule.prefixes)})
        self.records.schedules.put(kept, datetime.now(UTC), by=by)
        return self.schedules()

    def remove_schedule(self, site: str, *, by: str) -> list[dict[str, Any]]:
        """The site is no longer crawled by itself; `NotFoundError` when it was not."""
        self.records.schedules.remove(site, by=by)
        return self.schedules()

    def start_due(self, now: datetime) -> Job | None:
        """Start one crawl that is due, unless one is at work here or another server was first."""
        if self._is_at_work:
            return None
        schedule = self.records.schedules.claim(now)
        if schedule is None:
            return None
        return self._start(schedule.site, schedule.urls, schedule.prefixes, schedule.then, SCHEDULE)

    def _start(self, about: str, urls: Sequence[str], prefixes: Sequence[str], then: Then, by: str) -> Job:
        def work(progress: Progress) -> dict[str, Any]:
            if by != SCHEDULE:
                return self._crawl(urls, prefixes, progress)
            try:
                found = self._whole(urls, prefixes, then, progress)
            except Exception as end:  # whatever it was, in the morning it is asked what came of the night
                self.records.schedules.note(about, str(end))
                raise
            self.records.schedules.note(about, found["says"])
            return found

        return self.jobs.start("crawl", about, by, work)

    @property
    def _is_at_work(self) -> bool:
        return any(job.state in OPEN for job in self.jobs.all("crawl"))

    def _whole(
        self, urls: Sequence[str], prefixes: Sequence[str], then: Then, progress: Progress
    ) -> dict[str, Any]:
        """A crawl with what is to follow it; `says` is what came of it as a sentence."""
        found = self._crawl(urls, prefixes, progress)
        says = f"{found['fetched']:,} pages new or changed, {found['gone']:,} gone."
        if then == "nothing" or found["ended"] not in WHOLE:
            trouble = " ".join(found["troubles"].values())
            return found | {"says": f"{says} {trouble}".strip()}
        built = self.snapshots.built(progress, SCHEDULE)
        says += f" Built {built['snapshot']} of {built['pages']:,} pages."
        if then == "publish":
            self.snapshots.published(built["snapshot"], progress, None, SCHEDULE)
            says += " It is live."
        return found | {"snapshot": built["snapshot"], "says": says}

    def _crawl(self, urls: Sequence[str], prefixes: Sequence[str], progress: Progress) -> dict[str, Any]:
        """The report of `lodge crawl`, run in a process of its own."""
        named = [argument for prefix in prefixes for argument in ("--prefix", prefix)]

        def read(now: Mapping[str, int]) -> tuple[int, int, str]:
            waiting, failed = now["queued"], now["errors"]
            return now["done"], now["done"] + waiting, f"{waiting:,} known and waiting, {failed:,} failed"

        begins = "Asking for robots.txt"
        try:
            report = run_command(self.settings, ["crawl", *named, "--", *urls], progress, read, begins=begins)
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
                return last_crawl(self.settings.crawl_dir, site).urls
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


def _told(kept: KeptSchedule) -> dict[str, Any]:
    return asdict(kept.schedule) | {
        "next_at": kept.next_at.isoformat(),
        "last_at": kept.last_at.isoformat() if kept.last_at else None,
        "last_said": kept.last_said,
    }

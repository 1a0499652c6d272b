"""The polite crawler: from start URLs into the crawl stores.

Each site (host) has its own walk and its own file. Walks run side by side, the requests to one site one after
another.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from urllib.request import getproxies

from server.errors import BadInputError, CrawlError
from server.ingest.crawl.fetch import Fetcher, run_in_scrapy
from server.ingest.crawl.nouns import AS_SENT, CrawlLimits, CrawlProgress, CrawlReport, Ending, FoundUrl
from server.ingest.crawl.site_crawler import Renderer, SiteCrawler
from server.ingest.crawl.store import CrawlStore
from server.ingest.crawl.urls import (
    AddressGuard,
    CrawlScope,
    host_and_port,
    normalise,
    proxy_hosts,
    same_but_www,
    shape_of,
    site_of,
)


def crawl(
    urls: Sequence[str],
    store_dir: Path,
    limits: CrawlLimits,
    on_progress: Callable[[CrawlProgress], None] = lambda _: None,
    renderer: Renderer | None = None,
) -> CrawlReport:
    """Crawl the sites of `urls`; an unfinished crawl goes on, a finished one is brought up to date.

    Scrapy's event loop starts once a process, and so does this. `BadInputError`: a URL is none. `CrawlError`:
    an address is private, another crawl writes here, or not one page could be fetched. `StorageError`: a full
    disk; what was stored before stays. Without a `renderer` pages are read as the server sends them.
    """
    starts = _start_urls(urls)
    guard = AddressGuard(limits.private_hosts, proxy_hosts(getproxies()))
    _check_private(starts, guard)
    job = CrawlJob(store_dir, limits, on_progress, renderer)
    began = time.monotonic()
    try:
        for url in starts:
            job.enter(url)
        done = run_in_scrapy(job.run, guard, limits.user_agent, limits.timeout_s)
        return job.finish(done=done, seconds=time.monotonic() - began)
    finally:
        job.close()


def _start_urls(urls: Sequence[str]) -> list[str]:
    if not urls:
        raise BadInputError("Give at least one URL to start from.")
    known = {url: normalise(url) for url in urls}
    wrong = next((url for url, start in known.items() if start is None), None)
    if wrong is not None:
        raise BadInputError(f"{wrong!r} is no URL to crawl; it takes one such as https://www.example.edu/.")
    return [start for start in known.values() if start is not None]


def _check_private(starts: Sequence[str], guard: AddressGuard) -> None:
    for url in starts:
        if not guard.allows_host(*host_and_port(url)):
            raise CrawlError(
                f"{site_of(url)} is on this machine or a private network; if your site lives there,"
                f" name it with --private-host or in LODGE_CRAWL_PRIVATE_HOSTS."
            )


class CrawlJob:
    """All the walks of one crawl, and what they share: the page limit and the progress bar."""

    def __init__(
        self,
        store_dir: Path,
        limits: CrawlLimits,
        on_progress: Callable[[CrawlProgress], None],
        renderer: Renderer | None = None,
    ) -> None:
        self._renderer = renderer
        self._store_dir = store_dir
        self._limits = limits
        self._on_progress = on_progress
        self._walks: dict[str, SiteCrawler] = {}
        self._resumed = False

    def enter(self, url: str) -> None:
        """Begin, or go on with, the crawl of this URL's site, from the start URLs it was ever given."""
        walk = self._walks.get(site_of(url)) or self._open(url)
        roots = walk.store.add_root(url)
        walk.store.add(FoundUrl(root, shape_of(root), depth=0) for root in roots)

    def _open(self, url: str) -> SiteCrawler:
        store = CrawlStore(self._store_dir, site_of(url), self._limits.max_urls)
        self._resumed |= store.begin()
        self._walks[store.site] = SiteCrawler(store, url, self._limits, self._place, self._renderer)
        return self._walks[store.site]

    def _place(self, one: FoundUrl) -> None:
        """Queue a link to another crawled site; a start page that moved to or from `www.` opens one."""
        site = site_of(one.url)
        if (
            site not in self._walks
            and one.depth == 0
            and one.hops
            and any(same_but_www(site, w) for w in self._walks)
        ):
            self._open(one.url)
        if site in self._walks:
            self._walks[site].store.add([one])

    async def run(self, fetcher: Fetcher) -> None:
        """Walk until no site has anything left; walks may bring each other new links."""
        try:
            await self._run(fetcher)
        finally:
            if self._renderer is not None:
                await self._renderer.close()

    async def _run(self, fetcher: Fetcher) -> None:
        while not self._is_full and (
            unfinished := [walk for walk in self._walks.values() if not walk.is_over]
        ):
            try:
                async with asyncio.TaskGroup() as group:
                    for walk in unfinished:
                        group.create_task(self._walk(walk, fetcher))
            except BaseExceptionGroup as troubles:
                raise troubles.exceptions[0] from None

    async def _walk(self, walk: SiteCrawler, fetcher: Fetcher) -> None:
        while not self._is_full and (url := await walk.step(fetcher)):
            queued = sum(one.store.queued() for one in self._walks.values())
            self._on_progress(CrawlProgress(self._responses, queued, self._failures, url))

    @property
    def _responses(self) -> int:
        return sum(walk.responses for walk in self._walks.values())

    @property
    def _failures(self) -> int:
        return sum(walk.failures for walk in self._walks.values())

    @property
    def _is_full(self) -> bool:
        return self._responses >= self._limits.max_pages

    def finish(self, *, done: bool, seconds: float) -> CrawlReport:
        """Close the crawl of each site that was walked to its end, and report.

        `CrawlError` when it was not cut short and brought no page at all: then nothing is marked as gone. Nor
        is it where links or sitemaps were left: they may lead to a page that nothing else leads to.
        """
        walks = list(self._walks.values())
        found_some = any(walk.store.known_texts() for walk in walks)
        for walk in walks:
            if done and walk.is_over and not walk.trouble:
                led_everywhere = found_some and not walk.store.cuts()
                walk.store.finish(mark_gone=led_everywhere, covers=CrawlScope(self._limits.prefixes).covers)
        if done and not found_some:
            reasons = [walk.trouble or walk.store.first_failure() for walk in walks]
            raise CrawlError(f"Not a single page could be fetched. {next(filter(None, reasons), '')}".strip())
        return make_report(
            [walk.store for walk in walks],
            ended=self._ending(done),
            resumed=self._resumed,
            troubles={walk.store.site: walk.trouble for walk in walks if walk.trouble},
            responses=self._responses,
            seconds=seconds,
        )

    def _ending(self, done: bool) -> Ending:
        walks = self._walks.values()
        if not done:
            return "interrupted"
        if any(walk.trouble for walk in walks):
            return "given_up"
        return "done" if all(walk.is_over for walk in walks) else "max_pages"

    def close(self) -> None:
        """Close the stores; a new one without a page is removed: a mistyped address leaves nothing."""
        for walk in self._walks.values():
            walk.store.close(discard=walk.store.is_new and not walk.store.has_copies())


_VISITED = "FROM urls WHERE crawl = :crawl AND kind = 'page' AND NOT queued"
_OUTCOMES = f"SELECT outcome, count(*) {_VISITED} GROUP BY outcome"
_SKIPPED = f"SELECT reason, count(*) {_VISITED} AND outcome = 'skipped' GROUP BY reason"
_FAILED = f"SELECT reason, count(*) {_VISITED} AND outcome = 'failed' GROUP BY reason"
_FAILED_NOW = (
    f"SELECT outcome, count(*) {_VISITED} AND outcome = 'failed'"  # noqa: S608  (constants only)
    " AND id IN (SELECT url_id FROM copies WHERE live) GROUP BY outcome"
)
_AS_SENT = f"SELECT reason, count(*) {_VISITED} AND reason IN {tuple(AS_SENT)} GROUP BY reason"
_KEPT = "FROM urls JOIN copies ON url_id = id WHERE crawl = :crawl AND live GROUP BY 1"
_BY_TYPE = f"SELECT content_type, count(*) {_KEPT}"
_BY_SIZE = (
    "SELECT CASE WHEN size < 10000 THEN 'under 10 kB' WHEN size < 100000 THEN '10 to 100 kB'"
    f" WHEN size < 1000000 THEN '100 kB to 1 MB' ELSE '1 MB and more' END, count(*) {_KEPT}"
)


def make_report(  # noqa: PLR0913  (what is known of a run beside its stores, each by its name)
    stores: Sequence[CrawlStore],
    *,
    ended: Ending,
    resumed: bool,
    troubles: Mapping[str, str],
    responses: int,
    seconds: float,
) -> CrawlReport:
    """Count what the crawl that is open in these stores has done."""
    outcomes = _summed(stores, _OUTCOMES)
    return CrawlReport(
        sites=tuple(store.site for store in stores),
        ended=ended,
        resumed=resumed,
        fetched=outcomes.get("fetched", 0),
        unchanged=outcomes.get("unchanged", 0),
        gone=outcomes.get("gone", 0),
        redirects=outcomes.get("redirect", 0),
        queued=sum(store.queued() for store in stores),
        skipped=_summed(stores, _SKIPPED),
        failed=_summed(stores, _FAILED),
        failed_now=_summed(stores, _FAILED_NOW).get("failed", 0),
        cut=_total(store.cuts() for store in stores),
        as_sent=_summed(stores, _AS_SENT),
        by_type=_summed(stores, _BY_TYPE),
        by_size=_summed(stores, _BY_SIZE),
        troubles=troubles,
        responses=responses,
        seconds=round(seconds, 2),
        pages_per_s=round(responses / seconds, 1) if seconds else 0.0,
    )


def _summed(stores: Sequence[CrawlStore], query: str) -> dict[str, int]:
    return _total(store.counts(query) for store in stores)


def _total(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total.most_common())

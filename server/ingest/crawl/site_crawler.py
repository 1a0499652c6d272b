"""One site's crawl: take the next URL of the frontier, wait, fetch, keep, until none is left."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Protocol
from urllib.parse import urlsplit

from server.errors import LodgeError, unforeseen
from server.ingest.crawl.feed_links import FeedWatch
from server.ingest.crawl.fetch import FetchedResponse, Fetcher, FetchFailure
from server.ingest.crawl.nouns import (
    NEEDS_BROWSER,
    UNRENDERED,
    CrawlLimits,
    CrawlOutcome,
    FoundUrl,
    QueuedUrl,
    http_date,
)
from server.ingest.crawl.parse import (
    HTML_TYPES,
    MAX_SITEMAP_BYTES,
    RETRY_STATUSES,
    ParsedPage,
    RobotsRules,
    Verdict,
    facts_of,
    judge,
    page_type,
    read_sitemap,
)
from server.ingest.crawl.render import Get, RenderError
from server.ingest.crawl.store import CrawlStore
from server.ingest.crawl.urls import (
    MAX_URL_CHARS,
    CrawlScope,
    TrapWatch,
    is_no_page,
    normalise,
    repeats_itself,
    shape_of,
    site_of,
)

logger = logging.getLogger("lodge.ingest")

MAX_HOPS = 10
MAX_PAUSE_S = 60.0
MAX_FAILURES_IN_A_ROW = 20
MAX_SITEMAP_DEPTH = 3  # indexes within indexes: sitemaps.org has none, and some sites two
SITEMAPS_FIRST = 20  # later ones take turns with pages
MAX_ROBOTS_BYTES = 512_000  # what RFC 9309 asks for, and a little more


REDIRECTS = range(300, 400)


class Renderer(Protocol):
    """A browser that shows a page as its scripts write it, one page at a time."""

    async def render(self, page: FetchedResponse, get: Get) -> bytes:
        """Its HTML in UTF-8 once scripts have run; `RenderError` says why there is none."""

    async def close(self) -> None:
        """End the browser."""


class SiteCrawler:
    """The walk through one site. `trouble` is a sentence once the site has been given up."""

    def __init__(
        self,
        store: CrawlStore,
        origin: str,
        limits: CrawlLimits,
        elsewhere: Callable[[FoundUrl], None],
        renderer: Renderer | None = None,
    ) -> None:
        self._renderer = renderer
        self._to_render = CrawlScope(limits.render)
        self.store = store
        self.limits = limits
        self.responses = 0
        self.failures = 0
        self.trouble: str | None = None
        self._origin = "{0.scheme}://{0.netloc}".format(urlsplit(origin))
        self._elsewhere = elsewhere
        self._scope = CrawlScope(limits.prefixes)
        self._watch = TrapWatch.resume(limits.trap_misses, store.known_texts(), store.known_misses())
        self._feeds = FeedWatch(store.site, set(store.counts(FeedWatch.TAKEN)))
        self._rules: RobotsRules | None = None
        self._ready_at = 0.0
        self._failures_in_a_row = 0
        self._sitemaps_read = 0
        self._sitemap_was_last = False

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to do."""
        return self.trouble is not None or self.store.next() is None

    async def step(self, fetch: Fetcher) -> str | None:
        """Deal with the next URL and give it back; None when the walk is over for now."""
        if self._rules is None:
            await self._read_robots(fetch)
        item = None if self.trouble else self._next()
        if item is None:
            return None
        try:
            await self._deal_with(fetch, item)
        except LodgeError:
            raise
        except Exception as error:  # whatever one page does must not end the crawl
            self._settle_unreadable(item, error)
        return item.url

    def _next(self) -> QueuedUrl | None:
        """The next in the queue, where sitemaps come first; beyond the first of them pages take turns."""
        pages_turn = self._sitemaps_read >= SITEMAPS_FIRST and self._sitemap_was_last
        item = (self.store.next("page") if pages_turn else None) or self.store.next()
        self._sitemap_was_last = item is not None and item.kind == "sitemap"
        self._sitemaps_read += self._sitemap_was_last
        return item

    async def _deal_with(self, fetch: Fetcher, item: QueuedUrl) -> None:
        if self._rules is not None and not self._rules.allows(item.url):
            self.store.settle(
                item, CrawlOutcome("skipped", "robots", "robots.txt asks crawlers to stay away.")
            )
        else:
            await self._visit(fetch, item)

    # --- robots.txt, and the sitemaps it names

    async def _read_robots(self, fetch: Fetcher) -> None:
        """Without a readable answer about robots.txt the site is not crawled (RFC 9309, 2.3.1.4)."""
        url = f"{self._origin}/robots.txt"
        try:
            await self._try_robots(fetch, url)
        except LodgeError:
            raise
        except Exception as error:
            self.trouble = f"{url} could not be read, so nothing else was asked for: {unforeseen(error)}"

    async def _try_robots(self, fetch: Fetcher, url: str) -> None:
        for attempt in range(self.limits.retries + 1):
            reply = await self._robots_reply(fetch, url)
            if isinstance(reply, FetchedResponse) and reply.status not in RETRY_STATUSES:
                self._follow_rules(reply)
                return
            if isinstance(reply, FetchFailure) and not reply.may_pass:
                break
            self._put_off(attempt, reply)
        detail = reply.detail if isinstance(reply, FetchFailure) else f"The server answered {reply.status}."
        self.trouble = f"{url} could not be read, so nothing else was asked for: {detail}"

    async def _robots_reply(self, fetch: Fetcher, url: str) -> FetchedResponse | FetchFailure:
        for _ in range(5):
            await self._pause()
            reply = await fetch.get(url, MAX_ROBOTS_BYTES, pages_only=False)
            target = (
                isinstance(reply, FetchedResponse)
                and 300 <= reply.status < 400
                and reply.headers.get("location")
            )
            next_url = normalise(target, url) if target else None
            if next_url is None:
                return reply
            url = next_url
        return reply

    def _follow_rules(self, reply: FetchedResponse) -> None:
        rules = RobotsRules(reply.body if reply.status == 200 else b"", self.limits.agent)
        named = (normalise(url, self._origin) for url in rules.sitemaps)
        for url in dict.fromkeys([*named, f"{self._origin}/sitemap.xml"]):
            if url is not None:
                self._elsewhere(FoundUrl(url, shape_of(url), depth=-1, found_on=reply.url, kind="sitemap"))
        self._rules = rules

    # --- one URL

    async def _visit(self, fetch: Fetcher, item: QueuedUrl) -> None:
        await self._pause(item.not_before)
        is_page = item.kind == "page"
        max_bytes = self.limits.max_page_bytes if is_page else MAX_SITEMAP_BYTES
        renders = is_page and self._renders(item.url)
        validators = {} if renders else _validators(item)  # what scripts write changes under the same page
        reply = await fetch.get(item.url, max_bytes, validators, pages_only=is_page)
        self.responses += is_page
        if isinstance(reply, FetchFailure) and reply.reason == "size":
            self.store.settle(item, CrawlOutcome("skipped", "size", reply.detail))
        elif isinstance(reply, FetchFailure) or reply.status in RETRY_STATUSES:
            self._failed(item, reply)
        else:
            self._failures_in_a_row = 0
            trouble = ""
            if renders and reply.status == 200 and page_type(reply) in HTML_TYPES:
                reply, trouble = await self._rendered(fetch, reply)
            self._read(item, reply, trouble)

    def _read(self, item: QueuedUrl, reply: FetchedResponse, trouble: str = "") -> None:
        if item.kind == "sitemap":
            self._keep_sitemap(item, reply)
        elif reply.status == 304:
            facts = self._stored_facts(item)
            outcome = CrawlOutcome("unchanged", status=304)
            if facts is not None:
                outcome = outcome.sent(NEEDS_BROWSER if facts.needs_browser else None).cut(facts.cut)
            self._keep_page(item, Verdict(outcome, facts=facts))
        else:
            verdict = judge(item, reply, self.limits.agent)
            if verdict.copy and not self._feeds.takes(item.url, verdict.copy.content_type):
                verdict = Verdict(CrawlOutcome("skipped", "feeds", status=reply.status))
            if trouble:
                verdict = replace(verdict, outcome=_sent(verdict, trouble))
            self._keep_page(item, verdict)

    # --- a page in a browser

    def _renders(self, url: str) -> bool:
        return self._renderer is not None and bool(self.limits.render) and self._to_render.covers(url)

    async def _rendered(self, fetch: Fetcher, reply: FetchedResponse) -> tuple[FetchedResponse, str]:
        """The reply as a browser shows it; or as it is, and why."""
        if self._renderer is None:
            return reply, ""

        async def get(url: str) -> FetchedResponse | None:
            return await self._resource(fetch, url)

        try:
            body = await self._renderer.render(reply, get)
        except RenderError as error:
            return reply, error.message
        headers = {**reply.headers, "content-type": "text/html; charset=utf-8"}
        kept = {name: value for name, value in headers.items() if name not in ("etag", "last-modified")}
        return FetchedResponse(reply.url, reply.status, kept, body), ""

    async def _resource(self, fetch: Fetcher, url: str) -> FetchedResponse | None:
        """What a page being rendered asks for, of its own site and within robots.txt, in the site's pace."""
        if site_of(url) != self.store.site or (self._rules is not None and not self._rules.allows(url)):
            return None
        await self._pause()
        reply = await fetch.get(url, self.limits.max_page_bytes, pages_only=False)
        return None if isinstance(reply, FetchFailure) or reply.status in REDIRECTS else reply

    def _keep_page(self, item: QueuedUrl, verdict: Verdict) -> None:
        """The links to other sites go first: theirs is another file, and one link too many does no harm."""
        here = [one for one in self._found(item, verdict) if not self._is_foreign(one)]
        misses = None if verdict.target else self._watch.note(item.shape, verdict.text_key)
        self.store.settle(item, verdict.outcome, here, verdict.copy, misses)
        self.failures += verdict.outcome.name == "failed"
        if self._watch.is_closed(item.shape):
            self.store.close_shape(item.shape)

    def _is_foreign(self, one: FoundUrl) -> bool:
        if site_of(one.url) == self.store.site:
            return False
        self._elsewhere(one)
        return True

    def _keep_sitemap(self, item: QueuedUrl, reply: FetchedResponse) -> None:
        entries = list(read_sitemap(reply.body, item.url)) if reply.status == 200 else []
        near = [one for one in entries if not one.is_sitemap or item.hops < MAX_SITEMAP_DEPTH]
        here = [
            one
            for entry in near
            for one in [self._sitemap_found(item, entry.url, entry.lastmod, entry.is_sitemap)]
            if not self._is_foreign(one)
        ]
        outcome = CrawlOutcome("read", detail=f"{len(entries)} entries", status=reply.status)
        self.store.settle(item, outcome if len(near) == len(entries) else outcome.cut("sitemaps"), here)

    def _sitemap_found(self, item: QueuedUrl, url: str, lastmod: str | None, is_sitemap: bool) -> FoundUrl:
        if is_sitemap:
            return FoundUrl(url, shape_of(url), -1, item.url, kind="sitemap", hops=item.hops + 1)
        one = FoundUrl(url, shape_of(url), depth=1, found_on=item.url, lastmod=lastmod)
        return self._judged(one)

    # --- what a page leads to

    def _found(self, item: QueuedUrl, verdict: Verdict) -> Iterator[FoundUrl]:
        if verdict.target is not None:
            moved = FoundUrl(
                verdict.target, shape_of(verdict.target), item.depth, item.url, hops=item.hops + 1
            )
            yield self._judged(moved)
        if verdict.facts is None:
            return
        stays = "nofollow" in verdict.facts.robots
        for link in verdict.facts.links:
            yield self._link(item, link, "nofollow" if stays else None)
        for link in verdict.facts.feeds:
            yield self._link(item, link, "nofollow" if stays else self._feeds.why_not(link))
        for link in verdict.facts.unfollowed:
            yield self._link(item, link, "nofollow")
        if verdict.facts.canonical is not None:
            yield self._link(item, verdict.facts.canonical, None)

    def _link(self, item: QueuedUrl, url: str, skip: str | None) -> FoundUrl:
        return self._judged(FoundUrl(url, shape_of(url), item.depth + 1, item.url, skip=skip))

    def _judged(self, one: FoundUrl) -> FoundUrl:
        """The same with the reason why it is not followed, if there is one."""
        reason = one.skip or self._why_not(one)
        return FoundUrl(one.url, one.shape, one.depth, one.found_on, one.kind, one.hops, one.lastmod, reason)

    def _why_not(self, one: FoundUrl) -> str | None:
        if not self._scope.covers(one.url):
            return "scope"
        if one.hops > MAX_HOPS:
            return "redirects"
        if one.depth > self.limits.max_depth:
            return "depth"
        if is_no_page(one.url):
            return "type"
        if len(one.url) > MAX_URL_CHARS or repeats_itself(one.url) or self._watch.is_closed(one.shape):
            return "trap"
        return None

    def _stored_facts(self, item: QueuedUrl) -> ParsedPage | None:
        stored = self.store.stored(item)
        if stored is None:
            return None
        body, headers = stored
        return facts_of(FetchedResponse(item.url, 200, json.loads(headers), body), self.limits.agent)

    # --- failures and the pace

    def _failed(self, item: QueuedUrl, reply: FetchedResponse | FetchFailure) -> None:
        """Try again later; after the last try it has failed, and the links of a copy we hold still count."""
        self._failures_in_a_row += 1
        outcome = _failure(reply)
        may_pass = not isinstance(reply, FetchFailure) or reply.may_pass
        if may_pass and item.tries < self.limits.retries:
            wait = self._put_off(item.tries, reply)
            self.store.retry(item, time.time() + wait, outcome.detail or "")
        else:
            self._settle_failed(item, outcome)
        if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            self.trouble = (
                f"{self.store.site} was given up after {self._failures_in_a_row} failures in a row."
            )

    def _settle_failed(self, item: QueuedUrl, outcome: CrawlOutcome) -> None:
        self.failures += 1
        found = self._found(item, Verdict(outcome, facts=self._stored_facts(item)))
        self.store.settle(item, outcome, [one for one in found if not self._is_foreign(one)])

    def _settle_unreadable(self, item: QueuedUrl, error: Exception) -> None:
        """The page has failed; the links of a copy we hold count, unless the copy is what cannot be read.

        Such a copy is not asked about again: a site that answered 304 for ever would never mend it.
        """
        logger.info("%s could not be read.", item.url, exc_info=error)
        outcome = CrawlOutcome("failed", "unreadable", f"The page could not be read: {unforeseen(error)}")
        try:
            self._settle_failed(item, outcome)
        except LodgeError:
            raise
        except Exception:
            self.store.forget_validators(item)
            self.store.settle(item, outcome)

    def _put_off(self, attempt: int, reply: FetchedResponse | FetchFailure) -> float:
        """Leave the site alone for a while: as long as it asks for, or twice as long each time."""
        asked = _retry_after(reply) if isinstance(reply, FetchedResponse) else None
        backoff = max(self.limits.delay_s, 0.25) * 2.0**attempt
        wait = min(asked if asked is not None else backoff, MAX_PAUSE_S)
        self._ready_at = max(self._ready_at, time.monotonic() + wait)
        return wait

    async def _pause(self, not_before: float = 0.0) -> None:
        """Wait for the site's next turn, then set the one after: a Crawl-delay is never undercut."""
        put_off = not_before - time.time()
        if put_off > MAX_PAUSE_S:  # nothing is put off for so long: the clock was put back since
            put_off = 0.0
        await asyncio.sleep(max(self._ready_at - time.monotonic(), put_off, 0.0))
        asked = self._rules.delay_s if self._rules else 0.0
        gap = max(random.uniform(0.5, 1.5) * self.limits.delay_s, asked)  # noqa: S311  (no secret)
        self._ready_at = time.monotonic() + gap


def _sent(verdict: Verdict, trouble: str) -> CrawlOutcome:
    """The outcome of a page that could not be rendered."""
    needs = verdict.facts is not None and verdict.facts.needs_browser
    return verdict.outcome.sent(NEEDS_BROWSER if needs else UNRENDERED, trouble)


def _validators(item: QueuedUrl) -> dict[str, str]:
    """The headers of a conditional request."""
    pairs: Iterable[tuple[str, str | None]] = (
        ("If-None-Match", item.etag),
        ("If-Modified-Since", item.last_modified),
    )
    return {name: value for name, value in pairs if value}


def _failure(reply: FetchedResponse | FetchFailure) -> CrawlOutcome:
    if isinstance(reply, FetchFailure):
        return CrawlOutcome("failed", reply.reason, reply.detail)
    return CrawlOutcome(
        "failed", f"http {reply.status}", f"The server answered {reply.status}.", reply.status
    )


def _retry_after(reply: FetchedResponse) -> float | None:
    """Seconds from a Retry-After header, which may also be a date."""
    text = reply.headers.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text)
    moment = http_date(text)
    try:
        return max(moment.timestamp() - time.time(), 0.0) if moment else None
    except (ValueError, OverflowError):  # a moment without a zone that this machine's zone cannot have
        return None

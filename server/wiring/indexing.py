"""The parts that bring pages in: the crawl, and the snapshot made of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from server.ask.strategy.presets import PRESETS
from server.errors import BadInputError, SnapshotError
from server.index.build import SnapshotBuilder, text_hash, verify
from server.index.intact import fingerprints, require_intact
from server.index.manager import current_name
from server.index.search import PROJECTION, Index
from server.index.snapshot import FORMAT, Manifest
from server.inference.encoders import Embedder
from server.ingest.chunk import ChunkSize
from server.ingest.crawl.contents import read_drops, read_leads, read_pages
from server.ingest.crawl.nouns import CrawlLimits, CrawlProgress, CrawlReport
from server.ingest.feeds import FeedClock, with_feeds
from server.ingest.filter import PageFilter, load_rules
from server.ingest.pages_file import read_pages_file
from server.ingest.pipeline import Indexer, IndexLimits, IndexProgress, IndexReport
from server.ingest.ports import Built, Encoded, KnownVectors
from server.ingest.publish import SnapshotStore
from server.ingest.topics.labels import load_topics
from server.ingest.topics.train import Learning, load_questions
from server.ingest.topics.usual import load_usual
from server.models import Drop
from server.settings import Settings
from server.wiring.flow import build_embedder
from server.wiring.opening import build_sites
from server.wiring.publishing import command_publisher
from server.wiring.snapshot_store import shelf

if TYPE_CHECKING:
    from server.ingest.crawl.site_crawler import Renderer

logger = logging.getLogger("lodge.ingest")


def run_crawl(  # noqa: PLR0913  (what the command line may say, each by its name)
    settings: Settings,
    urls: Sequence[str],
    *,
    max_pages: int | None,
    delay_s: float | None,
    prefixes: Sequence[str],
    private_hosts: Sequence[str],
    on_progress: Callable[[CrawlProgress], None],
) -> CrawlReport:
    """Crawl into the crawl store; None leaves a limit as the settings have it."""
    from server.ingest.crawl.job import crawl  # noqa: PLC0415 - Scrapy; indexing does without

    limits = CrawlLimits(
        delay_s=settings.crawl_delay_s if delay_s is None else delay_s,
        max_pages=settings.crawl_max_pages if max_pages is None else max_pages,
        max_depth=settings.crawl_max_depth,
        max_page_bytes=settings.crawl_max_page_bytes,
        timeout_s=settings.crawl_timeout_s,
        retries=settings.crawl_retries,
        private_hosts=frozenset(settings.crawl_private_hosts.split()) | frozenset(private_hosts),
        user_agent=settings.crawl_user_agent,
        trap_misses=settings.crawl_trap_misses,
        max_urls=settings.crawl_max_urls,
        prefixes=tuple(prefixes),
        render=rendered_addresses(settings),
    )
    renderer = _renderer(settings, limits) if limits.render else None
    return crawl(urls, settings.crawl_dir, limits, on_progress, renderer)


def rendered_addresses(settings: Settings) -> tuple[str, ...]:
    """The beginnings of addresses that the table of sites has rendered in a browser."""
    sites = build_sites(settings).all()
    return tuple(origin + prefix for site in sites for origin in site.origins for prefix in site.render)


def feed_clock(settings: Settings) -> FeedClock:
    """The day and the time zones that calendars are read with; a site's own zone, else the settings'."""
    zones = {
        urlsplit(origin).netloc: site.timezone
        for site in build_sites(settings).all()
        for origin in site.origins
        if site.timezone
    }
    return FeedClock(settings.day, settings.timezone, zones)


def _renderer(settings: Settings, limits: CrawlLimits) -> Renderer:
    from server.ingest.crawl.render import ChromiumRenderer, RenderLimits  # noqa: PLC0415 - as above

    most = RenderLimits(settings.crawl_render_s, settings.crawl_max_page_bytes)
    return ChromiumRenderer(most, limits.user_agent, settings.browser)


def cut_as(settings: Settings, preset: str | None) -> Settings:
    """The settings with a preset's chunks; a `BadInputError` names the presets there are."""
    if preset is None:
        return settings
    if preset not in PRESETS:
        raise BadInputError(f"There is no preset {preset!r}. There are: {', '.join(PRESETS)}.")
    chosen = PRESETS[preset]
    return replace(settings, chunk_chars=chosen.chunk_chars, chunk_overlap_chars=chosen.chunk_overlap_chars)


def run_index(  # noqa: PLR0913  (what the command line may say, each by its name)
    settings: Settings,
    pages_file: Path | None,
    *,
    on_broken: Callable[[int, str], None],
    on_progress: Callable[[IndexProgress], None],
    warn: Callable[[str], None] = logger.warning,
    publish: bool = True,
    override: str | None = None,
) -> IndexReport:
    """Build a snapshot from a pages file, or from everything crawled, and publish it unless told not to.

    `BlockedError`: it breaks golden questions, and no `override` says why it may; it stays shelved.
    `warn` is told of those that are wrong as before, and when Typesense did not follow; the snapshot is live
    all the same.
    """
    embedder = build_embedder(settings)
    onto = shelf(settings, warn)
    indexer = build_indexer(settings, onto, embedder)
    drops: Iterable[Drop] = ()
    leads: Callable[[], Mapping[str, str]] = dict
    if pages_file is not None:
        pages = read_pages_file(pages_file, on_broken)
    else:
        damaged: list[Drop] = []
        leads = partial(read_leads, settings.crawl_dir)
        crawled = read_pages(settings.crawl_dir, damaged.append)
        refused = partial(read_drops, settings.crawl_dir)
        pages = with_feeds(crawled, feed_clock(settings), leads, refused, damaged.append)
        drops = chain(read_drops(settings.crawl_dir), damaged)
    report = indexer.index(pages, drops, leads=leads, on_progress=on_progress)
    if publish:
        with command_publisher(settings, warn, embedder) as publisher:
            published = publisher.publish(report.snapshot, override=override)
            if published.still_wrong or published.known_gaps:
                warn(published.says)
    elif live := onto.current_name:
        onto.prune(settings.keep_snapshots, spare=onto.before(live))
    return report


@dataclass(frozen=True, slots=True)
class _Tools:
    """What the indexer needs of the search room."""

    settings: Settings
    current: Path
    embedder: Embedder

    def builder(self, folder: Path, dims: int) -> AbstractContextManager[Any]:
        return SnapshotBuilder(folder, dims, self.settings.duckdb_threads)

    @contextmanager
    def known_vectors(self) -> Iterator[KnownVectors]:
        index = self._open_current()

        def look_up(texts: Sequence[str]) -> dict[int, Encoded]:
            if index is None:
                return {}
            hashes = [text_hash(text) for text in texts]
            stored = index.stored_vectors(hashes)
            return {i: stored[key] for i, key in enumerate(hashes) if key in stored}

        try:
            yield look_up
        finally:
            if index is not None:
                index.close()

    def _open_current(self) -> Index | None:
        """The live snapshot, if it is whole and its vectors are this embedder's."""
        name = current_name(self.current)
        if name is None:
            return None
        try:
            require_intact(self.current.parent / name)
            index = Index(self.current.parent / name, threads=self.settings.duckdb_threads)
        except SnapshotError:
            return None
        made_by = index.snapshot.manifest
        is_its = made_by.embedder_sha256 == self.embedder.sha256
        if is_its and made_by.parameters.get(PROJECTION) == (self.embedder.projection_sha256 or None):
            return index
        index.close()
        return None

    def fingerprints(self, folder: Path) -> dict[str, str]:
        return fingerprints(folder)

    def manifest(self, built: Built, checks: Mapping[str, float], files: Mapping[str, str]) -> dict[str, Any]:
        sha256 = self.embedder.projection_sha256
        projection = {PROJECTION: sha256} if sha256 else {}
        return Manifest(
            format=FORMAT,
            embedder=self.embedder.name,
            embedder_sha256=self.embedder.sha256,
            dims=self.embedder.dims,
            checks=checks,
            files=files,
            **{**asdict(built), "parameters": {**built.parameters, **projection}},
        ).as_json()

    def verify(self, folder: Path) -> dict[str, float]:
        settings = self.settings
        index = Index(folder, threads=settings.duckdb_threads, hnsw_from_chunks=settings.hnsw_from_chunks)
        try:
            return verify(index, min_hnsw_recall=settings.hnsw_min_recall)
        finally:
            index.close()


def build_indexer(settings: Settings, into: SnapshotStore, embedder: Embedder) -> Indexer:
    """What builds snapshots into `into`, by the settings' filters, topics and chunk size."""
    rules = load_rules(settings.filters_file)
    return Indexer(
        into,
        embedder,
        _Tools(settings, into.current, embedder),
        lambda: PageFilter(rules, settings.min_page_chars, settings.near_duplicate_jaccard),
        ChunkSize(settings.chunk_chars, settings.chunk_overlap_chars, settings.min_chunk_words),
        Learning(
            embedder.embed_questions,
            load_topics(settings.topics_file),
            load_questions(settings.general_questions_file),
            load_usual(settings.usual_questions_file),
        ),
        IndexLimits(settings.max_page_passages, settings.max_site_passages),
    )

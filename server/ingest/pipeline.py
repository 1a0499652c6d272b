"""A page's way in, after the crawl: extract → clean → filter → chunk → embed → learn."""

from __future__ import annotations

import json
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from server.errors import LodgeError, SnapshotError, StorageError, unforeseen
from server.ingest.academic_calendar import with_calendar
from server.ingest.academic_terms import with_terms
from server.ingest.anchors import AnchorTexts
from server.ingest.boilerplate import Boilerplate
from server.ingest.chunk import ChunkSize, chunk, shortened
from server.ingest.click_distance import ClickDistances
from server.ingest.crawl.urls import site_of
from server.ingest.deadlines import with_deadlines
from server.ingest.documents.failures import UnreadableDocumentError
from server.ingest.extract.charset import has_excess
from server.ingest.extract.extract import extract
from server.ingest.extract.scripted import needs_browser
from server.ingest.filter import PageFilter
from server.ingest.informative import says_something
from server.ingest.opening_hours import with_hours
from server.ingest.page_kinds import with_kind
from server.ingest.ports import Builder, Built, Encoded, KnownVectors, PassageEmbedder, SnapshotTools
from server.ingest.publish import SnapshotStore
from server.ingest.topics.examples import ChunkSample
from server.ingest.topics.labels import Label, label_pages
from server.ingest.topics.train import Learning, learn
from server.models import Chunk, Document, Drop, SourcePage

logger = logging.getLogger("lodge.ingest")

T = TypeVar("T")
BATCH_CHUNKS = 512


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far an index run is."""

    pages: int
    kept: int
    chunks: int


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an index run did; `reused` says how many vectors were at hand, `seconds` where the time went.

    `topics` is how many pages each topic has; those without one are not in it. `cut` counts pages of which
    not everything was taken, by reason: `tags` (it has more than are read) or `passages`.

    Pages are read, extracted and cut while those before them are embedded, so the parts add up to more than
    the `total`.
    """

    snapshot: str
    pages: int
    chunks: int
    dropped: Mapping[str, int]
    cut: Mapping[str, int]
    reused: int
    topics: Mapping[str, int]
    checks: Mapping[str, float]
    seconds: Mapping[str, float]

    def as_json(self) -> dict[str, Any]:
        """The JSON object of `lodge index --json`."""
        return asdict(self)


@dataclass(slots=True)
class _Tally:
    """What is counted on the way."""

    leads: Callable[[], Mapping[str, str]]
    pages: int = 0
    kept: int = 0
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    drops: list[Drop] = field(default_factory=list)
    chunks_of: dict[str, int] = field(default_factory=dict)  # by URL
    labels: dict[str, Label] = field(default_factory=dict)  # likewise
    chunks_of_site: Counter[str] = field(default_factory=Counter)
    cut: Counter[str] = field(default_factory=Counter)
    tag_cut: set[str] = field(default_factory=set)  # URLs
    anchors: AnchorTexts = field(default_factory=AnchorTexts)
    distances: ClickDistances = field(default_factory=ClickDistances)
    boilerplate: Boilerplate = field(default_factory=Boilerplate)
    copies: Mapping[str, str] = field(default_factory=dict)  # URLs left out → the kept one
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextmanager
    def clock(self, step: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[step] += time.perf_counter() - start

    @property
    def dropped(self) -> dict[str, int]:
        return dict(Counter(drop.reason for drop in self.drops).most_common())

    @property
    def topics(self) -> dict[str, int]:
        return dict(Counter(label.topic for label in self.labels.values() if label.topic).most_common())


@dataclass(frozen=True, slots=True)
class IndexLimits:
    """How many chunks of a page, and of all pages of a site, are taken at most."""

    page_chunks: int = 20_000
    site_chunks: int = 250_000


@dataclass(frozen=True, slots=True)
class Indexer:
    """Builds, checks and shelves a snapshot from pages; whether it goes live is the publisher's to say.

    Without `learning` a snapshot has no topics, and no classifiers.
    """

    shelf: SnapshotStore
    embedder: PassageEmbedder
    tools: SnapshotTools
    page_filter: Callable[[], PageFilter]
    size: ChunkSize
    learning: Learning | None = None
    limits: IndexLimits = IndexLimits()

    def index(
        self,
        pages: Iterable[SourcePage],
        drops: Iterable[Drop] = (),
        *,
        leads: Callable[[], Mapping[str, str]] = dict,
        on_progress: Callable[[IndexProgress], None] = lambda _: None,
    ) -> IndexReport:
        """One snapshot of `pages`, shelved and not live.

        `drops` are pages already left out by the crawl, kept with their reasons; they are asked for after the
        last page, which may add to them. `leads` tells which addresses lead to another page. Whatever fails,
        the live snapshot stays as it was: `StorageError` when the disk is full, `SnapshotError` when nothing
        is left to index or a check fails.
        """
        start = time.perf_counter()
        tally = _Tally(leads)
        try:
            with self.shelf.building() as folder:
                counts = self._build(folder, pages, drops, tally, on_progress)
                parameters = asdict(self.size)
                if name := tally.boilerplate.site_name:
                    parameters["site_name"] = name
                built = Built(self.shelf.new_name(), _utc_now(), parameters, *counts, tally.dropped)
                self._write_manifest(folder, built, {}, {})
                with tally.clock("verify"):
                    checks = self.tools.verify(folder)
                self._write_manifest(folder, built, checks, self.tools.fingerprints(folder))
                self.shelf.shelve(folder, built.name)
        except OSError as error:
            raise StorageError(
                f"The new snapshot could not be written: {error.strerror or error}."
            ) from error
        tally.seconds["total"] = time.perf_counter() - start
        seconds = {step: round(value, 3) for step, value in tally.seconds.items()}
        return IndexReport(
            built.name, *counts, tally.dropped, dict(tally.cut), tally.reused, tally.topics, checks, seconds
        )

    def _build(
        self,
        folder: Path,
        pages: Iterable[SourcePage],
        drops: Iterable[Drop],
        tally: _Tally,
        on_progress: Callable[[IndexProgress], None],
    ) -> tuple[int, int]:
        opened, sample = self.tools.builder(folder, self.embedder.dims), ChunkSample()
        coming = closing(_ahead(_batches(self._chunked(pages, tally))))
        with opened as builder, self.tools.known_vectors() as known_vectors, coming as batches:
            for batch in batches:
                texts = [piece.indexed_text for _, chunks in batch for piece in chunks]
                encoded: list[Encoded] = []
                for start in range(0, len(texts), BATCH_CHUNKS):
                    encoded += self._encode(texts[start : start + BATCH_CHUNKS], known_vectors, tally)
                    on_progress(IndexProgress(tally.pages, tally.kept, tally.embedded))
                vectors = np.array([vector for vector, _ in encoded], np.float32).reshape(len(texts), -1)
                with tally.clock("write"):
                    builder.add(batch, vectors, [tokens for _, tokens in encoded])
                sample.add([piece for _, chunks in batch for piece in chunks], vectors)
            tally.drops[:0] = drops
            if not tally.chunks:
                reasons = ", ".join(f"{n} {reason}" for reason, n in tally.dropped.items())
                reasons = reasons or "no pages at all"
                raise SnapshotError(f"Nothing is left to index ({reasons}); the live snapshot stays.")
            with tally.clock("index"):
                builder.add_drops(tally.drops)
                self._set_topics(builder, tally)
                same = {**tally.leads(), **tally.copies}
                builder.set_anchors(tally.anchors.of_pages(tally.chunks_of, same))
                builder.set_nearer(tally.distances.of_pages(tally.chunks_of, same))
                counts = builder.finish()
        with tally.clock("learn"):
            if self.learning is not None:
                learn(folder, sample.excerpts(), tally.labels, self.learning)
        return counts

    def _set_topics(self, builder: Builder, tally: _Tally) -> None:
        """Label the pages, now that it is known which topics have enough of them."""
        if self.learning is not None:
            tally.labels = label_pages(tally.chunks_of, self.learning.table, self.learning.rules)
            builder.set_topics({url: (label.topic, label.subtopic) for url, label in tally.labels.items()})

    def _chunked(
        self, pages: Iterable[SourcePage], tally: _Tally
    ) -> Iterator[tuple[Document, tuple[Chunk, ...]]]:
        """The pages worth keeping, in pieces."""
        page_filter = self.page_filter()
        for document in tally.boilerplate.cleaned(self._extracted(pages, page_filter, tally)):
            kept = _safely(document.url, partial(self._keep_page, document, page_filter, tally))
            if isinstance(kept, Drop):
                tally.drops.append(kept)
            else:
                tally.kept += 1
                tally.chunks += len(kept[1])
                tally.chunks_of[kept[0].url] = len(kept[1])
                tally.chunks_of_site[site_of(document.url)] += len(kept[1])
                yield kept
        tally.copies = page_filter.copies

    def _extracted(
        self, pages: Iterable[SourcePage], page_filter: PageFilter, tally: _Tally
    ) -> Iterator[Document]:
        """What can be read of the pages; their links are counted, whether they are kept or not."""
        source = iter(pages)
        while True:
            with tally.clock("read"):
                page = next(source, None)
            if page is None:
                return
            tally.pages += 1
            found = _safely(page.url, partial(self._extract, page, page_filter, tally))
            if isinstance(found, Drop):
                tally.drops.append(found)
            else:
                yield found

    def _extract(self, page: SourcePage, page_filter: PageFilter, tally: _Tally) -> Document | Drop:
        if drop := page_filter.before_extract(page) or self._site_full(page.url, tally):
            return drop
        try:
            with tally.clock("extract"):
                document = extract(page)
        except UnreadableDocumentError as error:
            return Drop(page.url, error.reason, error.message)
        if needs_browser(page, document):
            return Drop(page.url, "needs_browser", "Its text is written by scripts; only a browser shows it.")
        with tally.clock("kinds"):
            document = with_kind(document, page)
        with tally.clock("anchors"):
            tally.anchors.add(document)
            tally.distances.add(document)
        if page.is_html and has_excess(page.body):
            tally.tag_cut.add(page.url)
        # A little more than is taken, so that it still shows what is cut.
        return shortened(document, self.limits.page_chunks * self.size.chars + 1)

    def _site_full(self, url: str, tally: _Tally) -> Drop | None:
        if tally.chunks_of_site[site_of(url)] < self.limits.site_chunks:
            return None
        detail = f"Its site has {self.limits.site_chunks:,} passages already, the most that are taken."
        return Drop(url, "site_full", detail)

    def _keep_page(
        self, whole: Document, page_filter: PageFilter, tally: _Tally
    ) -> tuple[Document, tuple[Chunk, ...]] | Drop:
        if drop := self._site_full(whole.url, tally):
            return drop
        document = shortened(whole, self.limits.page_chunks * self.size.chars)
        with tally.clock("filter"):
            drop = page_filter.after_extract(document)
        if drop:
            return drop
        with tally.clock("chunk"):
            chunks = chunk(document, self.size)
            if not chunks and says_something(document):
                chunks = chunk(document, replace(self.size, min_words=1))
        if document is not whole or len(chunks) > self.limits.page_chunks:
            tally.cut["passages"] += 1
        elif whole.url in tally.tag_cut:
            tally.cut["tags"] += 1
        chunks = chunks[: self.limits.page_chunks]
        if not chunks:
            return Drop(document.url, "too_short", f"No passage of {self.size.min_words} words or more.")
        with tally.clock("terms"):
            found, chunks = with_terms(with_calendar(document, chunks), chunks)
        with tally.clock("hours"):
            return with_deadlines(with_hours(found, chunks), chunks), chunks

    def _encode(self, texts: list[str], known_vectors: KnownVectors, tally: _Tally) -> list[Encoded]:
        """Each text's vectors; those of texts that have not changed come from the live snapshot."""
        with tally.clock("reuse"):
            found = dict(known_vectors(texts))
        tally.reused += len(found)
        new = [i for i in range(len(texts)) if i not in found]
        with tally.clock("embed"):
            if new:
                found |= dict(zip(new, self.embedder.encode_passages([texts[i] for i in new]), strict=True))
        tally.embedded += len(texts)
        return [found[i] for i in range(len(texts))]

    def _write_manifest(
        self, folder: Path, built: Built, checks: Mapping[str, float], files: Mapping[str, str]
    ) -> None:
        manifest = self.tools.manifest(built, checks, files)
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def _safely(url: str, act: Callable[[], T | Drop]) -> T | Drop:
    """What `act` makes of a page; whatever one page does must not end the run."""
    try:
        return act()
    except LodgeError:
        raise
    except Exception as error:
        logger.info("%s could not be read.", url, exc_info=error)
        return Drop(url, "unreadable", f"The page could not be read: {unforeseen(error)}")


def _ahead(items: Generator[T, None, None]) -> Generator[T, None, None]:
    """The same items, each made by a thread of its own while the one before is in use."""
    with ThreadPoolExecutor(1, "lodge-pages") as pool:
        try:
            coming = pool.submit(next, items, None)
            while (item := coming.result()) is not None:
                coming = pool.submit(next, items, None)
                yield item
        finally:
            pool.submit(items.close).result()


def _utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _batches(
    pages: Iterable[tuple[Document, tuple[Chunk, ...]]],
) -> Generator[list[tuple[Document, tuple[Chunk, ...]]], None, None]:
    """Whole pages, grouped to about `BATCH_CHUNKS` chunks."""
    batch: list[tuple[Document, tuple[Chunk, ...]]] = []
    size = 0
    for page in pages:
        batch.append(page)
        size += len(page[1])
        if size >= BATCH_CHUNKS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch

"""Wires the real parts together, once: the only place that knows which class stands behind which Protocol.

The command line and the server know this module alone. Heavy rooms are imported by the function that needs
them, so that asking one question does not load the crawler.
"""
# ruff: noqa: PLC0415  (see above)

from __future__ import annotations

import hashlib
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from server.ask.pipeline import Asker, AskOptions, Recorder
from server.ask.retrieve import RetrieveOptions
from server.errors import BadInputError, LodgeError, ModelError, NotReadyError, SnapshotError, StorageError
from server.inference.embedder import Embedder
from server.records import Answer, Event, Question
from server.records_db.store import RecordsStore, open_records
from server.search.index import Index
from server.search.live import Live, current_name
from server.settings import PROJECT, Settings

if TYPE_CHECKING:
    from server.evaluate.bench import BenchReport
    from server.evaluate.report import Evaluation
    from server.ingest.crawling.records import CrawlProgress
    from server.ingest.crawling.report import CrawlReport
    from server.ingest.pipeline import Built, Indexer, IndexProgress, IndexReport
    from server.ingest.publish import SnapshotShelf

__all__ = ["LodgeError", "Serving", "build_serving", "open_records"]


# --- asking ------------------------------------------------------------------------------------


class UnreadyAsker:
    """Stands in while a part is missing, and says which."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def ask(self, question: Question) -> Iterator[Event]:
        """`NotReadyError`, always, and as late as every asker raises: at the first event."""
        yield from self._nothing()

    def _nothing(self) -> Iterator[Event]:
        raise NotReadyError(self._reason)


class Serving:
    """The parts of a running server."""

    def __init__(
        self,
        asker: Asker | UnreadyAsker,
        live: Live[Index] | None,
        records: RecordsStore,
        trouble: str | None,
    ) -> None:
        self.asker = asker
        self.records = records
        self._live = live
        self._trouble = trouble

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
            self.records.tokens()
        except LodgeError as error:
            missing.append(error.message)
        return missing

    def close(self) -> None:
        """Let go of files."""
        if self._live is not None:
            self._live.close()
        self.records.close()


def build_serving(settings: Settings) -> Serving:
    """The server's parts. A missing model or snapshot does not keep it from starting; `/readyz` tells."""
    records = build_records(settings)
    try:
        embedder = build_embedder(settings)
    except ModelError as error:
        return Serving(UnreadyAsker(error.message), None, records, error.message)
    live = _live(settings, settings.snapshots_dir / "current", embedder)
    return Serving(_asker(settings, live, embedder, records), live, records, None)


def ask_once(settings: Settings, text: str, strategy: str | None) -> Answer:
    """One question through the whole flow, recorded like a visitor's."""
    embedder = build_embedder(settings)
    live = _live(settings, settings.snapshots_dir / "current", embedder)
    records = build_records(settings)
    conversation_id, message_id, trace_id = (uuid.uuid4().hex for _ in range(3))
    question = Question(text, conversation_id, message_id, trace_id, strategy=strategy)
    try:
        for event in _asker(settings, live, embedder, records).ask(question):
            if event.kind == "final":
                return event.answer
    finally:
        live.close()
        records.close()
    raise LodgeError("The question's flow ended without an answer.")


def build_records(settings: Settings) -> RecordsStore:
    """The records store, brought to the newest revision; its folder is made when it is not there."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{settings.home} cannot be made: {error.strerror}.") from error
    return open_records(settings.records_database_url)


def build_embedder(settings: Settings) -> Embedder:
    """The configured embedder; `ModelError` when its folder is missing."""
    return Embedder(settings.models_dir / settings.embedder, settings.inference_threads)


def _live(settings: Settings, current: Path, embedder: Embedder) -> Live[Index]:
    def open_index(folder: Path) -> Index:
        index = Index(folder, threads=settings.duckdb_threads, hnsw_from_chunks=settings.hnsw_from_chunks)
        index.require_embedder(embedder.name, embedder.sha256)
        return index

    return Live(current, open_index)


def _asker(settings: Settings, live: Live[Index], embedder: Embedder, recorder: Recorder | None) -> Asker:
    options = AskOptions(
        strategy=settings.strategy,
        retrieve=RetrieveOptions(settings.candidates, settings.fusion, settings.fusion_alpha),
        passages=settings.passages,
        refusal_threshold=settings.refusal_threshold,
        max_question_chars=settings.max_question_chars,
        versions={"embedder": embedder.name, "embedder_sha256": embedder.sha256},
    )
    return Asker(live, embedder, options, recorder)


# --- a page's way in ---------------------------------------------------------------------------


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
    from server.ingest.crawl import crawl
    from server.ingest.crawling.records import CrawlLimits

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
        prefixes=tuple(prefixes),
    )
    return crawl(urls, settings.crawl_dir, limits, on_progress)


def run_index(
    settings: Settings,
    pages_file: Path | None,
    *,
    on_broken: Callable[[int, str], None],
    on_progress: Callable[[IndexProgress], None],
) -> IndexReport:
    """Build and publish a snapshot from a pages file, or from everything crawled."""
    from server.ingest.crawling.pages import read_drops, read_pages
    from server.ingest.pages_file import read_pages_file

    indexer = _indexer(settings, shelf(settings), build_embedder(settings))
    if pages_file is not None:
        return indexer.index(read_pages_file(pages_file, on_broken), on_progress=on_progress)
    pages, drops = read_pages(settings.crawl_dir), read_drops(settings.crawl_dir)
    return indexer.index(pages, drops, on_progress=on_progress)


def shelf(settings: Settings) -> SnapshotShelf:
    """The folder of all snapshots."""
    from server.ingest.publish import SnapshotShelf

    return SnapshotShelf(settings.snapshots_dir)


@dataclass(frozen=True, slots=True)
class _Tools:
    """What the indexer needs of the search room."""

    settings: Settings
    current: Path
    embedder: Embedder

    def builder(self, folder: Path, dims: int) -> AbstractContextManager[Any]:
        from server.search.build import SnapshotBuilder

        return SnapshotBuilder(folder, dims, self.settings.duckdb_threads)

    @contextmanager
    def known_vectors(self) -> Iterator[Callable[[Sequence[str]], dict[int, npt.NDArray[np.float32]]]]:
        from server.search.build import text_hash

        index = self._open_current()

        def look_up(texts: Sequence[str]) -> dict[int, npt.NDArray[np.float32]]:
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
        """The live snapshot, if its vectors are this embedder's."""
        name = current_name(self.current)
        if name is None:
            return None
        try:
            index = Index(self.current.parent / name, threads=self.settings.duckdb_threads)
            index.require_embedder(self.embedder.name, self.embedder.sha256)
        except SnapshotError:
            return None
        return index

    def manifest(self, built: Built, checks: Mapping[str, float]) -> dict[str, Any]:
        from server.search.snapshot import FORMAT, Manifest

        return Manifest(
            format=FORMAT,
            embedder=self.embedder.name,
            embedder_sha256=self.embedder.sha256,
            dims=self.embedder.dims,
            checks=checks,
            **asdict(built),
        ).as_json()

    def verify(self, folder: Path) -> dict[str, float]:
        from server.search.verify import verify

        settings = self.settings
        index = Index(folder, threads=settings.duckdb_threads, hnsw_from_chunks=settings.hnsw_from_chunks)
        try:
            return verify(index, min_hnsw_recall=settings.hnsw_min_recall)
        finally:
            index.close()


def _indexer(settings: Settings, into: SnapshotShelf, embedder: Embedder) -> Indexer:
    from server.ingest.chunk import ChunkSize
    from server.ingest.filter import PageFilter
    from server.ingest.pipeline import Indexer
    from server.ingest.rules import load_rules

    rules = load_rules(settings.filters_file)
    return Indexer(
        into,
        embedder,
        _Tools(settings, into.current, embedder),
        lambda: PageFilter(rules, settings.min_page_chars, settings.near_duplicate_jaccard),
        ChunkSize(settings.chunk_chars, settings.chunk_overlap_chars, settings.min_chunk_words),
        settings.keep_snapshots,
    )


# --- measuring ---------------------------------------------------------------------------------


def run_eval(  # noqa: PLR0913  (as above)
    settings: Settings,
    questions_file: Path,
    pages_file: Path | None,
    strategies: Sequence[str],
    *,
    warn: Callable[[str], None],
    on_progress: Callable[[int, int], None],
) -> Evaluation:
    """Score strategies on a questions file, over the live snapshot or a cached one of a pages file."""
    from server.evaluate.evaluate import evaluate
    from server.evaluate.questions import read_questions, unknown_gold_urls

    def on_broken(line: int, why: str) -> None:
        warn(f"{questions_file.name}, line {line}: {why}")

    questions = read_questions(questions_file, on_broken)
    embedder = build_embedder(settings)
    current = settings.snapshots_dir / "current"
    if pages_file is not None:
        current = _cached_snapshot(settings, pages_file, embedder, warn)
    live = _live(settings, current, embedder)
    # Questions of a set are answered whatever their length, and never enter the visitors' records.
    asker = _asker(replace(settings, max_question_chars=100_000), live, embedder, None)
    try:
        with live.lease() as index:
            unknown = unknown_gold_urls(questions, index.snapshot.urls())
        if unknown:
            warn(f"{unknown} gold URLs are not in the snapshot; their questions count as missed.")
        return evaluate(asker, questions, strategies, on_progress)
    finally:
        live.close()


def _cached_snapshot(
    settings: Settings, pages_file: Path, embedder: Embedder, warn: Callable[[str], None]
) -> Path:
    """The `current` link of a snapshot of these pages, built unless one made just so is at hand."""
    from server.ingest.pages_file import read_pages_file
    from server.ingest.publish import SnapshotShelf

    def on_broken(line: int, why: str) -> None:
        warn(f"{pages_file.name}, line {line}: {why}")

    if not pages_file.is_file():
        raise BadInputError(f"There is no pages file {pages_file}.")
    into = SnapshotShelf(settings.home / "eval" / _cache_key(settings, pages_file, embedder))
    if into.current_name is None:
        _indexer(settings, into, embedder).index(read_pages_file(pages_file, on_broken))
    return into.current


def _cache_key(settings: Settings, pages_file: Path, embedder: Embedder) -> str:
    """Everything a snapshot of a pages file depends on: the pages, the settings, the model, our own code."""
    digest = hashlib.blake2b(digest_size=12)
    digest.update(pages_file.read_bytes())
    digest.update(settings.filters_file.read_bytes())
    made_with = (
        settings.chunk_chars,
        settings.chunk_overlap_chars,
        settings.min_chunk_words,
        settings.min_page_chars,
        settings.near_duplicate_jaccard,
        embedder.sha256,
    )
    digest.update(repr(made_with).encode())
    for room in ("ingest", "search"):
        for path in sorted((PROJECT / "server" / room).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def run_bench(
    settings: Settings,
    questions: Sequence[str],
    strategies: Sequence[str],
    on_progress: Callable[[str], None],
) -> BenchReport:
    """Measure the flow on the live snapshot, without recording anything."""
    from server.evaluate.bench import BenchPlan, bench

    embedder = build_embedder(settings)
    live = _live(settings, settings.snapshots_dir / "current", embedder)
    try:
        with live.lease() as index:
            chunks = index.snapshot.manifest.chunks
        command = [sys.executable, "-m", "server.cli", "ask", "--json", questions[0]]
        plan = BenchPlan(questions, strategies, chunks, command)
        return bench(_asker(settings, live, embedder, None), plan, on_progress)
    finally:
        live.close()


def bench_questions(settings: Settings, questions_file: Path | None) -> list[str]:
    """The questions to bench with: a file's, or the demo university's."""
    from server.evaluate.questions import read_questions

    path = questions_file or PROJECT / "corpus" / "golden_questions.jsonl"
    return [question.question for question in read_questions(path, lambda line, why: None)]

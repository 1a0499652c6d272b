"""The parts that answer questions: model, live snapshot, records, flow."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from server.ask.classify import SoftFilter
from server.ask.pipeline import Asker, AskOptions, Models, Recorder
from server.ask.prefer import TermOptions
from server.ask.presets import reranks
from server.ask.rerank import RerankOptions
from server.ask.retrieve import RetrieveOptions
from server.ask.scope import Filters
from server.errors import LodgeError, ModelError, NotReadyError, StorageError
from server.inference.embedder import Embedder
from server.inference.reranker import Reranker
from server.parts.opened import OpenedSnapshot, SearchEngine
from server.records import Answer, Event, Question
from server.records_db.store import RecordsStore, open_records
from server.search.index import Index
from server.search.live import Live
from server.settings import Settings
from server.sites.site import SiteDefaults
from server.sites.table import SiteTable, load_sites


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
        live: Live[OpenedSnapshot] | None,
        records: RecordsStore,
        sites: SiteTable,
        trouble: str | None,
    ) -> None:
        self.asker = asker
        self.records = records
        self.sites = sites
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
    sites = build_sites(settings)
    records = build_records(settings)
    try:
        embedder = build_embedder(settings)
        live = build_live(settings, settings.current_snapshot, embedder)
        return Serving(build_asker(settings, live, embedder, records), live, records, sites, None)
    except ModelError as error:
        return Serving(UnreadyAsker(error.message), None, records, sites, error.message)


def ask_once(settings: Settings, text: str, strategy: str | None, **filters: Any) -> Answer:
    """One question through the whole flow, recorded like a visitor's; `filters` are those of `Filters`."""
    within = Filters(**filters).scope()
    embedder = build_embedder(settings)
    live = build_live(settings, settings.current_snapshot, embedder)
    records = build_records(settings)
    conversation_id, message_id, trace_id = (uuid.uuid4().hex for _ in range(3))
    question = Question(text, conversation_id, message_id, trace_id, strategy=strategy, within=within)
    try:
        for event in build_asker(settings, live, embedder, records).ask(question):
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


def build_sites(settings: Settings) -> SiteTable:
    """The table of sites; a fault in it is a `BadInputError`."""
    defaults = SiteDefaults(
        name=settings.site_name,
        contact_url=settings.contact_url,
        max_question_chars=settings.max_question_chars,
        main_origins=tuple(settings.frame_origins.split()),
    )
    return load_sites(settings.sites_path, defaults)


def build_embedder(settings: Settings) -> Embedder:
    """The configured embedder; `ModelError` when its folder is missing."""
    return Embedder(settings.models_dir / settings.embedder, settings.inference_threads)


def build_reranker(settings: Settings) -> Reranker | None:
    """The configured cross-encoder, if any; `ModelError` when its folder is missing.

    Where the default strategy does without, it is loaded when a question first asks for it.
    """
    if not settings.reranker:
        return None
    late = not reranks(settings.strategy)
    return Reranker(settings.models_dir / settings.reranker, settings.inference_threads, late=late)


def build_live(settings: Settings, current: Path, embedder: Embedder) -> Live[OpenedSnapshot]:
    """The snapshot that `current` names, followed as it changes; one of another embedder is refused."""
    open_engine = _engine_opener(settings, current)

    def open_snapshot(folder: Path) -> OpenedSnapshot:
        opened = OpenedSnapshot(
            folder,
            threads=settings.duckdb_threads,
            hnsw_from_chunks=settings.hnsw_from_chunks,
            open_engine=open_engine,
        )
        try:
            opened.index.require_embedder(embedder.name, embedder.sha256)
            opened.index.warm_up()
        except LodgeError:
            opened.close()
            raise
        return opened

    return Live(current, open_snapshot)


def _engine_opener(settings: Settings, current: Path) -> Callable[[Index], SearchEngine] | None:
    """What searches in the snapshot's place: Typesense, which has none but the snapshots of the home."""
    if not settings.typesense_urls or current != settings.current_snapshot:
        return None
    from server.parts.typesense import engine_opener  # noqa: PLC0415 - a client that few need

    return engine_opener(settings)


def build_asker(
    settings: Settings, live: Live[OpenedSnapshot], embedder: Embedder, recorder: Recorder | None
) -> Asker:
    """The flow, by the settings; without a recorder nothing is kept."""
    reranker = build_reranker(settings)
    options = AskOptions(
        strategy=settings.strategy if reranker else settings.strategy.replace("+rerank", ""),
        retrieve=RetrieveOptions(settings.candidates, settings.fusion, settings.fusion_alpha),
        rerank=RerankOptions(settings.rerank_candidates, stop=settings.rerank_stop),
        soft_filter=SoftFilter(settings.topic_least, settings.topic_others),
        terms=TermOptions(settings.term_weight, settings.day),
        passages=settings.passages,
        refusal_threshold=settings.refusal_threshold,
        max_question_chars=settings.max_question_chars,
        versions=_versions(embedder, reranker),
    )
    return Asker(live, Models(embedder, reranker), options, recorder)


def _versions(embedder: Embedder, reranker: Reranker | None) -> dict[str, str]:
    """The models' names and hashes, for the trace."""
    versions = {"embedder": embedder.name, "embedder_sha256": embedder.sha256}
    if reranker is not None:
        versions |= {"reranker": reranker.name, "reranker_sha256": reranker.sha256}
    return versions

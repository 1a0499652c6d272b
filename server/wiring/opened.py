"""A snapshot as a question meets it, its searches and its classifiers opened together, and the live one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from server.index.manager import SnapshotManager
from server.index.search import Index
from server.index.text import Synonym, load_synonyms
from server.index.wordings import Wordings
from server.inference.encoders import Embedder, SnapshotClassifier
from server.settings import Settings
from server.wiring.private_copy import private_copy

if TYPE_CHECKING:
    from server.index.typesense.search import Engine


class OpenedSnapshot(Index):
    """An index with the snapshot's classifiers; `SnapshotError` when a part cannot be used. Thread-safe."""

    def __init__(
        self,
        folder: Path,
        *,
        threads: int = 2,
        hnsw_from_chunks: int = 100_000,
        synonyms: Iterable[Synonym] = (),
    ) -> None:
        super().__init__(folder, threads=threads, hnsw_from_chunks=hnsw_from_chunks, synonyms=synonyms)
        self._engine: Engine | None = None
        self.wordings = Wordings(self.snapshot, self.text, self.keyword)
        try:
            self.classifier = SnapshotClassifier(folder, self.snapshot.manifest.dims)
        except Exception:
            self.close()
            raise

    def search_by(self, engine: Engine) -> None:
        """Have it searched by an engine in front of its own index, which is closed with it."""
        self._engine, self.keyword, self.vector = engine, engine.keyword, engine.vector

    def close(self) -> None:
        """Let go of the files, and of the engine's connections."""
        if self._engine:
            self._engine.close()
        super().close()


class FixedSnapshot:
    """One opened snapshot in the place of the live one: questions are asked over it whatever is published."""

    def __init__(self, opened: OpenedSnapshot) -> None:
        self._opened = opened

    @contextmanager
    def lease(self) -> Iterator[OpenedSnapshot]:
        """That snapshot."""
        yield self._opened


def build_live(settings: Settings, current: Path, embedder: Embedder) -> SnapshotManager[OpenedSnapshot]:
    """The snapshot that `current` names, followed as it changes; one of another embedder is refused."""
    open_engine = _engine_opener(settings, current)
    return SnapshotManager(current, lambda folder: open_folder(settings, folder, embedder, open_engine))


def open_folder(
    settings: Settings, folder: Path, embedder: Embedder, open_engine: Callable[[Index], Engine] | None = None
) -> OpenedSnapshot:
    """One snapshot, ready for questions; `SnapshotError` when it is damaged, or of another embedder."""
    with private_copy(settings, folder) as copy:
        opened = OpenedSnapshot(
            copy,
            threads=settings.duckdb_threads,
            hnsw_from_chunks=settings.hnsw_from_chunks,
            synonyms=load_synonyms(settings.synonyms_file),
        )
        try:
            opened.require_embedder(embedder.name, embedder.sha256, embedder.projection_sha256)
            opened.warm_up()
            if open_engine is not None:
                opened.search_by(open_engine(opened))
        except Exception:
            opened.close()
            raise
    return opened


def _engine_opener(settings: Settings, current: Path) -> Callable[[Index], Engine] | None:
    """What searches in the snapshot's place: Typesense, which has none but the snapshots of the home."""
    if not settings.typesense_urls or current != settings.current_snapshot:
        return None
    from server.wiring.typesense import engine_opener  # noqa: PLC0415 - a client that few need

    return engine_opener(settings)

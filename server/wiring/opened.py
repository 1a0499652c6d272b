"""A snapshot as a question meets it: its searches and its classifiers, opened together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from server.ask.ports import KeywordSearch, VectorSearch
from server.errors import StorageError
from server.index.index import Index
from server.index.snapshot import Snapshot, copy_intact
from server.inference.classifier import SnapshotClassifier
from server.ingest.publish import SnapshotStore
from server.settings import Settings


class SearchEngine(Protocol):
    """What searches in place of the snapshot's own index, or in front of it."""

    @property
    def keyword(self) -> KeywordSearch:
        """Full-text search."""
        ...

    @property
    def vector(self) -> VectorSearch:
        """Vector search."""
        ...

    def close(self) -> None:
        """Let go of what it holds, but not of the index."""
        ...


class OpenedSnapshot:
    """One opened snapshot folder; `SnapshotError` when a part of it cannot be used. Thread-safe.

    `open_engine` opens what searches it; without, its own index does.
    """

    def __init__(
        self,
        folder: Path,
        *,
        threads: int = 2,
        hnsw_from_chunks: int = 100_000,
        open_engine: Callable[[Index], SearchEngine] | None = None,
    ) -> None:
        self.index = Index(folder, threads=threads, hnsw_from_chunks=hnsw_from_chunks)
        try:
            self.classifier = SnapshotClassifier(folder, self.index.snapshot.manifest.dims)
            self._engine = open_engine(self.index) if open_engine else None
        except Exception:
            self.index.close()
            raise

    @property
    def name(self) -> str:
        """The snapshot's name."""
        return self.index.name

    @property
    def keyword(self) -> KeywordSearch:
        """Its full-text search."""
        return self._engine.keyword if self._engine else self.index.keyword

    @property
    def vector(self) -> VectorSearch:
        """Its vector search."""
        return self._engine.vector if self._engine else self.index.vector

    @property
    def snapshot(self) -> Snapshot:
        """Its pages and passages."""
        return self.index.snapshot

    def close(self) -> None:
        """Let go of the files, and of the engine's connections."""
        if self._engine:
            self._engine.close()
        self.index.close()


class FixedSnapshot:
    """One opened snapshot in the place of the live one: questions are asked over it whatever is published."""

    def __init__(self, opened: OpenedSnapshot) -> None:
        self._opened = opened

    @contextmanager
    def lease(self) -> Iterator[OpenedSnapshot]:
        """That snapshot."""
        yield self._opened


@contextmanager
def private_copy(settings: Settings, folder: Path) -> Iterator[Path]:
    """An intact copy of a snapshot's folder, to open: it is removed afterwards, and what is open lives on.

    A file without a name can be cut short or written over by nobody. Were the snapshot's own files open, that
    would end the process: by SIGBUS where they are mapped, by SIGSEGV in DuckDB, which keeps what it knows of
    a file that has become another.
    """
    with ExitStack() as held:
        try:
            aside = held.enter_context(SnapshotStore(settings.home / "opening").building())
        except OSError as error:
            raise StorageError(f"LODGE_HOME cannot be written to: {error.strerror}.") from error
        copy_intact(folder, aside / folder.name)
        yield aside / folder.name

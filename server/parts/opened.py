"""A snapshot as a question meets it: its searches and its classifiers, opened together."""

from __future__ import annotations

from pathlib import Path

from server.inference.classifier import SnapshotClassifier
from server.search.index import Index
from server.search.keyword import KeywordIndex
from server.search.snapshot import Snapshot
from server.search.vector import VectorIndex


class OpenedSnapshot:
    """One opened snapshot folder; `SnapshotError` when a part of it cannot be used. Thread-safe."""

    def __init__(self, folder: Path, *, threads: int = 2, hnsw_from_chunks: int = 100_000) -> None:
        self.index = Index(folder, threads=threads, hnsw_from_chunks=hnsw_from_chunks)
        try:
            self.classifier = SnapshotClassifier(folder, self.index.snapshot.manifest.dims)
        except Exception:
            self.index.close()
            raise

    @property
    def name(self) -> str:
        """The snapshot's name."""
        return self.index.name

    @property
    def keyword(self) -> KeywordIndex:
        """Its full-text search."""
        return self.index.keyword

    @property
    def vector(self) -> VectorIndex:
        """Its vector search."""
        return self.index.vector

    @property
    def snapshot(self) -> Snapshot:
        """Its pages and passages."""
        return self.index.snapshot

    def close(self) -> None:
        """Let go of the files."""
        self.index.close()

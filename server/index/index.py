"""A snapshot with its two searches: what one question holds a lease on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from server.errors import SnapshotError
from server.index.bm25 import KeywordIndex
from server.index.snapshot import DatabaseError, Snapshot
from server.index.vectors import Vector, VectorIndex


class Index:
    """One opened snapshot folder. Thread-safe."""

    def __init__(self, folder: Path, *, threads: int = 2, hnsw_from_chunks: int = 100_000) -> None:
        self.snapshot = Snapshot(folder, threads)
        try:
            self.keyword = KeywordIndex(self.snapshot)
        except (DatabaseError, SnapshotError) as error:
            self.snapshot.close()
            raise SnapshotError(
                f"The snapshot {self.name!r} does not hold what a snapshot should; roll back or index again."
            ) from error
        self.vector = VectorIndex(self.snapshot, hnsw_from_chunks)

    @property
    def name(self) -> str:
        """The snapshot's name."""
        return self.snapshot.name

    def require_embedder(self, name: str, sha256: str) -> None:
        """A question embedded by another model than the chunks would find nonsense: `SnapshotError`."""
        manifest = self.snapshot.manifest
        if manifest.embedder_sha256 != sha256:
            raise SnapshotError(
                f"The snapshot {self.name!r} was built with the embedder {manifest.embedder!r}, but {name!r} "
                "is configured (LODGE_EMBEDDER), or its model file has changed. Run `lodge index` again, or "
                "set it back."
            )

    def warm_up(self) -> None:
        """Read once what every question reads, so that no visitor waits for the disk."""
        nothing = np.zeros(self.snapshot.manifest.dims, dtype=np.float32)
        self.vector.search(nothing, 1)
        self.keyword.search("library", 1)
        self.snapshot.passages([0])

    def stored_vectors(self, hashes: list[int]) -> dict[int, Vector]:
        """The vectors of chunks whose text has one of these hashes, by hash."""
        rows = self.snapshot.rows(
            "SELECT text_hash, embedding FROM vectors WHERE text_hash IN (SELECT unnest(?::UBIGINT[]))",
            [hashes],
        )
        return {text_hash: np.asarray(embedding, dtype=np.float32) for text_hash, embedding in rows}

    def close(self) -> None:
        """Let go of the files."""
        self.snapshot.close()

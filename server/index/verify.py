"""The checks a new snapshot passes before anyone can see it."""

from __future__ import annotations

import numpy as np

from server.errors import SnapshotError
from server.index.index import Index

SAMPLE = 50
OF_A_PAGE = 3  # of the sample; a page of thousands of odd passages says nothing about the others
TOP = 10


def verify(index: Index, *, min_hnsw_recall: float) -> dict[str, float]:
    """Counts, self-queries and HNSW recall of a finished snapshot; `SnapshotError` says which check failed.

    Shares are 0 to 1: `self_vector` and `self_keyword` of sampled chunks found among the top 10 for their own
    vector or text; `hnsw_recall` is recall@10 against the exact scan (Malkov & Yashunin 2016, section 5),
    which stops only a snapshot that is large enough to be searched by HNSW.
    """
    manifest, rows = index.snapshot.manifest, index.snapshot.rows
    for table, expected in (
        ("pages", manifest.pages),
        ("chunks", manifest.chunks),
        ("vectors", manifest.chunks),
    ):
        ((found,),) = rows(f"SELECT count(*) FROM {table}")  # noqa: S608 - our own table names
        if found != expected:
            raise SnapshotError(
                f"The new snapshot has {found} rows of {table} where {expected} were written."
            )
    sample = rows(
        "SELECT chunk_id, text, embedding FROM chunks JOIN vectors USING (chunk_id) WHERE chunk_id IN ("
        "SELECT chunk_id FROM chunks "
        "QUALIFY row_number() OVER (PARTITION BY page_id ORDER BY hash(chunk_id)) <= ? "
        "ORDER BY hash(chunk_id) LIMIT ?) ORDER BY hash(chunk_id)",
        [OF_A_PAGE, SAMPLE],
    )
    by_vector, by_keyword, recalls = [], [], []
    for chunk_id, text, embedding in sample:
        vector = np.asarray(embedding, dtype=np.float32)
        exact = index.vector.exact(vector, TOP)
        near = {hit.chunk_id for hit in index.vector.hnsw(vector, TOP)}
        # A chunk that stands twice is found by either copy, hence the score and not the id.
        by_vector.append(exact[0].score > 0.999)
        by_keyword.append(chunk_id in {hit.chunk_id for hit in index.keyword.search(text, TOP)})
        recalls.append(len(near & {hit.chunk_id for hit in exact}) / len(exact))
    checks = {
        "self_vector": float(np.mean(by_vector)),
        "self_keyword": float(np.mean(by_keyword)),
        "hnsw_recall": float(np.mean(recalls)),
    }
    least = {
        "self_vector": 0.99,
        "self_keyword": 0.5,
        "hnsw_recall": min_hnsw_recall if index.vector.uses_hnsw else 0.0,
    }
    for name, value in checks.items():
        if value < least[name]:
            raise SnapshotError(
                f"The new snapshot failed its check {name}: {value:.3f}, at least {least[name]}."
            )
    return checks

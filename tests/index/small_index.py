"""Snapshots of a few sentences and made-up vectors, for what the small college's cannot show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from server.index.build import SnapshotBuilder
from server.index.search import Index
from server.index.snapshot import FORMAT, Snapshot, Vectors
from server.models import Chunk, Document

DIMS = 8


def unit_vectors(count: int, seed: int = 0, dims: int = DIMS) -> Vectors:
    """Random directions, the same for the same seed."""
    vectors = np.random.default_rng(seed).normal(size=(count, dims)).astype(np.float32)
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def a_page(number: int, *texts: str) -> tuple[Document, list[Chunk]]:
    """A page with a chunk for each text."""
    url, title = f"https://example.edu/{number}", f"Page {number}"
    chunks = [Chunk(url, i, title, (), text) for i, text in enumerate(texts)]
    return Document(url, title, ()), chunks


def manifest(folder: Path, **changes: Any) -> dict[str, Any]:
    """A manifest of the snapshot in `folder`."""
    table = {
        "format": FORMAT,
        "name": folder.name,
        "created_at": "2026-05-01T10:00:00+00:00",
        "embedder": "small",
        "embedder_sha256": "0" * 64,
        "dims": DIMS,
        "parameters": {},
        "pages": 0,
        "chunks": 0,
        "dropped": {},
        "checks": {},
        "files": {},
    }
    return table | changes


def build(
    folder: Path,
    texts: Sequence[str],
    vectors: Vectors | None = None,
    topics: Mapping[str, tuple[str | None, str | None]] | None = None,
) -> Path:
    """A snapshot folder with a page for each text; `topics` are by URL."""
    folder.mkdir()
    found = unit_vectors(len(texts)) if vectors is None else vectors
    with SnapshotBuilder(folder, found.shape[1], threads=1) as builder:
        builder.add([a_page(i, text) for i, text in enumerate(texts)], found)
        builder.set_topics(topics or {})
        pages, chunks = builder.finish()
    table = manifest(folder, pages=pages, chunks=chunks, dims=found.shape[1])
    (folder / "manifest.json").write_text(json.dumps(table), encoding="utf-8")
    return folder


def opened(folder: Path, texts: Sequence[str], vectors: Vectors | None = None) -> Index:
    """A snapshot of these texts, open."""
    return Index(build(folder, texts, vectors), threads=1)


class NotingSnapshot(Snapshot):
    """A snapshot that keeps the plan of every query it runs."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, threads=1)
        self.plans: list[str] = []

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self.plans.append(super().rows(f"EXPLAIN {sql}", parameters)[0][1])
        return super().rows(sql, parameters)

"""HNSW against the exact scan, at sizes from a few thousand chunks to hundreds of thousands.

    .venv/bin/python -m scripts.research.retrieval.measure_hnsw --questions QUESTIONS.jsonl --work var/hnsw

The vectors are those of the live snapshot: a sample of them for a size below its own, and beyond it copies
as server/evaluate/growth.py makes them, of all. The questions are a file's. Each size becomes a snapshot
with an index as any other, in the work folder, where it stays for the next time. Both searches answer the
same questions in turns, so that whatever else the machine does weighs on both. Recall@k is the share of the
exact scan's first k that are among HNSW's first k, a mean over the questions.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from server.errors import LodgeError, NotReadyError
from server.evaluate.bench import BenchLatency, resident_mb
from server.evaluate.growth import partners, turned
from server.evaluate.questions import read_questions
from server.index.build import SnapshotBuilder
from server.index.manager import current_name
from server.index.search import Index
from server.index.snapshot import MANIFEST_FILE, Manifest, Snapshot, Vectors
from server.models import Chunk, Document, Hit
from server.settings import Settings
from server.wiring.flow import build_embedder

SEED = 20_250_101
BATCH = 5000
DEPTHS = (10, 50)
Search = Callable[[Vectors, int], list[Hit]]


@dataclass(frozen=True, slots=True)
class Measured:
    """One size. `recall` is by depth, times are of a search for the deepest; `*_mb` what a search added."""

    chunks: int
    build_s: float
    recall: dict[int, float]
    exact: BenchLatency
    hnsw: BenchLatency
    exact_mb: float
    hnsw_mb: float

    def row(self) -> str:
        """A row of the table that `HEAD` begins."""
        recall = " | ".join(f"{self.recall[depth]:.4f}" for depth in DEPTHS)
        exact, hnsw = (f"{one.p50:.2f} | {one.p95:.2f}" for one in (self.exact, self.hnsw))
        return (
            f"| {self.chunks:,} | {self.build_s:.0f} | {recall} | {exact} | {hnsw} "
            f"| {self.exact_mb:.0f} | {self.hnsw_mb:.0f} |"
        )


HEAD = """\
| chunks | HNSW in s | recall@10 | recall@50 | exact p50 ms | p95 | HNSW p50 ms | p95 | exact MB | HNSW MB |
|---|---|---|---|---|---|---|---|---|---|"""


def sized(vectors: Vectors, size: int, seed: int = SEED) -> Iterator[Vectors]:
    """So many vectors, in batches of the same order of size: a sample, or all of them and copies of them."""
    order = np.random.default_rng(seed).permutation(len(vectors))
    if size <= len(vectors):
        yield vectors[np.sort(order[:size])]
        return
    yield np.asarray(vectors)
    for copy, start in enumerate(range(len(vectors), size, len(vectors)), 1):
        yield turned(vectors, vectors[partners(order, copy)])[: size - start]


def build(folder: Path, batches: Iterator[Vectors], like: Manifest, threads: int) -> None:
    """A snapshot of these vectors in `folder`, with next to no text; the folder is there whole or not."""
    aside = folder.with_name(f".{folder.name}-{os.getpid()}")
    aside.mkdir(parents=True)
    try:
        with SnapshotBuilder(aside, like.dims, threads) as builder:
            for batch in batches:
                for start in range(0, len(batch), BATCH):
                    _add(builder, batch[start : start + BATCH])
            pages, chunks = builder.finish()
        parameters = {"hnsw_s": builder.seconds["hnsw"]}
        manifest = replace(like, name=folder.name, pages=pages, chunks=chunks, parameters=parameters)
        (aside / MANIFEST_FILE).write_text(json.dumps(manifest.as_json()), encoding="utf-8")
        aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _add(builder: SnapshotBuilder, vectors: Vectors) -> None:
    url = "https://example.edu/"
    chunks = [Chunk(url, i, "", (), "text") for i in range(len(vectors))]
    builder.add([(Document(url, "", ()), chunks)], vectors)


def measure(index: Index, questions: Vectors, ef_search: int | None = None) -> Measured:
    """Recall and latency of both searches, asked in turns."""
    if ef_search:
        index.snapshot.rows(f"SET GLOBAL hnsw_ef_search = {ef_search}")
    exact, hnsw = index.vector.exact, index.vector.hnsw
    added_mb = [_added_mb(way, questions[0]) for way in (exact, hnsw)]
    recall: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
    times: tuple[list[float], list[float]] = ([], [])
    title = f"{index.snapshot.manifest.chunks:,} chunks"
    for question in tqdm(questions, desc=title, leave=False, disable=None):
        truth = _timed(exact, question, times[0])
        _timed(hnsw, question, times[1])
        for depth in DEPTHS:
            near = {hit.chunk_id for hit in hnsw(question, depth)}
            recall[depth].append(np.mean([hit.chunk_id in near for hit in truth[:depth]]).item())
    manifest = index.snapshot.manifest
    means = {depth: float(np.mean(values)) for depth, values in recall.items()}
    return Measured(
        manifest.chunks,
        manifest.parameters["hnsw_s"],
        means,
        BenchLatency.of(times[0]),
        BenchLatency.of(times[1]),
        *added_mb,
    )


def _timed(way: Search, question: Vectors, times: list[float]) -> list[Hit]:
    start = time.perf_counter()
    hits = way(question, max(DEPTHS))
    times.append((time.perf_counter() - start) * 1000)
    return hits


def _added_mb(way: Search, question: Vectors) -> float:
    before = resident_mb()
    way(question, 1)
    return resident_mb() - before


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row a size, and one more for each other effort of HNSW that is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--questions", type=Path, required=True, help="a questions file")
    parser.add_argument("--work", type=Path, required=True, help="a folder for the snapshots that are made")
    parser.add_argument("--sizes", type=_numbers, default=[25_000, 250_000], help="chunks, by commas")
    parser.add_argument("--ef-search", type=_numbers, default=[], help="also with these efforts of HNSW")
    parser.add_argument("--most-questions", type=int, default=500)
    args = parser.parse_args(arguments)
    try:
        _print_table(Settings.read(os.environ), args)
    except LodgeError as error:
        sys.exit(f"Error: {error}")


def _print_table(settings: Settings, args: argparse.Namespace) -> None:
    name = current_name(settings.current_snapshot)
    if name is None:
        raise NotReadyError("No snapshot has been published yet; its vectors are what is measured.")
    source = Snapshot(settings.snapshots_dir / name, settings.duckdb_threads)
    texts = [one.question for one in read_questions(args.questions, lambda line, why: None)]
    questions = build_embedder(settings).embed_questions(texts[: args.most_questions])
    print(HEAD, flush=True)
    for size in args.sizes:
        folder = args.work / f"{name}-{size}"
        if not folder.is_dir():
            build(folder, sized(source.vectors, size), source.manifest, settings.duckdb_threads)
        index = Index(folder, threads=settings.duckdb_threads)
        for ef_search in (None, *args.ef_search):
            told = f" ef_search = {ef_search}" if ef_search else ""
            print(measure(index, questions, ef_search).row() + told, flush=True)
        index.close()
    source.close()


if __name__ == "__main__":
    main()

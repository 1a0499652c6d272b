"""Snapshots that are larger than the site: built once of copies, under `LODGE_HOME/bench`, for the bench.

    bench/20260102-030405-x10-1a2b3c4d/snapshots/current    ten times the snapshot 20260102-030405

Each is a home of its own (`LODGE_HOME`), so that any command can be pointed at it. It is kept for the next
bench with the same multiple; the first with others, of another snapshot or by other code removes it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path

from server.errors import NotReadyError, StorageError
from server.evaluate import growth
from server.evaluate.growth import GrowthSource
from server.index.build import SnapshotBuilder
from server.index.intact import fingerprints
from server.index.late_interaction import TokenIndex
from server.index.manager import current_name
from server.index.snapshot import MANIFEST_FILE, Snapshot
from server.ingest.publish import REMOVED, SnapshotStore
from server.models import Chunk, Document
from server.settings import PROJECT, Settings


def grown_home(settings: Settings, multiple: int, on_progress: Callable[[str], None]) -> Path:
    """The home whose live snapshot is `multiple` times this one's, built unless it is there already.

    `NotReadyError` without a live snapshot; `StorageError` when the disk is full.
    """
    name = current_name(settings.current_snapshot)
    if name is None:
        raise NotReadyError("No snapshot has been published yet; run `lodge crawl` and `lodge index`.")
    source = Snapshot(settings.snapshots_dir / name, settings.duckdb_threads)
    try:
        home = _home(settings, name, multiple)
        into = SnapshotStore(replace(settings, home=home).snapshots_dir)
        if into.current_name is None:
            on_progress(f"building a snapshot of {source.manifest.chunks * multiple:,} chunks")
            _build(source, multiple, into, settings.duckdb_threads, on_progress)
        return home
    except OSError as error:
        raise StorageError(f"The larger snapshot could not be written: {error.strerror or error}.") from error
    finally:
        source.close()


def remove_other_homes(settings: Settings, multiples: Sequence[int]) -> None:
    """Remove every larger snapshot but those that a bench of these multiples would use."""
    name = current_name(settings.current_snapshot) or ""
    kept = {_home(settings, name, multiple) for multiple in multiples}
    for path in set((settings.home / "bench").glob("*")) - kept:
        gone = path.with_name(f"{REMOVED}{path.name.removeprefix(REMOVED)}")
        path.rename(gone)  # so that a kill leaves nothing that looks whole
        shutil.rmtree(gone, ignore_errors=True)


def read_site(snapshot: Snapshot) -> GrowthSource:
    """A snapshot's pages as they were when it was built, as far as a search can tell."""
    chunks: dict[int, list[Chunk]] = {}
    for page_id, url, *rest in snapshot.rows(
        "SELECT page_id, url, ordinal, chunks.title, heading, text, chunks.terms "
        "FROM chunks JOIN pages USING (page_id) ORDER BY chunk_id"
    ):
        ordinal, title, heading, text, terms = rest
        path = (heading,) if heading else ()
        chunks.setdefault(page_id, []).append(Chunk(url, ordinal, title, path, text, tuple(terms)))
    topics = {
        url: (topic, sub) for url, topic, sub in snapshot.rows("SELECT url, topic, subtopic FROM pages")
    }
    pages_read = snapshot.rows(
        "SELECT page_id, url, title, lang, published, modified, fetched_at, terms, archived "
        "FROM pages ORDER BY page_id"
    )
    pages = []
    for page_id, url, title, lang, published, modified, fetched_at, terms, archived in pages_read:
        dates = (published, modified, fetched_at)
        page = Document(url, title, (), lang, *dates, tuple(terms or ()), archived)
        pages.append((page, tuple(chunks.get(page_id, ()))))
    return GrowthSource(pages, snapshot.vectors, topics)


def _build(
    source: Snapshot, multiple: int, into: SnapshotStore, threads: int, on_progress: Callable[[str], None]
) -> None:
    """Write, index, and publish; the classifiers are the source's own."""
    site, tokens = read_site(source), TokenIndex(source.folder, source.manifest.chunks)
    with into.building() as folder:
        with SnapshotBuilder(folder, source.manifest.dims, threads) as builder:
            words = cycle(range(source.manifest.chunks))  # of a copy: those of its page
            for pages, vectors in growth.grown(site, multiple):
                builder.add(pages, vectors, [tokens.of(next(words)) for _ in vectors])
            builder.set_topics(growth.grown_topics(site, multiple))
            on_progress("indexing them: words, vectors (HNSW)")
            pages_written, chunks_written = builder.finish()
        written = {path.name for path in folder.iterdir()} | {MANIFEST_FILE}
        for path in source.folder.iterdir():
            if path.name not in written:
                shutil.copyfile(path, folder / path.name)
        manifest = replace(
            source.manifest,
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            parameters={**source.manifest.parameters, "multiple": multiple, "seconds": builder.seconds},
            pages=pages_written,
            chunks=chunks_written,
            dropped={},
            checks={},
            files=fingerprints(folder),
        )
        (folder / MANIFEST_FILE).write_text(json.dumps(manifest.as_json(), indent=1) + "\n", encoding="utf-8")
        into.shelve(folder, manifest.name)
    into.publish(manifest.name)


def _home(settings: Settings, name: str, multiple: int) -> Path:
    return settings.home / "bench" / f"{name}-x{multiple}-{_made_by()}"


def _made_by() -> str:
    """Eight digits of the code that a larger snapshot is made by."""
    digest = hashlib.blake2b(digest_size=4)
    for path in (Path(growth.__file__), *sorted((PROJECT / "server" / "index").glob("*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()

"""The parts that speak with Typesense: what answers questions, what follows the shelf, what repairs it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from server.errors import BadInputError, LodgeError, NotReadyError
from server.index.search import Index
from server.index.snapshot import DatabaseError
from server.index.text import load_synonyms
from server.index.typesense.connection import Cluster, TypesenseError
from server.index.typesense.publish import ImportReport, OnProgress, TypesensePublisher
from server.index.typesense.schema import QUERY_BY, Names
from server.index.typesense.search import Engine, EngineOptions, KeywordOptions
from server.ingest.publish import SnapshotStore
from server.settings import Settings
from server.wiring.private_copy import private_copy

Warn = Callable[[str], None]

_ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What `lodge typesense sync` did: whether the collection had to be made, and which were left over."""

    alias: str
    collection: str
    documents: int
    made: bool
    dropped: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The JSON object of `lodge typesense sync --json`."""
        return asdict(self)


def engine_opener(settings: Settings) -> Callable[[Index], Engine]:
    """What opens the searches of a snapshot; whatever is wrong with the settings is told now."""
    nodes = build_cluster(settings)
    options = EngineOptions(
        build_names(settings),
        _with_vectors(settings),
        KeywordOptions(_weights(settings), int(settings.typesense_num_typos)),
        load_synonyms(settings.synonyms_file),
        settings.hnsw_from_chunks,
    )
    return lambda index: Engine(index, nodes, options)


def run_sync(settings: Settings, *, rebuild: bool, warn: Warn, on_progress: OnProgress) -> SyncReport:
    """The live snapshot's collection is whole and behind the alias, and none is left of removed snapshots."""
    shelf = SnapshotStore(settings.snapshots_dir)
    name = shelf.current_name
    build_cluster(settings)
    if name is None:
        raise NotReadyError("No snapshot has been published yet; run `lodge crawl` and `lodge index`.")
    with _publisher(settings) as publisher:
        with _opened(settings, shelf.folder / name) as index:
            report = publisher.ensure(index, rebuild=rebuild, on_progress=on_progress)
        _require_all(report, warn)
        publisher.switch(name)
        leftovers = publisher.leftovers(shelf.names())
        publisher.drop(leftovers)
    return SyncReport(
        settings.typesense_alias, report.collection, report.documents, report.made, tuple(leftovers)
    )


class TypesenseMirror:
    """Follows the shelf of snapshots. What goes wrong is told to `warn`: DuckDB has it all anyway."""

    def __init__(self, settings: Settings, warn: Warn) -> None:
        build_cluster(settings)
        self._settings = settings
        self._warn = warn
        self._missing: set[str] = set()

    def copy(self, folder: Path) -> None:
        """Import the snapshot, unless it is there and whole."""
        self._take(folder, switch=False)

    def switch(self, folder: Path) -> None:
        """Import it likewise and point the alias to it, unless the import has just failed."""
        if folder.name not in self._missing:
            self._take(folder, switch=True)

    def drop(self, names: Sequence[str]) -> None:
        """Drop these snapshots' collections."""
        try:
            with _publisher(self._settings) as publisher:
                publisher.drop(names)
        except LodgeError as error:
            self._warn(
                f"{error} Collections of removed snapshots are still there; "
                "`lodge typesense sync` drops them."
            )

    def _take(self, folder: Path, *, switch: bool) -> None:
        try:
            with _publisher(self._settings) as publisher:
                with _opened(self._settings, folder) as index:
                    _require_all(publisher.ensure(index), self._warn)
                if switch:
                    publisher.switch(folder.name)
        except (LodgeError, DatabaseError) as error:
            self._missing.add(folder.name)
            self._warn(
                f"{error} Until `lodge typesense sync` has brought it the snapshot {folder.name}, "
                "DuckDB answers in its place."
            )


def build_cluster(settings: Settings) -> Cluster:
    """The cluster that the settings name; `BadInputError` when it cannot be one."""
    cluster = Cluster(
        tuple(settings.typesense_urls.split()),
        settings.typesense_key,
        settings.typesense_timeout_s,
        settings.typesense_import_timeout_s,
        settings.typesense_rest_s,
    )
    cluster.check()
    return cluster


def build_names(settings: Settings) -> Names:
    """What things are called in Typesense."""
    alias = settings.typesense_alias
    if not _ALIAS.fullmatch(alias):
        raise BadInputError(f"LODGE_TYPESENSE_ALIAS is {alias!r}; it takes letters, digits, - and _.")
    return Names(alias)


@contextmanager
def _publisher(settings: Settings) -> Iterator[TypesensePublisher]:
    publisher = TypesensePublisher(
        build_cluster(settings),
        build_names(settings),
        vectors=_with_vectors(settings),
        synonyms=load_synonyms(settings.synonyms_file),
    )
    with closing(publisher):
        yield publisher


@contextmanager
def _opened(settings: Settings, folder: Path) -> Iterator[Index]:
    with (
        private_copy(settings, folder) as copy,
        closing(Index(copy, threads=settings.duckdb_threads)) as index,
    ):
        yield index


def _require_all(report: ImportReport, warn: Warn) -> None:
    """Tell what is wrong, document by document; `TypesenseError` when the collection is not whole for it."""
    for phrase in report.unused_synonyms:
        warn(f"The synonym {phrase!r} is not used: without stop words too little of it is left.")
    for failure in report.failures:
        warn(f"Typesense refused {failure}")
    if report.failures:
        of = report.documents + len(report.failures)
        raise TypesenseError(f"{len(report.failures)} of {of} documents were refused", ill=False)


def _with_vectors(settings: Settings) -> bool:
    return settings.typesense_engine == "keyword+vector"


def _weights(settings: Settings) -> tuple[int, ...]:
    """The weights of `QUERY_BY`; where the first three are set, the others keep their defaults."""
    words = settings.typesense_weights.split()
    weights = tuple(int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 4)
    if len(words) != len(weights) or len(weights) not in (3, len(QUERY_BY)) or max(weights) > 127:
        raise BadInputError(
            f"LODGE_TYPESENSE_WEIGHTS is {settings.typesense_weights!r}; it takes whole numbers from 0 to "
            "127: three, for title, heading and text, or six, for link texts, description and address, too."
        )
    return weights + KeywordOptions().weights[len(weights) :]

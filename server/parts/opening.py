"""What answers are made from, opened by the settings: snapshot, records, sites, what editors set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from server.ask.curated import CuratedBook
from server.ask.options import Office
from server.ask.rules import Rules
from server.errors import LodgeError, StorageError
from server.inference.embedder import Embedder
from server.ingest.crawling.changes import CrawledChanges
from server.ingest.publish import SnapshotShelf
from server.parts.edited_sites import EditedSites
from server.parts.opened import OpenedSnapshot, SearchEngine
from server.records_db.store import RecordsStore, open_records
from server.search.fingerprints import copy_intact
from server.search.index import Index
from server.search.live import Live
from server.settings import Settings
from server.sites.shelf import SiteShelf
from server.sites.site import SiteDefaults
from server.sites.table import SiteTable, load_sites


def build_records(settings: Settings) -> RecordsStore:
    """The records store, brought to the newest revision; its folder is made when it is not there."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{settings.home} cannot be made: {error.strerror}.") from error
    return open_records(settings.records_database_url)


def build_rules(records: RecordsStore) -> Rules:
    """What editors have set, followed as it changes, and at once where it changes here."""
    rules = Rules(records.rulebooks)
    records.rulebooks.tell(rules.look_soon)
    return rules


def build_office(
    settings: Settings,
    sites: SiteTable | SiteShelf,
    records: RecordsStore,
    embedder: Embedder,
    rules: Rules | None = None,
) -> Office:
    """What the people who look after the sites have said, and what the crawl stores know since."""
    rules = rules or build_rules(records)
    curation, changes = CuratedBook(records, embedder), CrawledChanges(settings.crawl_dir)
    records.rulebooks.tell(curation.look_soon)
    return Office(EditedSites(sites, rules), curation, rules, changes)


def build_sites(settings: Settings) -> SiteTable:
    """The table of sites as it is now; a fault in it is a `BadInputError`."""
    return load_sites(settings.sites_path, site_defaults(settings))


def site_defaults(settings: Settings) -> SiteDefaults:
    """What holds where the table of sites says nothing."""
    return SiteDefaults(
        name=settings.site_name,
        contact_url=settings.contact_url,
        max_question_chars=settings.max_question_chars,
        main_origins=tuple(settings.frame_origins.split()),
    )


def build_live(settings: Settings, current: Path, embedder: Embedder) -> Live[OpenedSnapshot]:
    """The snapshot that `current` names, followed as it changes; one of another embedder is refused."""
    open_engine = _engine_opener(settings, current)
    return Live(current, lambda folder: open_folder(settings, folder, embedder, open_engine))


def open_folder(
    settings: Settings,
    folder: Path,
    embedder: Embedder,
    open_engine: Callable[[Index], SearchEngine] | None = None,
) -> OpenedSnapshot:
    """One snapshot, ready for questions; `SnapshotError` when it is damaged, or of another embedder."""
    with private_copy(settings, folder) as copy:
        opened = OpenedSnapshot(
            copy,
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


@contextmanager
def private_copy(settings: Settings, folder: Path) -> Iterator[Path]:
    """An intact copy of a snapshot's folder, to open: it is removed afterwards, and what is open lives on.

    A file without a name can be cut short or written over by nobody. Were the snapshot's own files open, that
    would end the process: by SIGBUS where they are mapped, by SIGSEGV in DuckDB, which keeps what it knows of
    a file that has become another.
    """
    with ExitStack() as held:
        try:
            aside = held.enter_context(SnapshotShelf(settings.home / "opening").building())
        except OSError as error:
            raise StorageError(f"LODGE_HOME cannot be written to: {error.strerror}.") from error
        copy_intact(folder, aside / folder.name)
        yield aside / folder.name


def _engine_opener(settings: Settings, current: Path) -> Callable[[Index], SearchEngine] | None:
    """What searches in the snapshot's place: Typesense, which has none but the snapshots of the home."""
    if not settings.typesense_urls or current != settings.current_snapshot:
        return None
    from server.parts.typesense import engine_opener  # noqa: PLC0415 - a client that few need

    return engine_opener(settings)

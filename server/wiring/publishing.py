"""What publishes snapshots for a command: the gate, with the records and the models that there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from server.ask.pipeline import Asker
from server.errors import NotReadyError, StorageError
from server.inference.encoders import Embedder
from server.models import Site
from server.settings import Settings
from server.wiring.snapshot_store import shelf
from server.workbench.records import Records, open_existing
from server.workbench.snapshots.publishing import SnapshotPublisher


@contextmanager
def command_publisher(
    settings: Settings,
    warn: Callable[[str], None],
    embedder: Embedder | None = None,
    *,
    needs_records: bool = True,
) -> Iterator[SnapshotPublisher]:
    """The publisher of a command, with the records that there are; models are loaded where they are asked.

    Without `needs_records`, records that cannot be opened are told of, and done without.
    """
    records = None
    try:
        records = open_existing(settings.records_database_url)
    except StorageError as error:
        if needs_records:
            raise
        warn(f"The audit log cannot be written: {error.message}")
    try:
        over = partial(_asker_over, settings, records, embedder)
        onto, sites = shelf(settings, warn), partial(_sites, settings, records)
        yield SnapshotPublisher(onto, settings.keep_snapshots, records, over, warn, sites)
    finally:
        if records is not None:
            records.close()


def _sites(settings: Settings, records: Records | None) -> Sequence[Site]:
    """The sites as visitors meet them, with their editors' suggested questions."""
    from server.wiring.opening import build_rules, build_sites, edit_sites  # noqa: PLC0415

    sites = build_sites(settings)
    if records is not None:
        edit_sites(sites, build_rules(records), settings)
    return sites.all()


@contextmanager
def _asker_over(
    settings: Settings, records: Records | None, embedder: Embedder | None, folder: Path
) -> Iterator[Asker]:
    """The flow that answers visitors by these settings, made for the sake of one snapshot."""
    if records is None:
        raise NotReadyError("There are no records yet, so there are no golden questions.")
    # All the models; a rollback does without.
    from server.wiring.flow import build_asker, build_embedder, build_paraphraser, build_verifier  # noqa: PLC0415
    from server.wiring.opened import FixedSnapshot, open_folder  # noqa: PLC0415
    from server.wiring.opening import build_site_config, build_sites  # noqa: PLC0415

    embedder = embedder or build_embedder(settings)
    with closing(open_folder(settings, folder, embedder)) as opened:
        verifier = build_verifier(settings)
        paraphraser = build_paraphraser(settings, embedder, verifier)
        site_config = build_site_config(settings, build_sites(settings), records, paraphraser)
        asker = build_asker(settings, FixedSnapshot(opened), embedder, None, site_config, verifier=verifier)
        with closing(asker):
            yield asker

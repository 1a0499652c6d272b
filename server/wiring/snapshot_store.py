"""The folder of all snapshots, with what mirrors it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from server.ingest.publish import SnapshotStore
from server.settings import Settings

logger = logging.getLogger("lodge.ingest")


def shelf(settings: Settings, warn: Callable[[str], None] = logger.warning) -> SnapshotStore:
    """The folder of all snapshots, mirrored by Typesense if there is one; `warn` is told when that fails."""
    if not settings.typesense_urls:
        return SnapshotStore(settings.snapshots_dir)
    from server.wiring.typesense import TypesenseMirror  # noqa: PLC0415 - a client that few need

    return SnapshotStore(settings.snapshots_dir, TypesenseMirror(settings, warn))

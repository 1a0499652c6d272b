"""How a running server is: the figures, and what they say to a person."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from server.errors import LodgeError
from server.index.manager import SnapshotManager
from server.models import Vitals
from server.wiring.opened import OpenedSnapshot

LOW_DISK_BYTES = 1_000_000_000


def take_vitals(live: SnapshotManager[OpenedSnapshot] | None, llm_resting: bool | None, home: Path) -> Vitals:
    """The snapshot's age and size, the language model's state, the room that is left under `home`."""
    vitals = Vitals(llm_resting=llm_resting, disk_free_bytes=shutil.disk_usage(home).free)
    if live is not None:
        with suppress(LodgeError), live.lease() as opened:  # readiness has a sentence for it
            made = opened.snapshot.manifest
            vitals = replace(
                vitals,
                snapshot_created_at=made.created_at,
                pages=made.pages,
                chunks=made.chunks,
                snapshot_trouble=live.trouble,
            )
    return vitals


def sentences(vitals: Vitals) -> list[str]:
    """One for each part that answers can do without, and now must, or soon will have to."""
    told = [vitals.snapshot_trouble] if vitals.snapshot_trouble else []
    if vitals.llm_resting:
        told.append("The language model does not answer; answers are quoted from the pages meanwhile.")
    if vitals.disk_free_bytes < LOW_DISK_BYTES:
        free = vitals.disk_free_bytes // 1_000_000
        told.append(f"The disk is nearly full ({free} MB free); soon no answer can be recorded.")
    return told

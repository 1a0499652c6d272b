"""The hashes of a snapshot's files: what is read must be what was written, whatever a disk did to it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from server.errors import SnapshotError
from server.search.snapshot import MANIFEST_FILE, Manifest


def fingerprints(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file in a snapshot's folder but the manifest, by its name."""
    paths = [path for path in sorted(folder.iterdir()) if path.name != MANIFEST_FILE]
    return {path.name: _sha256(path) for path in paths}


def require_intact(folder: Path) -> None:
    """`SnapshotError` names the first file that is missing or is no longer what was written.

    Reads each file once, about a second a gigabyte; a snapshot made before its manifest listed any passes.
    """
    for name, sha256 in Manifest.read(folder).files.items():
        try:
            found = _sha256(folder / name)
        except OSError as error:
            raise SnapshotError(f"{name} of the snapshot {folder.name!r} cannot be read.") from error
        if found != sha256:
            raise SnapshotError(f"{name} of the snapshot {folder.name!r} is damaged: its hash is another.")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

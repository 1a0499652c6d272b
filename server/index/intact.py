"""Whether a snapshot's files are what was written: their hashes, checked copies, cheap signs of change."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from pathlib import Path

from server.errors import SnapshotError, StorageError
from server.index.snapshot import MANIFEST_FILE, Manifest

# The name, size, times of change (content; anything) and number of each file.
FilesState = tuple[tuple[str, int, int, int, int], ...]


def files_state(folder: Path) -> FilesState:
    """What tells cheaply that a file of a folder may be another: a few microseconds a file.

    A program may set back the time of a file's content, but not the other one. Empty where the folder or a
    file of it cannot be looked at.
    """
    try:
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.stat()) for entry in entries]
    except OSError:
        return ()
    return tuple(sorted((name, it.st_size, it.st_mtime_ns, it.st_ctime_ns, it.st_ino) for name, it in found))


def copy_intact(folder: Path, to: Path) -> None:
    """Copy a snapshot's files into a new folder `to`; `SnapshotError` unless the copy is what was written.

    `StorageError` where there is no room for it; nothing is written then.
    """
    Manifest.read(folder)
    try:
        to.mkdir()
        paths = [path for path in folder.iterdir() if path.is_file()]
        if sum(path.stat().st_size for path in paths) > shutil.disk_usage(to).free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        for path in paths:
            shutil.copyfile(path, to / path.name)
    except OSError as error:
        kind = StorageError if error.errno in (errno.ENOSPC, errno.EDQUOT) else SnapshotError
        raise kind(
            f"The snapshot {folder.name!r} cannot be copied to be opened: {error.strerror}."
        ) from error
    require_intact(to)


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

"""Files that are there whole or not at all, on disk to the last byte, whatever kills the program."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

from server.errors import StorageError


def write_whole(path: Path, text: str) -> None:
    """Write a UTF-8 file in one step: aside, then by rename. An older file keeps its access rights.

    A link stays one: what it leads to is written. `StorageError` when the file cannot be written; then what
    was there is as it was.
    """
    path = path.resolve()
    aside = path.with_name(f".{path.name}-{uuid4().hex[:8]}")
    try:
        try:
            rights = path.stat().st_mode & 0o7777 if path.exists() else None
            _write_synced(aside, text, 0o666 if rights is None else rights)
            if rights is not None:
                aside.chmod(rights)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise StorageError(f"{path} could not be written: {error.strerror or error}.") from error


def sync_folder(folder: Path) -> None:
    """Force a folder's names to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_synced(path: Path, text: str, rights: int) -> None:
    """A new file that is never more open than `rights`, what it holds being as private as the one before."""
    with open(path, "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, rights)) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())

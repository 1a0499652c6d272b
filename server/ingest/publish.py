"""Snapshots as folders: built aside, published by rename, listed, rolled back, pruned.

    snapshots/20260102-030405/   a finished snapshot
    snapshots/current            a link to the live one; replacing it is the act of publishing
    snapshots/.building-…/       one being built; left behind by a kill, it is removed by the next build
    snapshots/.removed-…/        one being removed; likewise

Every step is one atomic rename, so a kill at any moment leaves the live snapshot as it was.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import secrets
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import msgspec

from server.errors import NotFoundError, StorageError

BUILDING = ".building-"
REMOVED = ".removed-"
CURRENT = "current"
STEM = "%Y%m%d-%H%M%S"
_STEMMED = re.compile(r"\d{8}-\d{6}(?!\d)")
logger = logging.getLogger("lodge.ingest")


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """One line of `lodge snapshots`; `dropped` says how many pages were left out for which reason."""

    name: str
    current: bool
    created_at: str
    pages: int
    chunks: int
    megabytes: float
    dropped: Mapping[str, int] = field(default_factory=dict)
    embedder: str = ""
    embedder_sha256: str = ""


class _ListedManifest(msgspec.Struct):
    """What the list of snapshots reads in a `manifest.json`."""

    created_at: str
    pages: int
    chunks: int
    dropped: dict[str, int] = {}
    embedder: str = ""
    embedder_sha256: str = ""


class Mirror(Protocol):
    """Another engine that has the snapshots too. It may be down: it tells of trouble, and raises nothing."""

    def copy(self, folder: Path) -> None:
        """Take in a finished snapshot, which is about to be live."""
        ...

    def switch(self, folder: Path) -> None:
        """This snapshot is live now; take it in if that has not been done."""
        ...

    def drop(self, names: Sequence[str]) -> None:
        """These snapshots are gone."""
        ...


class SnapshotStore:
    """The folder of all snapshots, and what mirrors it, if anything does."""

    def __init__(self, folder: Path, mirror: Mirror | None = None) -> None:
        self.folder = folder
        self._mirror = mirror

    @property
    def current(self) -> Path:
        """The link that names the live snapshot."""
        return self.folder / CURRENT

    @property
    def current_name(self) -> str | None:
        """The live snapshot's name, or None before the first."""
        return self.current.readlink().name if self.current.is_symlink() else None

    @contextmanager
    def building(self) -> Iterator[Path]:
        """An empty folder to build in; it is gone afterwards unless `shelve` took it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._sweep()
        folder = self.folder / f"{BUILDING}{secrets.token_hex(8)}"
        with _held(folder):
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def new_name(self, now: datetime | None = None) -> str:
        """A name that is not taken and sorts after all others, even where the clock was put back."""
        stem = (now or datetime.now(UTC)).strftime(STEM)
        times = [name[:15] for name in self.names() if _STEMMED.match(name)]
        if times and stem < (latest := max(times)):
            stem = (datetime.strptime(latest, STEM).replace(tzinfo=UTC) + timedelta(seconds=1)).strftime(STEM)
        taken = {path.name for path in self.folder.glob(f"{stem}*")}
        return next(name for name in (stem, *(f"{stem}-{i}" for i in range(2, 1000))) if name not in taken)

    def shelve(self, built: Path, name: str) -> None:
        """A finished build becomes the snapshot `name`, on disk to the last byte, not yet live."""
        for path in [*built.iterdir(), built]:
            _sync(path)
        built.rename(self.folder / name)
        _sync(self.folder)

    def copy(self, name: str) -> None:
        """Have the mirror take in `name` while the one before is live; else `publish` makes up for it."""
        if self._mirror is not None:
            self._mirror.copy(self.folder / name)

    def require(self, name: str) -> Path:
        """The folder of a finished snapshot; `NotFoundError` names the ones there are."""
        if name not in self.names():
            raise NotFoundError(
                f"There is no snapshot {name!r}. There are: {', '.join(self.names()) or 'none'}."
            )
        return self.folder / name

    def publish(self, name: str, noted: AbstractContextManager[object] | None = None) -> None:
        """Make `name` the live snapshot; `NotFoundError` names the ones there are.

        It is made so within `noted`. The mirror follows, and cannot hold it up: a rollback may be urgent.
        """
        self.require(name)
        link = self.folder / f".{CURRENT}-{os.getpid()}-{threading.get_ident()}"
        with noted or nullcontext():
            link.unlink(missing_ok=True)
            link.symlink_to(name)
            link.replace(self.current)
        _sync(self.folder)
        if self._mirror is not None:
            self._mirror.switch(self.folder / name)

    def before(self, name: str) -> str | None:
        """The snapshot made last before `name`, or None."""
        return next((one for one in reversed(self.names()) if one < name), None)

    def entries(self) -> list[SnapshotEntry]:
        """All snapshots, the newest first; one whose manifest is damaged is told in the log and left out."""
        found = []
        for name in reversed(self.names()):
            try:
                found.append(self._entry(name))
            except FileNotFoundError:  # another process removes old ones
                continue
            except msgspec.DecodeError as error:
                logger.warning("The snapshot %s is not listed; its manifest is damaged: %s", name, error)
        return found

    def prune(self, keep: int, spare: str | None = None) -> list[str]:
        """Remove the oldest beyond `keep`, never the live one nor `spare`; the names removed."""
        old = [name for name in self.names()[:-keep] if name not in (self.current_name, spare)]
        for name in old:
            gone = self.folder / f"{REMOVED}{name}"
            (self.folder / name).rename(gone)
            shutil.rmtree(gone, ignore_errors=True)
        if old and self._mirror is not None:
            self._mirror.drop(old)
        return old

    def names(self) -> list[str]:
        """The snapshots there are, the oldest first."""
        return sorted(
            path.name
            for path in self.folder.glob("*")
            if not path.is_symlink() and not path.name.startswith(".") and (path / "manifest.json").is_file()
        )

    def _entry(self, name: str) -> SnapshotEntry:
        folder = self.folder / name
        size = sum(path.stat().st_size for path in folder.iterdir())
        manifest = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=_ListedManifest)
        listed = msgspec.structs.asdict(manifest)
        return SnapshotEntry(name, name == self.current_name, megabytes=round(size / 1e6, 1), **listed)

    def _sweep(self) -> None:
        """Remove what a killed run left, but not what a living process is building."""
        for path in self.folder.glob(f"{BUILDING}*"):
            if _abandoned(path):
                shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.glob(f"{REMOVED}*"):
            shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.glob(f".{CURRENT}-*"):
            if not _alive(int(path.name.removeprefix(f".{CURRENT}-").partition("-")[0])):
                path.unlink(missing_ok=True)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Make a folder, and hold a lock on it, which the system drops when this process dies."""
    while True:
        folder.mkdir()
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            with suppress(OSError):  # a file system without locks; then nobody sweeps there
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if folder.exists():  # nobody has taken it for abandoned before it was locked
                yield
                return
        finally:
            os.close(descriptor)


def _abandoned(folder: Path) -> bool:
    """Whether no living process holds it; numbers of processes would not tell, they differ by container."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid != os.getpid()


def _sync(path: Path) -> None:
    """Force a file or a folder's names to the disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StorageError(f"{path.name} could not be written to disk: {error.strerror}.") from error

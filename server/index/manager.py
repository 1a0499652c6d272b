"""The current snapshot, swapped under a running server without dropping a question."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from server.errors import LodgeError, NotReadyError, SnapshotError, StorageError
from server.index.intact import FilesState, files_state
from server.index.search import Index
from server.index.snapshot import Manifest

logger = logging.getLogger("lodge.search")


T = TypeVar("T", bound=Index)


class _Opened(Generic[T]):
    """One opened snapshot, the state its files were opened in, and how many questions are using it."""

    def __init__(self, name: str, state: FilesState, value: T) -> None:
        self.name = name
        self.state = state
        self.value = value
        self.users = 0
        self.retired = False


@dataclass(slots=True)
class _Failed:
    """Why a snapshot could not be opened, the state its files had, and the one they were last seen in.

    `passes`: the fault was not in its files.
    """

    why: str
    state: FilesState
    seen: FilesState
    passes: bool = False


class SnapshotManager(Generic[T]):
    """Opens what `current` names, and again when it names something else.

    A question holds a lease on the snapshot it began with; an old one is closed when its last lease ends.
    `open_snapshot` turns a folder into the thing leased, which no later change of the folder may reach; when
    it fails, the one before goes on serving, and where there is none, the newest earlier one that opens.

    `look`, called often and beside the questions, opens a snapshot again whose files have changed.
    """

    def __init__(self, current: Path, open_snapshot: Callable[[Path], T]) -> None:
        self._current = current
        self._open = open_snapshot
        self._opened: _Opened[T] | None = None
        self._failed: dict[str, _Failed] = {}
        self._lock = threading.Lock()
        self._opening = threading.Lock()

    @contextmanager
    def lease(self) -> Iterator[T]:
        """The current snapshot for the length of one question.

        `NotReadyError` when none has been published; `SnapshotError` when nothing published opens.
        """
        self._refresh()
        with self._lock:
            opened = self._opened
            if opened is None:
                raise self._nothing_to_lease()
            opened.users += 1
        try:
            yield opened.value
        finally:
            self._release(opened)

    def look(self) -> None:
        """Open again what is leased if its files have changed, and what could not be opened once it has.

        While files change, opening is tried once; then not before they have been the same for two looks.
        """
        opened = self._opened
        name = current_name(self._current) or (opened.name if opened else None)
        if name is not None:
            with self._opening:
                self._follow(name)

    @property
    def trouble(self) -> str | None:
        """A sentence where another snapshot than the published one is leased, with the reason."""
        opened, name = self._opened, current_name(self._current)
        failed = self._failed.get(name) if name else None
        if opened is None or failed is None or opened.name == name:
            return None
        return f"{failed.why} The snapshot {opened.name!r} answers in its place."

    def close(self) -> None:
        """Retire what is open."""
        self._swap(None)

    def _refresh(self) -> None:
        """Open what `current` names now, unless that was tried already or another thread is at it."""
        name = current_name(self._current)
        opened = self._opened
        if name is None or name in self._failed or (opened and opened.name == name):
            return
        # The first question must wait for the first snapshot; later ones go on with the one before.
        if not self._opening.acquire(blocking=opened is None):
            return
        try:
            self._follow(name)
        finally:
            self._opening.release()

    def _follow(self, name: str) -> None:
        """Have `name` leased, or what is leased already, or the newest before it, if it is whole.

        Where only the disk has no room to open it, what is leased stays, whatever has become of its files.
        """
        if self._is_open(name) or self._try(name):
            return
        opened = self._opened
        passes = self._failed[name].passes
        if opened and (passes or (opened.name != name and self._is_open(opened.name))):
            return
        for earlier in self._before(name):
            if self._try(earlier):
                logger.warning("The snapshot %s answers in place of %s", earlier, name)
                return
        if opened:
            logger.error("No earlier snapshot can answer in place of %s", name)
        self._swap(None)

    def _is_open(self, name: str) -> bool:
        """Whether it is leased, and its files are those that were opened."""
        opened = self._opened
        return opened is not None and opened.name == name and opened.state == self._state(name)

    def _try(self, name: str) -> bool:
        """Whether it is leased now; one that failed is tried again once its files are others, and at rest."""
        state, failed = self._state(name), self._failed.get(name)  # the state before the files are read
        if failed and not failed.passes and (state == failed.state or state != failed.seen):
            failed.seen = state
            return False
        try:
            opened = _Opened(name, state, self._open(self._current.parent / name))
        except Exception as error:
            why = getattr(error, "message", f"{name} cannot be opened.")
            if failed is None or failed.why != why:
                logger.exception("The snapshot %s cannot be opened: %s", name, why)
            self._failed[name] = _Failed(why, state, state, isinstance(error, StorageError))
            return False
        if self._failed.pop(name, None):
            logger.warning("The snapshot %s is whole again and answers", name)
        self._swap(opened)
        return True

    def _before(self, name: str) -> list[str]:
        """The finished snapshots before `name`, the newest first."""
        folder = self._current.parent
        names = sorted((path.parent.name for path in folder.glob("[!.]*/manifest.json")), reverse=True)
        return [earlier for earlier in names if earlier < name and not (folder / earlier).is_symlink()]

    def _state(self, name: str) -> FilesState:
        return files_state(self._current.parent / name)

    def _nothing_to_lease(self) -> LodgeError:
        name = current_name(self._current)
        if name in self._failed:
            return SnapshotError(self._failed[name].why)
        return NotReadyError("No snapshot has been published yet; run `lodge crawl` and `lodge index`.")

    def _swap(self, new: _Opened[T] | None) -> None:
        with self._lock:
            old, self._opened = self._opened, new
            if old is None:
                return
            old.retired = True
            idle = old.users == 0
        if idle:
            old.value.close()

    def _release(self, opened: _Opened[T]) -> None:
        with self._lock:
            opened.users -= 1
            idle = opened.retired and opened.users == 0
        if idle:
            opened.value.close()


def current_name(current: Path) -> str | None:
    """The name of the snapshot that the link `current` points to, or None."""
    try:
        return current.readlink().name
    except OSError:
        return None


def name_in_pages(current: Path) -> str:
    """What the live snapshot's pages call their site; empty where there is none, or they do not tell."""
    name = current_name(current)
    return _name_in_pages(current.parent / name) if name else ""


@lru_cache(maxsize=8)
def _name_in_pages(folder: Path) -> str:
    try:
        return str(Manifest.read(folder).parameters.get("site_name", ""))
    except SnapshotError:
        return ""

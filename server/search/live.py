"""The current snapshot, swapped under a running server without dropping a question."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from server.errors import NotReadyError

logger = logging.getLogger("lodge.search")


class Closeable(Protocol):
    """Something that lets go of its files."""

    def close(self) -> None:
        """Let go."""
        ...


T = TypeVar("T", bound=Closeable)


class _Opened(Generic[T]):
    """One opened snapshot and how many questions are using it."""

    def __init__(self, name: str, value: T) -> None:
        self.name = name
        self.value = value
        self.users = 0
        self.retired = False


class Live(Generic[T]):
    """Opens what `current` names, and again when it names something else.

    A question holds a lease on the snapshot it began with; an old one is closed when its last lease ends.
    `open_snapshot` turns a folder into the thing leased; when it fails the one before goes on serving, which
    at a start is the newest earlier one that can be opened.
    """

    def __init__(self, current: Path, open_snapshot: Callable[[Path], T]) -> None:
        self._current = current
        self._open = open_snapshot
        self._opened: _Opened[T] | None = None
        self._failed: str | None = None
        self._why = ""
        self._lock = threading.Lock()
        self._opening = threading.Lock()

    @contextmanager
    def lease(self) -> Iterator[T]:
        """The current snapshot for the length of one question; `NotReadyError` when there is none."""
        self._refresh()
        with self._lock:
            opened = self._opened
            if opened is None:
                raise NotReadyError(
                    "No snapshot has been published yet; run `lodge crawl` and `lodge index`."
                )
            opened.users += 1
        try:
            yield opened.value
        finally:
            self._release(opened)

    @property
    def trouble(self) -> str | None:
        """A sentence where another snapshot than the published one is leased, with the reason."""
        opened = self._opened
        if opened is None or self._failed is None or self._failed != current_name(self._current):
            return None
        return f"{self._why} The snapshot {opened.name!r} answers in its place."

    def close(self) -> None:
        """Retire what is open."""
        self._swap(None)

    def _refresh(self) -> None:
        """Open what `current` names now, unless it is open already or another thread is at it."""
        name = current_name(self._current)
        opened = self._opened
        if name is None or name in (self._failed, opened.name if opened else None):
            return
        # The first question must wait for the first snapshot; later ones go on with the one before.
        if not self._opening.acquire(blocking=opened is None):
            return
        try:
            if self._opened is None or self._opened.name != name:
                self._swap(_Opened(name, self._open(self._current.parent / name)))
        except Exception as error:
            logger.exception("The published snapshot %s cannot be opened", name)
            if self._opened is None and not self._open_earlier(name):
                raise
            self._failed, self._why = name, getattr(error, "message", f"{name} cannot be opened.")
        finally:
            self._opening.release()

    def _open_earlier(self, name: str) -> bool:
        """Whether a snapshot before `name` could be opened in its place."""
        folder = self._current.parent
        for earlier in sorted(
            (path.parent.name for path in folder.glob("[!.]*/manifest.json")), reverse=True
        ):
            if earlier < name and not (folder / earlier).is_symlink():
                with suppress(Exception):
                    self._swap(_Opened(earlier, self._open(folder / earlier)))
                    return True
        return False

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

"""The last crawls for whoever looks often: a crawl store is opened only where its file has changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from server.ingest.crawl.contents import LastCrawl, last_crawl_in, latest_first

# Within a tick of the file system's clock a file may be written twice and look the same (a few ms; FAT: 2 s).
SETTLED_NS = 3_000_000_000

# Of a store and its write-ahead log: number, size and time of change; None where there is none.
StoreState = tuple[tuple[int, int, int] | None, ...]


class KnownCrawls:
    """As `last_crawls`, without opening a store that is as it was at the last look. Thread-safe."""

    def __init__(self, store_dir: Path, read: Callable[[Path], LastCrawl | None] = last_crawl_in) -> None:
        self._store_dir = store_dir
        self._read = read
        self._known: dict[Path, tuple[StoreState, LastCrawl | None]] = {}

    def latest(self) -> list[LastCrawl]:
        """The last crawl of every site, the latest first; a store of another version is left out."""
        before, found = self._known, []
        known: dict[Path, tuple[StoreState, LastCrawl | None]] = {}
        for path in sorted(self._store_dir.glob("*.sqlite")):
            state = _state(path)  # before it is read, so that what is written meanwhile is read the next time
            then, crawl = before.get(path, (None, None))
            if state != then:
                crawl = self._read(path)
            if _is_settled(state):
                known[path] = state, crawl
            found.append(crawl)
        self._known = known
        return latest_first(found)


def _state(path: Path) -> StoreState:
    return tuple(_of_file(file) for file in (path, path.with_name(f"{path.name}-wal")))


def _of_file(path: Path) -> tuple[int, int, int] | None:
    """An empty log is none: whoever reads a store may leave one."""
    try:
        it = path.stat()
    except FileNotFoundError:
        return None
    return (it.st_ino, it.st_size, it.st_mtime_ns) if it.st_size else None


def _is_settled(state: StoreState) -> bool:
    return all(one is None or one[2] < time.time_ns() - SETTLED_NS for one in state)

"""A snapshot's files as they are opened: an intact copy that nobody else can reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from server.errors import StorageError
from server.index.intact import copy_intact
from server.ingest.publish import SnapshotStore
from server.settings import Settings


@contextmanager
def private_copy(settings: Settings, folder: Path) -> Iterator[Path]:
    """An intact copy of a snapshot's folder, to open: it is removed afterwards, and what is open lives on.

    A file without a name can be cut short or written over by nobody. Were the snapshot's own files open, that
    would end the process: by SIGBUS where they are mapped, by SIGSEGV in DuckDB, which keeps what it knows of
    a file that has become another.
    """
    with ExitStack() as held:
        try:
            aside = held.enter_context(SnapshotStore(settings.home / "opening").building())
        except OSError as error:
            raise StorageError(f"LODGE_HOME cannot be written to: {error.strerror}.") from error
        copy_intact(folder, aside / folder.name)
        yield aside / folder.name

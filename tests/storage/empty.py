"""A records store with its tables and nothing in them, migrated once a process and copied for each test."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from server.workbench.records import open_records


def put_empty_store(folder: Path) -> str:
    """A copy in this folder, on SQLite; its URL."""
    path = folder / "records.sqlite"
    path.write_bytes(_empty_store())
    return f"sqlite:///{path}"


@cache
def _empty_store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records.sqlite")
        open_records(f"sqlite:///{path}").close()
        return path.read_bytes()

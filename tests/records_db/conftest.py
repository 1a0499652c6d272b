"""A records store of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.records_db.store import RecordsStore, open_records


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'records.sqlite'}"


@pytest.fixture
def store(url: str) -> Iterator[RecordsStore]:
    opened = open_records(url)
    yield opened
    opened.close()

"""A records store of its own for each test, on SQLite and on PostgreSQL: a copy of one that is empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.workbench.records import Records, open_records
from tests.postgres import Postgres, needed
from tests.storage.empty import put_empty_store

BACKENDS = ("sqlite", "postgresql")


@pytest.fixture(params=BACKENDS)
def url(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres | None) -> Iterator[str]:
    """The records' tables, empty; `parametrize("url", ["sqlite"], indirect=True)` where only one will do."""
    if request.param == "sqlite":
        yield put_empty_store(tmp_path)
    else:
        yield needed(postgres).lend()


@pytest.fixture(params=BACKENDS)
def new_url(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres | None) -> Iterator[str]:
    """A database without any tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'records.sqlite'}"
    else:
        server = needed(postgres)
        url = server.new_database()
        yield url
        server.drop(url)


@pytest.fixture
def store(url: str) -> Iterator[Records]:
    opened = open_records(url)
    yield opened
    opened.close()

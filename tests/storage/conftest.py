"""A records store of its own for each test, on SQLite and on PostgreSQL: a copy of one that is empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.workbench.records import Records, open_records
from tests.postgres import NOT_THERE, TEMPLATE, Postgres
from tests.storage.empty import put_empty_store

BACKENDS = ("sqlite", "postgresql")


@pytest.fixture(params=BACKENDS)
def url(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres | None) -> Iterator[str]:
    """The records' tables, empty; `parametrize("url", ["sqlite"], indirect=True)` where only one will do."""
    if request.param == "sqlite":
        yield put_empty_store(tmp_path)
    else:
        yield from _database(postgres, TEMPLATE)


@pytest.fixture(params=BACKENDS)
def new_url(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres | None) -> Iterator[str]:
    """A database without any tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'records.sqlite'}"
    else:
        yield from _database(postgres, "template0")


@pytest.fixture
def store(url: str) -> Iterator[Records]:
    opened = open_records(url)
    yield opened
    opened.close()


def _database(postgres: Postgres | None, template: str) -> Iterator[str]:
    if postgres is None:
        pytest.skip(NOT_THERE)
    url = postgres.new_database(template=template)
    yield url
    postgres.drop(url)

"""The small college's snapshot, built once a run by the shipped embedder, and what is opened on it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings

from server.index.search import Index
from server.inference.encoders import Embedder
from server.settings import Settings
from server.wiring.flow import build_embedder
from server.wiring.opened import OpenedSnapshot
from tests import small_site
from tests.postgres import Postgres, running_postgres

# How fast a busy machine is shows nothing; `scripts/research/fuzzing/fuzz_parsers.py` asks for more examples.
settings.register_profile("lodge", deadline=None, max_examples=int(os.environ.get("LODGE_EXAMPLES", "100")))
settings.load_profile("lodge")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long begins first: a worker that is left with it at the end works alone."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The embedder that ships."""
    return build_embedder(Settings())


@pytest.fixture(scope="session")
def small_home(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a home with the small college's snapshot live. Tests only read it."""
    settings = small_site.settings_for(tmp_path_factory.mktemp("small"))
    small_site.index_pages(settings, small_site.kept_pages() + small_site.dropped_pages())
    return settings


@pytest.fixture(scope="session")
def two_snapshots(small_home: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A home with that snapshot live, and a later one shelved. Tests only read it, or a copy."""
    settings = small_site.settings_for(tmp_path_factory.mktemp("two"))
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    small_site.index_pages(settings, small_site.changed_pages(), publish=False)
    return settings


@pytest.fixture
def own_snapshots(two_snapshots: Settings, tmp_path: Path) -> Settings:
    """A copy of it, which may be written to; no cross-encoder, for speed."""
    settings = small_site.settings_for(tmp_path / "home")
    shutil.copytree(two_snapshots.snapshots_dir, settings.snapshots_dir, symlinks=True)
    return replace(settings, reranker="")


@pytest.fixture(scope="session")
def snapshot_folder(small_home: Settings) -> Path:
    """The live snapshot's folder."""
    return (small_home.snapshots_dir / "current").resolve()


@pytest.fixture(scope="session")
def opened(snapshot_folder: Path) -> Iterator[OpenedSnapshot]:
    """The live snapshot, open."""
    snapshot = OpenedSnapshot(snapshot_folder, threads=1)
    yield snapshot
    snapshot.close()


@pytest.fixture(scope="session")
def index(opened: OpenedSnapshot) -> Index:
    """Its searches."""
    return opened


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres | None]:
    """A PostgreSQL for the whole run, with a template of the records in it; None where there is none."""
    with running_postgres() as server:
        yield server

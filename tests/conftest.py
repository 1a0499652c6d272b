"""The small college's snapshot, built once a run by the shipped embedder, and what is opened on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.inference.embedder import Embedder
from server.parts.models import build_embedder
from server.parts.opened import OpenedSnapshot
from server.search.index import Index
from server.settings import Settings
from tests import small_site


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
    return opened.index

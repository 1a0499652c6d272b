"""A larger snapshot of the small college, built for real."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from server.errors import NotReadyError, StorageError
from server.models import Scope
from server.settings import Settings
from server.wiring import growing
from server.wiring import serving as answering
from server.wiring.opened import OpenedSnapshot
from tests import small_site


@pytest.fixture
def home(small_home: Settings, tmp_path: Path) -> Settings:
    """The small college's snapshots in a home of this test's own."""
    settings = small_site.settings_for(tmp_path / "home")
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    return settings


def grow(settings: Settings, multiple: int) -> Settings:
    return replace(settings, home=growing.grown_home(settings, multiple, lambda _: None))


def test_a_larger_snapshot_answers_as_the_small_one_does(home: Settings) -> None:
    grown = grow(home, 3)
    answer = answering.ask_once(grown, "How much is tuition for residents of the state?", "hybrid")
    assert not answer.refused
    assert answer.snapshot.startswith((home.snapshots_dir / "current").readlink().name)


def test_it_has_so_many_times_the_chunks_and_the_same_topics_and_classifiers(home: Settings) -> None:
    folders = [(settings.snapshots_dir / "current").resolve() for settings in (home, grow(home, 3))]
    small, large = (OpenedSnapshot(folder, threads=1) for folder in folders)
    try:
        before, after = small.snapshot.manifest, large.snapshot.manifest
        assert (after.pages, after.chunks) == (3 * before.pages, 3 * before.chunks)
        assert after.parameters["multiple"] == 3
        assert after.parameters["seconds"].keys() == {"full_text", "hnsw"}
        assert large.snapshot.topics() == {topic: 3 * n for topic, n in small.snapshot.topics().items()}
        assert large.snapshot.vectors.shape == (after.chunks, before.dims)
        vector = np.asarray(small.snapshot.vectors[0])
        assert large.vector.search(vector, 1) == small.vector.search(vector, 1)
        assert large.classifier.topics(vector) == small.classifier.topics(vector)
        scope = Scope(sites=("www.brackwater.example",))
        assert len(large.keyword.search("tuition fees", 500, within=scope)) > len(
            small.keyword.search("tuition fees", 500, within=scope)
        )
    finally:
        small.close()
        large.close()


def test_it_is_built_once(home: Settings) -> None:
    told: list[str] = []
    first = growing.grown_home(home, 2, told.append)
    assert len(told) == 2
    assert growing.grown_home(home, 2, told.append) == first
    assert len(told) == 2


def test_others_are_removed_and_those_in_use_stay(home: Settings) -> None:
    two, three = (growing.grown_home(home, multiple, lambda _: None) for multiple in (2, 3))
    earlier = home.home / "bench" / "20200101-000000-x2-00000000"
    left_by_a_kill = home.home / "bench" / ".removed-20200101-000000-x3-00000000"
    for folder in (earlier, left_by_a_kill):
        folder.mkdir()
    growing.remove_other_homes(home, [3, 40])
    assert sorted((home.home / "bench").iterdir()) == [three]
    growing.remove_other_homes(home, [])
    assert list((home.home / "bench").iterdir()) == []
    assert not two.exists()


def test_a_build_that_fails_leaves_nothing_behind(home: Settings) -> None:
    """The classifiers' list cannot be copied where it is a folder."""
    folder = (home.snapshots_dir / "current").resolve()
    (folder / "classifiers.json").unlink()
    (folder / "classifiers.json").mkdir()
    with pytest.raises(StorageError, match="larger snapshot could not be written"):
        grow(home, 2)
    [only] = (home.home / "bench").iterdir()
    assert list((only / "snapshots").iterdir()) == []


def test_without_a_snapshot_there_is_nothing_to_copy(tmp_path: Path) -> None:
    with pytest.raises(NotReadyError, match="lodge index"):
        grow(small_site.settings_for(tmp_path), 2)

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from server.errors import SnapshotError, StorageError
from server.index.intact import copy_intact, files_state, fingerprints, require_intact
from server.settings import Settings


@pytest.fixture
def folder(small_home: Settings, tmp_path: Path) -> Path:
    """A copy of a snapshot as `lodge index` made it."""
    return Path(shutil.copytree(small_home.current_snapshot.resolve(), tmp_path / "20260101-000000"))


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def test_a_new_snapshot_lists_every_file_and_is_intact(folder: Path) -> None:
    listed = json.loads((folder / "manifest.json").read_text())["files"]
    assert set(listed) == {path.name for path in folder.iterdir()} - {"manifest.json"}
    assert {"index.duckdb", "vectors.f32", "postings.bin"} <= set(listed)
    assert listed == fingerprints(folder)
    require_intact(folder)


@pytest.mark.parametrize("name", ["index.duckdb", "vectors.f32", "postings.bin"])
@pytest.mark.parametrize("harm", [flip, cut, Path.unlink])
def test_one_bit_less_or_other_in_any_file_is_found(
    folder: Path, name: str, harm: Callable[[Path], None]
) -> None:
    harm(folder / name)
    with pytest.raises(SnapshotError, match=name):
        require_intact(folder)


def test_a_snapshot_from_before_hashes_were_kept_passes(folder: Path, tmp_path: Path) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["files"]
    path.write_text(json.dumps(manifest))
    copy_intact(folder, tmp_path / "copy")
    assert fingerprints(tmp_path / "copy") == fingerprints(folder)


def test_a_copy_is_whole_or_there_is_none(folder: Path, tmp_path: Path) -> None:
    copy_intact(folder, tmp_path / "copy")
    assert fingerprints(tmp_path / "copy") == fingerprints(folder)
    flip(folder / "postings.bin")
    with pytest.raises(SnapshotError, match=r"postings\.bin .* is damaged"):
        copy_intact(folder, tmp_path / "other")
    with pytest.raises(SnapshotError, match=r"no readable manifest\.json"):
        copy_intact(tmp_path / "nowhere", tmp_path / "third")


def test_nothing_is_copied_where_there_is_no_room(folder: Path, tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    with (folder / "huge").open("wb") as file:
        file.truncate(free + 1_000_000_000)  # sparse: it takes no room itself
    with pytest.raises(StorageError, match="No space left on device"):
        copy_intact(folder, tmp_path / "copy")
    assert list((tmp_path / "copy").iterdir()) == []


@pytest.mark.parametrize("harm", [flip, cut, Path.unlink, Path.touch])
def test_what_is_done_to_a_file_changes_the_state_of_its_folder(
    folder: Path, harm: Callable[[Path], None]
) -> None:
    before = files_state(folder)
    assert before == files_state(folder)
    time.sleep(0.02)  # a file system's clock has ticks
    harm(folder / "vectors.f32")
    assert files_state(folder) != before
    assert files_state(folder / "nowhere") == ()

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from server.errors import SnapshotError
from server.search.fingerprints import fingerprints, require_intact
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


def test_a_snapshot_from_before_hashes_were_kept_passes(folder: Path) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["files"]
    path.write_text(json.dumps(manifest))
    require_intact(folder)

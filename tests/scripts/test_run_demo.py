"""`make run` after an upgrade: a snapshot of another embedder, or of another Lodge, is made anew."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.run_demo import Demo
from server.settings import Settings


@pytest.mark.parametrize(
    ("changed", "usable"),
    [({}, True), ({"embedder_sha256": "0" * 64}, False), ({"format": 0}, False)],
    ids=["as it was built", "another embedder", "another format"],
)
def test_a_snapshot_is_usable_with_the_embedder_that_built_it(
    changed: dict[str, object], usable: bool, small_home: Settings, tmp_path: Path
) -> None:
    settings = replace(small_home, home=tmp_path)
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    file = settings.current_snapshot / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    file.unlink()
    file.write_text(json.dumps(manifest | changed), encoding="utf-8")
    assert Demo(settings).is_usable() is usable


def test_without_a_snapshot_there_is_none_to_use(small_home: Settings, tmp_path: Path) -> None:
    assert not Demo(replace(small_home, home=tmp_path)).is_usable()

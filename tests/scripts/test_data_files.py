from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from scripts.data_files import read_rows

LINES = '{"question": "Où?"}\n{"question": "When\\u2028?"}\n'.encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [("q.jsonl", LINES), ("q.jsonl.gz", gzip.compress(LINES, mtime=0)), ("none.jsonl", b"")],
)
def test_rows_are_read_packed_or_not(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    rows = [{"question": "Où?"}, {"question": "When\u2028?"}]
    assert read_rows(tmp_path / name) == (rows if content else [])

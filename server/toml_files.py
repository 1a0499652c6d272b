"""TOML files that people write: whatever is wrong with one is a `ValueError`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def read_toml(path: Path) -> dict[str, Any]:
    """What the file says; a byte order mark before it does no harm.

    `OSError` where it cannot be read. `ValueError` where it is not UTF-8 or not TOML; that has numbers of
    thousands of digits and tables without end in it, of which `tomllib` tells in other ways.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None

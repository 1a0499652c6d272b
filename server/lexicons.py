"""Lexicons: the word lists of `corpus/lexicons`, read once; an entry is part of a regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from server.toml_files import read_toml

FOLDER = Path(__file__).resolve().parents[1] / "corpus" / "lexicons"
_GROUP = re.compile(r"\{([a-z_]+)\}")


@cache
def lexicon(name: str) -> Mapping[str, Any]:
    """A lexicon by its file's name; `OSError` or `ValueError` where it cannot be read."""
    return read_toml(FOLDER / f"{name}.toml")


def any_of(words: Iterable[str], groups: Mapping[str, Iterable[str]] | None = None) -> str:
    """One pattern for any of the entries; `{name}` in an entry stands for any of that group's."""
    known = {name: f"(?:{'|'.join(members)})" for name, members in (groups or {}).items()}
    return "|".join(_GROUP.sub(lambda match: known.get(match[1], match[0]), entry) for entry in words)

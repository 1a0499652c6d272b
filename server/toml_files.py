"""TOML files that people write: whatever is wrong with one is a `ValueError`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

from server.errors import BadInputError


def read_toml(path: Path) -> dict[str, Any]:
    """What the file says; a byte order mark before it does no harm.

    `OSError` where it cannot be read. `ValueError` where it is not UTF-8 or not TOML; that has numbers of
    thousands of digits and tables without end in it, of which `tomllib` tells in other ways.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_entries(
    path: Path, kind: str, keys: Set[str], file: str, verb: str = "is"
) -> Iterator[tuple[str, dict[str, str]]]:
    """The `[[kind]]` entries of a file, in its order, each after its name ("Rule 1 of filters.toml").

    An entry has no other keys than these. What is wrong is a `BadInputError` as soon as it is come to; it
    calls the file `file`, and `verb` is the word that goes with that.
    """
    try:
        found = read_toml(path)
    except OSError:
        raise BadInputError(f"{file} cannot be read.") from None
    except ValueError as error:
        raise BadInputError(f"{file} {verb} not TOML: {error}.") from None
    entries = found.pop(kind, [])
    if found or not isinstance(entries, list):
        raise BadInputError(f"{file} may hold nothing but [[{kind}]] entries.")
    for number, entry in enumerate(entries, 1):
        name = f"{kind.capitalize()} {number} of {path}"
        if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
            raise BadInputError(f"{name} is not a table of strings.")
        if unknown := sorted(set(entry) - keys):
            raise BadInputError(f"{name} has {', '.join(unknown)}; it takes: {', '.join(sorted(keys))}.")
        yield name, entry

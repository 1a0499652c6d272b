"""A TOML file of entries of one kind, such as `[[rule]]`, whose values are strings."""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path

from server.errors import BadInputError
from server.toml_files import read_toml


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

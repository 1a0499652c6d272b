"""The patterns of an installation: those that ship, less what it switches off, and what it adds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from server.errors import BadInputError
from server.masking.patterns import PATTERNS, Pattern
from server.toml_files import read_toml

LONGEST = 300  # characters of a regular expression


def own_patterns(path: Path | None) -> tuple[Pattern, ...]:
    """Those of a TOML file, or without one those that ship.

    `off` is a list of names; `[[pattern]]` has a `name`, which stands in the mask, and a `regex`, of which
    the group `it`, where it has one, is the personal part. `BadInputError` says what is wrong with it.
    """
    if path is None:
        return PATTERNS
    try:
        table = read_toml(path)
    except (OSError, ValueError) as error:
        raise BadInputError(f"LODGE_PERSONAL_FILE {path} cannot be read: {error}.") from error
    if unknown := sorted(set(table) - {"off", "pattern"}):
        raise BadInputError(f"LODGE_PERSONAL_FILE has {unknown[0]!r}; it takes: off, [[pattern]].")
    off, rows = table.get("off", []), table.get("pattern", [])
    if not isinstance(off, list) or not isinstance(rows, list):
        raise BadInputError("LODGE_PERSONAL_FILE takes a list of names as off, and [[pattern]] entries.")
    known = {pattern.switch for pattern in PATTERNS}
    if strange := [name for name in off if not isinstance(name, str) or name not in known]:
        raise BadInputError(
            f"LODGE_PERSONAL_FILE switches off {strange[0]!r}. There are: {', '.join(sorted(known))}."
        )
    return (*map(_pattern, rows), *(p for p in PATTERNS if p.switch not in off))


def _pattern(row: Any) -> Pattern:
    if not isinstance(row, dict) or set(row) - {"name", "regex"}:
        raise BadInputError(f"LODGE_PERSONAL_FILE: {row!r} is no entry; it takes a `name` and a `regex`.")
    name, regex = row.get("name"), row.get("regex")
    if not (isinstance(name, str) and re.fullmatch(r"[a-z][a-z -]{0,29}", name)):
        raise BadInputError(f"LODGE_PERSONAL_FILE: {name!r} is no name; it takes small letters.")
    if not isinstance(regex, str) or len(regex) > LONGEST:
        raise BadInputError(f"LODGE_PERSONAL_FILE: {name} lacks a `regex` of at most {LONGEST} characters.")
    try:
        shape = re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInputError(f"LODGE_PERSONAL_FILE: the regex of {name} is none: {error}.") from error
    if shape.search(""):
        raise BadInputError(f"LODGE_PERSONAL_FILE: the regex of {name} matches nothing at all.")
    return Pattern(name, shape, as_written=True)

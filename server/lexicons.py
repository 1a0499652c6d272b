"""Lexicons: the word lists of `corpus/lexicons`, read once.

A list has parts of regular expressions; a text has words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from server.errors import BadInputError
from server.toml_files import read_toml

FOLDER = Path(__file__).resolve().parents[1] / "corpus" / "lexicons"
Kind = TypeVar("Kind")
_GROUP = re.compile(r"\{([a-z_]+)\}")


class Lexicon(dict[str, Any]):
    """A lexicon's entries by their names; one that is missing is a `BadInputError` that names the file."""

    def __init__(
        self, entries: Mapping[str, Any], file: str, groups: Mapping[str, Iterable[str]] | None = None
    ) -> None:
        self._file = file
        self._groups = entries.get("groups", groups)
        self._compiled: set[str] = set()
        super().__init__({name: self._own(entry) for name, entry in entries.items()})

    def _own(self, entry: Any) -> Any:
        """A table, alone or in a list, as a lexicon with the same groups."""
        if isinstance(entry, list):
            return [self._own(one) for one in entry]
        return Lexicon(entry, self._file, self._groups) if isinstance(entry, dict) else entry

    def __missing__(self, name: str) -> Any:
        raise BadInputError(f"The lexicon {self._file} lacks {name!r}.")

    def part(self, name: str) -> Lexicon:
        """A table of it."""
        return self._of(name, Lexicon)

    def listed(self, name: str) -> list[str]:
        """The words of a text, in their order."""
        return self._of(name, str).split()

    def words(self, name: str) -> frozenset[str]:
        """The words of a text."""
        return frozenset(self.listed(name))

    def pattern(self, name: str, around: str = "{}", flags: int = re.IGNORECASE) -> re.Pattern[str]:
        """Any entry of a list, where `around` has its braces; `{name}` in an entry stands for a group's."""
        entries: list[str] = self._of(name, list)
        if not all(isinstance(entry, str) for entry in entries):
            raise BadInputError(f"The lexicon {self._file}: {name!r} is no {_KINDS[list]}.")
        try:
            pattern = re.compile(around.replace("{}", any_of(entries, self._groups)), flags)
        except re.error as error:
            flaw = _flaw(entries, self._groups) or str(error)
            raise BadInputError(f"The lexicon {self._file}: {name!r} has no pattern: {flaw}.") from error
        self._compiled.add(name)
        return pattern

    def check_patterns(self) -> None:
        """Compile every list that has not been yet, those of its tables too; a `BadInputError` names one
        that has no pattern.
        """
        for name in sorted(self, key=lambda name: name != "groups"):  # the others are filled with groups
            entry = self[name]
            tables = [
                one for one in (entry if isinstance(entry, list) else [entry]) if isinstance(one, Lexicon)
            ]
            for table in tables:
                table.check_patterns()
            if isinstance(entry, list) and not tables and name not in self._compiled:
                self.pattern(name)

    def _of(self, name: str, kind: type[Kind]) -> Kind:
        found = self[name]
        if not isinstance(found, kind):
            raise BadInputError(f"The lexicon {self._file}: {name!r} is no {_KINDS[kind]}.")
        return found


_KINDS: Mapping[type, str] = {str: "text", list: "list of texts", Lexicon: "table"}


@cache
def lexicon(name: str) -> Lexicon:
    """A lexicon by its file's name; `BadInputError` where it cannot be read."""
    return read_lexicon(FOLDER / f"{name}.toml")


def read_lexicon(path: Path) -> Lexicon:
    """The lexicon of a file; `BadInputError` where it cannot be read."""
    try:
        return Lexicon(read_toml(path), path.name)
    except (OSError, ValueError) as error:
        raise BadInputError(f"The lexicon {path} cannot be read: {error}.") from error


def read_all() -> None:
    """Read every lexicon and compile its lists, so that damage is told of at the start; a `BadInputError`."""
    for path in sorted(FOLDER.glob("*.toml")):
        lexicon(path.stem).check_patterns()


def _flaw(entries: Iterable[str], groups: Mapping[str, Iterable[str]] | None) -> str | None:
    """What is wrong with the first entry that is no pattern by itself; None where each is one."""
    for entry in entries:
        try:
            re.compile(any_of([entry], groups))
        except re.error as error:
            return f"{error.msg}, in {entry!r}"
    return None


def any_of(words: Iterable[str], groups: Mapping[str, Iterable[str]] | None = None) -> str:
    """One pattern for any of the entries; `{name}` in an entry stands for any of that group's.

    A group may use those before it.
    """
    known: dict[str, str] = {}

    def filled(entry: str) -> str:
        return _GROUP.sub(lambda match: known.get(match[1], match[0]), entry)

    for name, members in (groups or {}).items():
        known[name] = f"(?:{'|'.join(map(filled, members))})"
    return "|".join(map(filled, words))


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as a line."""
    return frozenset(text.split())

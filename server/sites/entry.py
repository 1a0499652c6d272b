"""A table of a TOML file (or a JSON object) read key by key, so that every fault names its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from server.errors import BadInputError
from server.models import Phrase

_LANGUAGE = re.compile(r"[a-z]{2,3}")


class Entry:
    """`where` is how a fault's sentence begins ("sites.toml, site main"); `path` is the keys down to here."""

    def __init__(self, values: Any, where: str, path: str = "") -> None:
        self._where = where
        self._path = path
        if not isinstance(values, Mapping):
            raise self.wrong("", "is no table")
        self._values = values
        self._asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def wrong(self, key: str, what: str) -> BadInputError:
        """The fault of a key, as an error to raise."""
        name = ".".join(part for part in (self._path, key) if part) or "it"
        return BadInputError(f"{self._where}: {name} {what}.")

    def text(self, key: str, default: str = "") -> str:
        """A string of one line."""
        value = self._take(key, default)
        if not isinstance(value, str) or not value.isprintable():
            raise self.wrong(key, f"is {value!r}; it takes text of one line")
        return value.strip()

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        values = self._list(key)
        if not all(isinstance(value, str) for value in values):
            raise self.wrong(key, f"is {values!r}; it takes a list of texts")
        return tuple(values)

    def matching(self, key: str, pattern: re.Pattern[str], takes: str, default: str = "") -> str:
        """A string of that form, or the default where the key is missing."""
        value = self.text(key, default)
        if value != default and not pattern.fullmatch(value):
            raise self.wrong(key, f"is {value!r}; it takes {takes}")
        return value

    def address(self, key: str, default: str = "") -> str:
        """An http or https address, or nothing."""
        value = self.text(key, default)
        if value and not _is_address(value):
            raise self.wrong(
                key, f"is {value!r}; it takes an address such as https://www.example.edu/contact"
            )
        return value

    def choice(self, key: str, allowed: Sequence[str], default: str, told: str = "") -> str:
        """One of those allowed; `told` is how they are told of where they are too many to name."""
        value = self.text(key, default)
        if value != default and value not in allowed:
            raise self.wrong(key, f"is {value!r}; it takes one of: {told or ', '.join(allowed)}")
        return value

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        """A whole number between the two."""
        value = self._take(key, default)
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(key, f"is {value!r}; it takes a whole number from {least} to {most}")
        return value

    def phrase(self, key: str) -> Phrase:
        """A text for every language, or a table of texts by language."""
        return self._phrase(key, self._take(key, ""))

    def phrases(self, key: str) -> tuple[Phrase, ...]:
        """A list of those."""
        return tuple(self._phrase(key, value) for value in self._list(key))

    def table(self, key: str) -> Entry:
        """The table below; an empty one where the key is missing."""
        return self._below(self._take(key, {}), key)

    def tables(self, key: str) -> dict[str, Entry]:
        """The tables of a table, by their names."""
        below = self.table(key)
        return {name: below.table(name) for name in below._values}

    def entries(self, key: str) -> list[Entry]:
        """A list of tables."""
        return [self._below(value, f"{key}[{number}]") for number, value in enumerate(self._list(key), 1)]

    def finish(self) -> None:
        """Raise for keys that were given and never read: they are unknown."""
        if unknown := sorted(set(self._values) - self._asked):
            known = ", ".join(sorted(self._asked))
            raise self.wrong("", f"has {', '.join(map(repr, unknown))}; it takes: {known}")

    def _take(self, key: str, default: Any) -> Any:
        self._asked.add(key)
        return self._values.get(key, default)

    def _list(self, key: str) -> list[Any]:
        values = self._take(key, [])
        if not isinstance(values, list):
            raise self.wrong(key, f"is {values!r}; it takes a list")
        return values

    def _below(self, values: Any, key: str) -> Entry:
        return Entry(values, self._where, ".".join(part for part in (self._path, key) if part))

    def _phrase(self, key: str, value: Any) -> Phrase:
        by_language = {"": value} if isinstance(value, str) else value
        if not isinstance(by_language, Mapping) or not all(map(_is_said, by_language.items())):
            raise self.wrong(
                key, f'is {value!r}; it takes a text, or texts by language: {{ en = "…", es = "…" }}'
            )
        return Phrase(tuple((lang, words.strip()) for lang, words in by_language.items() if words.strip()))


def _is_said(item: tuple[object, object]) -> bool:
    lang, words = item
    return (
        isinstance(lang, str)
        and (lang == "" or _LANGUAGE.fullmatch(lang) is not None)
        and isinstance(words, str)
        and words.isprintable()
    )


def _is_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and " " not in value

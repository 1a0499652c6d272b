"""Values of settings: what each takes, and the sentence for one that cannot be used."""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PREFIX = "LODGE_"
MOST = 1_000_000_000  # of whatever is counted, where a setting does not say less
# Control characters, and bytes that are no UTF-8 (PEP 383). Among several words, line ends part them as
# spaces do.
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class SettingError(ValueError):
    """A variable's value cannot be used; the message says what it takes."""


@dataclass(frozen=True, slots=True)
class Takes:
    """What a variable takes, besides its type: one of these texts, a number within bounds, several words.

    `told` is how the texts are told of where they are too many to name.
    """

    allowed: tuple[str, ...] = ()
    at_least: float | None = None
    at_most: float = MOST
    several: bool = False
    told: str = ""


def parsed(name: str, text: str, kind: type, takes: Takes) -> Any:
    """The text of the variable `name` as an `int`, `float`, `Path` or `str`, whichever `kind` is."""
    if kind in (int, float):
        return _number(name, text, kind, takes)
    if any(map(_NO_TEXT.search, text.split() if takes.several else [text])):
        # It is not shown: it may be a secret.
        raise SettingError(
            f"{name} has a control character, or a byte that is no UTF-8; it takes plain text."
        )
    if kind is Path:
        return as_path(name, text)
    if takes.allowed and text not in takes.allowed:
        raise SettingError(
            f"{name} is {shown(text)}; it takes one of: {takes.told or ', '.join(takes.allowed)}."
        )
    return text


def as_path(name: str, text: str) -> Path:
    """Absolute; an empty one would silently be the folder that the program was started in."""
    try:
        if text.strip():
            return Path(text).expanduser().resolve()
    except (RuntimeError, ValueError, OSError):  # a home that does not exist; links that lead to themselves
        pass
    raise SettingError(f"{name} is {shown(text)}; it takes a path.")


def _number(name: str, text: str, kind: type, takes: Takes) -> Any:
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        noun = "a whole number" if kind is int else "a number"
        raise SettingError(f"{name} is {shown(text)}; it takes {noun}.")
    if takes.at_least is not None and value < takes.at_least:
        raise SettingError(f"{name} is {shown(text)}; it takes {takes.at_least} or more.")
    if value > takes.at_most:
        raise SettingError(f"{name} is {shown(text)}; it takes {takes.at_most} or less.")
    return value


def shown(text: str, most: int = 80) -> str:
    """A wrong value as it is shown: in quotes, and not for pages on end."""
    return repr(text if len(text) <= most else text[:most] + "…")


def setting(  # noqa: PLR0913  (a row has so many columns)
    default: Any,
    sentence: str,
    *allowed: str,
    at_least: float | None = None,
    at_most: float = MOST,
    secret: bool = False,
    told: str = "",
) -> Any:
    """A row of a table of settings; `sentence` says what it is, `secret` keeps it out of what is shown."""
    takes = Takes(allowed, at_least, at_most, told=told)
    return dataclasses.field(
        default=default, repr=not secret, metadata={"sentence": sentence, "takes": takes}
    )


def words(default: str, sentence: str) -> Any:
    """A row whose value is several words, separated by spaces or line ends."""
    return dataclasses.field(default=default, metadata={"sentence": sentence, "takes": Takes(several=True)})

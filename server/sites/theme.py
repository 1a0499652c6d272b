"""A site's theme: what is given is checked for contrast, what is not given is made from the one colour."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, cast

from server.models import Logo, Palette, Theme
from server.sites.contrast import (
    CONTROL,
    TEXT,
    black_or_white,
    contrast,
    is_colour,
    least_contrast,
    until_readable,
)
from server.sites.entry import Entry

# The chat page's own surfaces, on which a site's colours stand (chat.css, --surface and --page).
LIGHT_SURFACES = ("#ffffff", "#f6f7f7")
DARK_SURFACES = ("#1d2427", "#13181a")
DEFAULT_COLOUR = "#17626b"
MAX_LOGO_BYTES = 50_000

_NAME = r"""(?:[A-Za-z0-9 _-]+| *"[A-Za-z0-9 ,_'-]+" *| *'[A-Za-z0-9 ,_"-]+' *)"""
_FONT = re.compile(rf"(?=.{{1,200}}\Z){_NAME}(?:,{_NAME})*")  # a quote that never closes would end the style
_IMAGES = {".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp", ".jpg": "image/jpeg"}


def read_theme(entry: Entry, folder: Path | None) -> Theme:
    """The theme of a site; a logo's file is looked for in that folder. Faults are `BadInputError`s."""
    theme = Theme(
        light=_light(entry),
        dark=_dark(entry),
        corner_px=entry.whole("corner_px", 14, 0, 28),
        font=entry.matching("font", _FONT, "names of fonts, separated by commas"),
        position=cast(Literal["left", "right"], entry.choice("position", ("left", "right"), default="right")),
        logo=_logo(entry, folder),
    )
    entry.finish()
    return theme


def _light(entry: Entry) -> Palette:
    return _palette(entry, "", entry.text("colour", DEFAULT_COLOUR), LIGHT_SURFACES)


def _dark(entry: Entry) -> Palette:
    """Without a dark colour of its own, a site's colour is lightened until links of it can be read."""
    fallback = until_readable(_colour(entry, "colour", DEFAULT_COLOUR), DARK_SURFACES, TEXT)
    return _palette(entry, "_dark", entry.text("colour_dark", fallback), DARK_SURFACES)


def _palette(entry: Entry, suffix: str, colour: str, surfaces: Sequence[str]) -> Palette:
    colour = _colour(entry, f"colour{suffix}", colour)
    text = _colour(entry, f"text{suffix}", black_or_white(colour))
    link = _colour(entry, f"link{suffix}", until_readable(colour, surfaces, TEXT))
    _require(entry, f"colour{suffix}", colour, surfaces, CONTROL)
    _require(entry, f"link{suffix}", link, surfaces, TEXT)
    _require(entry, f"text{suffix}", text, [colour], TEXT)
    return Palette(colour, text, link)


def _colour(entry: Entry, key: str, default: str) -> str:
    value = entry.text(key, default)
    if not is_colour(value):
        raise entry.wrong(key, f"is {value!r}; it takes a colour such as #17626b")
    return value.lower()


def _require(entry: Entry, key: str, colour: str, against: Sequence[str], least: float) -> None:
    if least_contrast(colour, against) >= least:
        return
    worst = min(against, key=lambda other: contrast(colour, other))
    better = until_readable(colour, against, least)
    raise entry.wrong(
        key,
        f"is {colour}, whose contrast with {worst} is {contrast(colour, worst):.2f} to 1; "
        f"WCAG 2.2 AA asks for {least:g} to 1. {better} would do",
    )


def _logo(entry: Entry, folder: Path | None) -> Logo | None:
    name = entry.text("logo")
    if not name:
        return None
    path = (folder or Path()) / name
    if path.suffix.lower() not in _IMAGES:
        raise entry.wrong("logo", f"is {name!r}; it takes a file that ends in {', '.join(_IMAGES)}")
    try:
        with path.open("rb") as file:
            body = file.read(MAX_LOGO_BYTES + 1)
    except OSError as error:
        raise entry.wrong("logo", f"names {path}, which cannot be read: {error.strerror}") from None
    if len(body) > MAX_LOGO_BYTES:
        raise entry.wrong("logo", f"has more than {MAX_LOGO_BYTES:,} bytes, which are the most")
    return Logo(body, _IMAGES[path.suffix.lower()])

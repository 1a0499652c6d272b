"""A site's theme: what is given is checked for contrast (WCAG 2.2), the rest is made from the one colour."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, cast

from server.models import Logo, Palette, Theme
from server.sites.entry import Entry

TEXT = 4.5  # success criterion 1.4.3, for text of ordinary size
CONTROL = 3.0  # success criterion 1.4.11, for what shows where a control is

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_STEPS = 64


def is_colour(text: str) -> bool:
    """Whether it is of the form `#rrggbb`."""
    return _COLOUR.fullmatch(text) is not None


def contrast(one: str, other: str) -> float:
    """The ratio of two colours, from 1 (the same) to 21 (black and white)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def least_contrast(colour: str, against: Sequence[str]) -> float:
    """The ratio with the one it is hardest to tell from."""
    return min(contrast(colour, other) for other in against)


def black_or_white(on: str) -> str:
    """Whichever reads better; on any colour at all one of them reaches 4.5."""
    return max("#ffffff", "#000000", key=lambda ink: contrast(ink, on))


def until_readable(colour: str, against: Sequence[str], least: float) -> str:
    """The colour, mixed with as little black or white as gives that contrast with all of the others."""
    ends = sorted(("#000000", "#ffffff"), key=lambda end: -least_contrast(end, against))
    mixed = (_mix(colour, ends[0], step / _STEPS) for step in range(_STEPS + 1))
    return next((one for one in mixed if least_contrast(one, against) >= least), ends[0])


def _luminance(colour: str) -> float:
    """WCAG 2.2's definition of relative luminance, of an sRGB colour."""
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def _mix(colour: str, with_: str, share: float) -> str:
    pairs = zip(_channels(colour), _channels(with_), strict=True)
    return "#" + "".join(f"{round(own + (other - own) * share):02x}" for own, other in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


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

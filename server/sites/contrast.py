"""How well colours can be told apart: WCAG 2.2's relative luminance and contrast ratio."""

from __future__ import annotations

import re
from collections.abc import Sequence

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

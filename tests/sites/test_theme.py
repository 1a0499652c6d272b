from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import BadInputError
from server.models import Palette
from server.sites.contrast import CONTROL, TEXT, contrast, least_contrast
from server.sites.entry import Entry
from server.sites.theme import DARK_SURFACES, DEFAULT_COLOUR, LIGHT_SURFACES, MAX_LOGO_BYTES, read_theme
from server.visitor.assets import STATIC_DIR

COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")
SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'


def theme(folder: Path | None = None, **values: Any) -> Any:
    return read_theme(Entry(values, "sites.toml, site main", "theme"), folder)


def test_nothing_said_is_lodges_own_look() -> None:
    own = theme()
    assert own.light == Palette("#17626b", "#ffffff", "#17626b")
    assert (own.corner_px, own.font, own.position, own.logo) == (14, "", "right", None)


def test_one_colour_makes_both_palettes() -> None:
    own = theme(colour="#7A1F2B")
    assert own.light == Palette("#7a1f2b", "#ffffff", "#7a1f2b")
    assert own.dark.colour != own.light.colour
    assert least_contrast(own.dark.link, DARK_SURFACES) >= TEXT


@given(COLOURS)
def test_whatever_is_accepted_can_be_read(colour: str) -> None:
    try:
        own = theme(colour=colour)
    except BadInputError:
        assert least_contrast(colour, LIGHT_SURFACES) < CONTROL
        return
    for palette, surfaces in ((own.light, LIGHT_SURFACES), (own.dark, DARK_SURFACES)):
        assert contrast(palette.text, palette.colour) >= TEXT
        assert least_contrast(palette.link, surfaces) >= TEXT
        assert least_contrast(palette.colour, surfaces) >= CONTROL


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"colour": "#ffcc00"}, "theme.colour is #ffcc00, whose contrast with #f6f7f7 is 1.41 to 1; "
            "WCAG 2.2 AA asks for 3 to 1. #ab8900 would do."),
        ({"colour": "#17626b", "text": "#888888"}, "theme.text is #888888, whose contrast with #17626b is"),
        ({"link": "#8a8a8a"}, "theme.link is #8a8a8a"),
        ({"colour_dark": "#202020"}, "theme.colour_dark is #202020"),
        ({"link_dark": "#555555"}, "theme.link_dark is #555555"),
        ({"colour": "teal"}, "theme.colour is 'teal'; it takes a colour such as #17626b."),
        ({"corner_px": 40}, "theme.corner_px is 40; it takes a whole number from 0 to 28."),
        ({"position": "top"}, "theme.position is 'top'; it takes one of: left, right."),
        ({"font": "a; } body { display: none"}, "theme.font is"),
        ({"color": "#17626b"}, "theme has 'color'; it takes: colour, "),
    ],
)  # fmt: skip
def test_a_fault_names_the_key_and_what_would_be_right(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError, match=re.escape(f"sites.toml, site main: {sentence}")):
        theme(**values)


def test_a_logo_is_a_small_image_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "heron.svg").write_text(SVG)
    logo = theme(tmp_path, logo="heron.svg").logo
    assert (logo.body, logo.media_type) == (SVG.encode(), "image/svg+xml")
    (tmp_path / "large.png").write_bytes(b"x" * (MAX_LOGO_BYTES + 1))
    for name, sentence in (
        ("none.svg", "cannot be read: No such file"),
        ("sites.toml", "it takes a file that ends in .svg"),
        ("large.png", "has more than 50,000 bytes, which are the most"),
    ):
        with pytest.raises(BadInputError, match=sentence):
            theme(tmp_path, logo=name)


def test_the_surfaces_are_those_of_the_chat_page() -> None:
    css = (STATIC_DIR / "chat.css").read_text(encoding="utf-8")
    found = {name: re.findall(rf"--{name}: (#\w+);", css) for name in ("surface", "page", "accent")}
    long = {name: [_long(colour) for colour in colours] for name, colours in found.items()}
    assert (long["surface"][0], long["page"][0]) == LIGHT_SURFACES
    assert (long["surface"][1], long["page"][1]) == DARK_SURFACES
    assert long["accent"][0] == DEFAULT_COLOUR


def _long(colour: str) -> str:
    return "#" + "".join(digit * 2 for digit in colour[1:]) if len(colour) == 4 else colour

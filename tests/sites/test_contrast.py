"""The figures are those of WCAG's own examples and definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.sites.theme import (
    TEXT,
    black_or_white,
    contrast,
    is_colour,
    least_contrast,
    until_readable,
)

COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.48),
        ("#767676", "#ffffff", 4.54),
        ("#ff0000", "#ffffff", 4.00),
        ("#123456", "#123456", 1.0),
    ],
)
def test_known_ratios(one: str, other: str, ratio: float) -> None:
    assert contrast(one, other) == pytest.approx(ratio, abs=0.005)
    assert contrast(other, one) == contrast(one, other)


@pytest.mark.parametrize(
    ("text", "is_one"), [("#17626b", True), ("#FFF000", True), ("#fff", False), ("red", False), ("", False)]
)
def test_what_a_colour_is(text: str, is_one: bool) -> None:
    assert is_colour(text) is is_one


@given(COLOURS)
def test_black_or_white_can_be_read_on_anything(colour: str) -> None:
    assert contrast(black_or_white(colour), colour) >= TEXT


@given(COLOURS)
def test_any_colour_can_be_made_readable_on_light_and_on_dark(colour: str) -> None:
    for surfaces in (("#ffffff", "#f6f7f7"), ("#1d2427", "#13181a")):
        assert least_contrast(until_readable(colour, surfaces, TEXT), surfaces) >= TEXT


def test_a_readable_colour_stays_as_it_is() -> None:
    assert until_readable("#17626b", ["#ffffff"], TEXT) == "#17626b"

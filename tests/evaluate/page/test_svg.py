from __future__ import annotations

import re
from typing import Any

from lxml import etree

from server.evaluate.page.svg import MUTED, SERIES, drawing, inline_svg, series_colour

NAMESPACE = {"svg": "http://www.w3.org/2000/svg"}


def drawn(name: str = "one", title: str = "T", description: str = "D", label: str = "line") -> str:
    with drawing(4, 3) as figure:
        axes = figure.add_subplot()
        axes.plot([0, 1, 2], [0, 1, 5], marker="o", color=series_colour(0), label=label)
        axes.axhline(1, color=MUTED)
        axes.set_ylim(0, 2)  # the line is clipped
        axes.legend()
        return inline_svg(figure, name, title, description)


def test_colours_are_the_pages_and_none_is_fixed() -> None:
    svg = drawn()
    assert "currentColor" in svg
    assert "var(--series-0)" in svg
    assert "var(--muted)" in svg
    assert set(re.findall(r"#[0-9a-f]{6}\b", svg)) <= {"#ffffff"}


def test_every_series_colour_is_one_of_the_pages_and_they_begin_again() -> None:
    assert len({series_colour(number) for number in range(SERIES)}) == SERIES
    assert series_colour(SERIES) == series_colour(0)


def test_text_is_text_in_the_pages_font_and_what_looks_like_markup_or_maths_is_neither() -> None:
    label = "<b>$x_1$</b> & co"
    svg = drawn(label=label)
    root: Any = etree.fromstring(svg)
    assert label in ["".join(text.itertext()) for text in root.iterfind(".//svg:text", NAMESPACE)]
    assert "<b>" not in svg
    assert "font-family" not in svg


def test_it_says_what_it_shows_to_who_does_not_see_it() -> None:
    root: Any = etree.fromstring(drawn("plot", "A title", "One <two> & three."))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "plot-title plot-description"
    texts = {element.get("id"): element.text for element in root[:2]}
    assert texts == {"plot-title": "A title", "plot-description": "One <two> & three."}


def test_it_fits_where_it_is_put_and_brings_no_style_of_its_own() -> None:
    root = etree.fromstring(drawn())
    assert root.get("viewBox")
    assert root.get("width") is root.get("height") is None
    assert root.find(".//svg:style", NAMESPACE) is None
    assert root.find(".//svg:metadata", NAMESPACE) is None


def test_ids_are_the_figures_own_and_every_reference_leads_to_one() -> None:
    svg = drawn("plot")
    ids = re.findall(r'\bid="([^"]+)"', svg)
    assert len(ids) == len(set(ids))
    assert all(own.startswith("plot-") for own in ids)
    used = re.findall(r'href="#([^"]+)"', svg) + re.findall(r"url\(#([^)]+)\)", svg)
    assert used
    assert set(used) <= set(ids)


def test_the_same_figure_is_the_same_text() -> None:
    assert drawn() == drawn()

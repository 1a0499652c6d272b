"""A matplotlib figure as SVG that lives inside an HTML page: its colours and fonts are the page's."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lxml import etree
from matplotlib import rc_context
from matplotlib.figure import Figure

SERIES = 8  # so many colours the page has; then they begin again

# A figure is drawn in colours that stand for the page's: dark and light are the page's own affair.
INK, MUTED = "#000a01", "#000a02"
_SERIES = tuple(f"#000b{number:02x}" for number in range(SERIES))
_CSS = {INK: "currentColor", MUTED: "var(--muted)"} | {
    colour: f"var(--series-{number})" for number, colour in enumerate(_SERIES)
}
_STYLE: Any = {  # matplotlib's own type for it names every one of its settings
    "svg.fonttype": "none",
    "svg.hashsalt": "lodge",
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": MUTED,
    "grid.alpha": 0.25,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "font.size": 11,
}
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"


def series_colour(number: int) -> str:
    """The colour of the series of this number, from 0."""
    return _SERIES[number % SERIES]


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """A figure of so many inches to draw in, in the page's style."""
    with rc_context(_STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def inline_svg(figure: Figure, name: str, title: str, description: str) -> str:
    """The figure as one `<svg>` element, to be called inside `drawing`.

    `name` tells its ids from those of other figures on the page; `title` and `description` are what a
    reader hears who does not see it.
    """
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    root = etree.fromstring(buffer.getvalue().encode(), parser)
    _strip(root)
    _rename_ids(root, name)
    _restyle(root)
    _describe(root, name, title, description)
    return etree.tostring(root, encoding="unicode")


def _strip(root: Any) -> None:
    """Without metadata, a style sheet that would be the whole page's, and a fixed size."""
    for element in [*root.iter(f"{_NAMESPACE}metadata"), *root.iter(f"{_NAMESPACE}style")]:
        element.getparent().remove(element)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")


def _rename_ids(root: Any, name: str) -> None:
    """Ids that something refers to get the figure's name before them, the others go."""
    used: set[str] = set()
    for element in root.iter():
        if _HREF in element.attrib:
            target = element.attrib.pop(_HREF).removeprefix("#")
            used.add(target)
            element.set("href", f"#{name}-{target}")
        clip = re.fullmatch(r"url\(#(.+)\)", element.get("clip-path", ""))
        if clip:
            used.add(clip[1])
            element.set("clip-path", f"url(#{name}-{clip[1]})")
    for element in root.iter():
        own = element.attrib.pop("id", None)
        if own in used:
            element.set("id", f"{name}-{own}")


def _restyle(root: Any) -> None:
    for element in root.iter():
        style = element.get("style")
        if style:
            style = re.sub(r"font-family:[^;]*;?\s*", "", style)
            element.set("style", re.sub(r"#000[ab]\d\w", lambda found: _CSS[found[0]], style))


def _describe(root: Any, name: str, title: str, description: str) -> None:
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-description")
    for place, (kind, tag, text) in enumerate(
        [("title", "title", title), ("description", "desc", description)]
    ):
        element = etree.Element(f"{_NAMESPACE}{tag}", {"id": f"{name}-{kind}"})
        element.text = text
        root.insert(place, element)

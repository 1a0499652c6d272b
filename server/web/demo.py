"""An ordinary page of a university with the widget on it, which also writes the line for your own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litestar import Request, get
from litestar.di import NamedDependency
from litestar.response import Template
from markupsafe import escape

from server.web.place import Place
from server.web.protocols import Sites

_OPTIONS = ("label", "lang", "position", "contact")


@get("/demo", include_in_schema=False, sync_to_thread=False)
def demo_page(
    request: Request[Any, Any, Any], place: NamedDependency[Place], sites: NamedDependency[Sites]
) -> Template:
    """The page; what stands in its address is how the widget on it is set up."""
    chosen = {name: request.query_params.get(name, "").strip() for name in _OPTIONS}
    server = str(request.base_url).rstrip("/")
    lines = {"script": script_line(server, place.site.key, chosen), "tag": tag_line(place.site.key, chosen)}
    context = place.context(chosen=chosen, lines=lines, sites=sites.all(), server=server)
    return Template("demo.html", context=context)


def script_line(server: str, site: str, chosen: Mapping[str, str]) -> str:
    """The one line for a page of the site."""
    data = _attributes({"site": site, **chosen}, prefix="data-")
    return f'<script src="{escape(server)}/widget.js"{data} async></script>'


def tag_line(site: str, chosen: Mapping[str, str]) -> str:
    """The element, for those who place it by hand."""
    return f"<lodge-chat{_attributes({'site': site, **chosen})}></lodge-chat>"


def _attributes(values: Mapping[str, str], prefix: str = "") -> str:
    return "".join(f' {prefix}{name}="{escape(value)}"' for name, value in values.items() if value)

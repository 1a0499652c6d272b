"""`/widget.js`: the built loader, with what it must know of the sites written into it.

So the loader asks for nothing more before a visitor opens the panel, knows at once whether the page it is on
may have it, and still knows the contact page when the server cannot be reached.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from litestar import Request, Response, Router, get
from litestar.di import NamedDependency
from litestar.response import Template
from markupsafe import escape

from server.http.assets import Asset, Assets, send_asset
from server.http.protocols import Sites
from server.models import Site, Theme
from server.visitor.i18n import Catalogue, Texts
from server.visitor.site_context import SiteContext

LOADER = "widget.js"
PLACEHOLDER = b"LODGE_SITES"
# Five minutes, so that a change in the table of sites is soon seen; while the server is down, any will do.
_CACHING = "public, max-age=300, stale-while-revalidate=86400, stale-if-error=604800"


def loader(assets: Assets, sites: Sites, catalogue: Catalogue) -> Asset:
    """The loader as it is sent."""
    facts = {site.key: launcher_facts(site, catalogue) for site in sites.all()}
    return _filled(assets[LOADER].body, json.dumps(facts, ensure_ascii=True, separators=(",", ":")))


def launcher_facts(site: Site, catalogue: Catalogue) -> dict[str, Any]:
    """What the loader is told of a site; the keys are those of `SiteFacts` in widget/src/facts.ts."""
    words = {lang: _words(site, catalogue.texts(site, [lang])) for lang in catalogue.offered(site)}
    return {"o": list(site.origins), "t": words, "c": site.theme.light.colour, **_more(site, site.theme)}


def _words(site: Site, texts: Texts) -> list[str]:
    return [texts.launcher, texts.launcher_down, *([] if site.contact_url else [texts.launcher_gone])]


def _more(site: Site, theme: Theme) -> dict[str, Any]:
    """What differs from the default, or need not be there at all."""
    return {
        key: value
        for key, value, default in (
            ("i", theme.light.text, "#ffffff"),
            ("r", theme.corner_px, 14),
            ("f", theme.font, ""),
            ("p", theme.position, "right"),
            ("u", site.contact_url, ""),
        )
        if value != default
    }


@lru_cache(maxsize=8)
def _filled(code: bytes, facts: str) -> Asset:
    body = code.replace(PLACEHOLDER, facts.encode())
    version = hashlib.sha256(body).hexdigest()[:16]
    return Asset(body, gzip.compress(body, mtime=0), "text/javascript", version)


@get(f"/{LOADER}", include_in_schema=False, sync_to_thread=False)
def widget_file(
    request: Request[Any, Any, Any],
    assets: NamedDependency[Assets],
    sites: NamedDependency[Sites],
    catalogue: NamedDependency[Catalogue],
) -> Response[bytes]:
    """The one script that other sites' pages name."""
    return send_asset(request, loader(assets, sites, catalogue), _CACHING)


def loader_router() -> Router:
    """The loader."""
    return Router("/", route_handlers=[widget_file])


_OPTIONS = ("label", "lang", "position", "contact")


@get("/demo", include_in_schema=False, sync_to_thread=False)
def demo_page(
    request: Request[Any, Any, Any], place: NamedDependency[SiteContext], sites: NamedDependency[Sites]
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

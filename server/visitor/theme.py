"""How a site looks: its own style sheet, which is the chat page's with the site's variables, and its logo."""

from __future__ import annotations

import gzip
import hashlib
from functools import lru_cache
from typing import Any

from litestar import Request, Response, Router, get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery

from server.errors import NotFoundError
from server.http.assets import Asset, Assets, asset_response
from server.http.protocols import Sites
from server.models import Palette, Site, Theme
from server.visitor.site_context import known_site

STYLE_SHEET = "chat.css"
DEFAULT_LOGO = "lodge.svg"


def style_sheet(assets: Assets, site: Site) -> Asset:
    """The site's style sheet."""
    return _style_sheet(assets[STYLE_SHEET].body, site.theme)


def style_url(assets: Assets, site: Site) -> str:
    """Its address, which changes whenever it does."""
    return f"/sites/{site.key}/{STYLE_SHEET}?v={style_sheet(assets, site).version}"


def logo_url(assets: Assets, site: Site) -> str:
    """The address of the site's logo, or of Lodge's own."""
    logo = site.theme.logo
    if logo is None:
        return assets.url(DEFAULT_LOGO)
    return f"/sites/{site.key}/logo?v={_version(logo.body)}"


def variables(theme: Theme) -> str:
    """The theme as CSS custom properties, for light and for dark."""
    font = f"--font:{theme.font};" if theme.font else ""
    return (
        f":root{{{_palette(theme.light)}--corner:{theme.corner_px}px;{font}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{_palette(theme.dark)}}}}}"
    )


def _palette(palette: Palette) -> str:
    return f"--accent:{palette.colour};--accent-ink:{palette.text};--link:{palette.link};"


@lru_cache(maxsize=64)
def _style_sheet(base: bytes, theme: Theme) -> Asset:
    body = base + variables(theme).encode()
    return Asset(body, gzip.compress(body, mtime=0), "text/css", _version(body))


def _version(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:16]


@get("/sites/{key:str}/chat.css", include_in_schema=False, sync_to_thread=False)
def site_style(
    request: Request[Any, Any, Any],
    sites: NamedDependency[Sites],
    assets: NamedDependency[Assets],
    key: FromPath[str],
    v: FromQuery[str] = "",
) -> Response[bytes]:
    """The style sheet of a site's chat page."""
    return asset_response(request, style_sheet(assets, known_site(sites, key)), v)


@get("/sites/{key:str}/logo", include_in_schema=False, sync_to_thread=False)
def site_logo(
    request: Request[Any, Any, Any], sites: NamedDependency[Sites], key: FromPath[str], v: FromQuery[str] = ""
) -> Response[bytes]:
    """A site's logo."""
    logo = known_site(sites, key).theme.logo
    if logo is None:
        raise NotFoundError("This site has no logo of its own.")
    return asset_response(request, Asset(logo.body, None, logo.media_type, _version(logo.body)), v)


def theme_router() -> Router:
    """What makes a site look like itself."""
    return Router("/", route_handlers=[site_style, site_logo])

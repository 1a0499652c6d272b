"""What pages load: the static files, a site's own style sheet and logo, and `/widget.js` with its demo page.

Files are named by their content's hash and compressed once. The widget's loader has what it must know of the
sites written into it: so it asks for nothing more before a visitor opens the panel, knows at once whether the
page it is on may have it, and still knows the contact page when the server cannot be reached.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery
from litestar.response import Template
from markupsafe import escape

from server.errors import NotFoundError
from server.http.middleware import known_site
from server.http.protocols import SiteLookup
from server.messages.catalogue import Catalogue, Texts, fill
from server.models import FeedbackReasons, Palette, Site, Theme
from server.visitor import view_models
from server.visitor.site_context import SiteContext

STATIC_DIR = Path(__file__).parent / "static"
_YEAR = "public, max-age=31536000, immutable"
_TEXT = ("text/", "application/json", "image/svg+xml")


@dataclass(frozen=True, slots=True)
class Asset:
    """A file's bytes. `version` is the start of its SHA-256; `packed` is gzip, where that is worth it."""

    body: bytes
    packed: bytes | None
    media_type: str
    version: str


@dataclass(frozen=True, slots=True)
class Assets:
    """All static files by their path under the folder, with forward slashes."""

    files: Mapping[str, Asset]

    @classmethod
    def read(cls, folder: Path = STATIC_DIR) -> Assets:
        """Everything under the folder. They are few and small: the whole of it stays in memory."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return cls({path.relative_to(folder).as_posix(): _asset(path) for path in paths})

    def url(self, name: str) -> str:
        """The address that changes whenever the file does."""
        return f"/static/{name}?v={self[name].version}"

    def __getitem__(self, name: str) -> Asset:
        try:
            return self.files[name]
        except KeyError:
            raise NotFoundError("There is no such file.") from None


def _asset(path: Path) -> Asset:
    body = path.read_bytes()
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    packed = gzip.compress(body, mtime=0) if media_type.startswith(_TEXT) else None
    return Asset(body, packed, media_type, hashlib.sha256(body).hexdigest()[:16])


@get("/static/{name:path}", include_in_schema=False, sync_to_thread=False)
def static_file(
    request: Request[Any, Any, Any],
    assets: NamedDependency[Assets],
    name: FromPath[str],
    v: FromQuery[str] = "",
) -> Response[bytes]:
    """A file by its path."""
    return asset_response(request, assets[name.lstrip("/")], v)


def asset_response(request: Request[Any, Any, Any], asset: Asset, version: str) -> Response[bytes]:
    """The file for good where its own version was asked for, otherwise to be checked each time."""
    return send_asset(request, asset, _YEAR if version == asset.version else "no-cache")


def send_asset(request: Request[Any, Any, Any], asset: Asset, caching: str) -> Response[bytes]:
    """The file, compressed for those who take it, or a 304 for those who have it."""
    etag = f'"{asset.version}"'
    headers = {"ETag": etag, "Cache-Control": caching, "Vary": "Accept-Encoding"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers)
    body = asset.body
    if asset.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        body = asset.packed
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type=asset.media_type, headers=headers)


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
    sites: NamedDependency[SiteLookup],
    assets: NamedDependency[Assets],
    key: FromPath[str],
    v: FromQuery[str] = "",
) -> Response[bytes]:
    """The style sheet of a site's chat page."""
    return asset_response(request, style_sheet(assets, known_site(sites, key)), v)


@get("/sites/{key:str}/logo", include_in_schema=False, sync_to_thread=False)
def site_logo(
    request: Request[Any, Any, Any],
    sites: NamedDependency[SiteLookup],
    key: FromPath[str],
    v: FromQuery[str] = "",
) -> Response[bytes]:
    """A site's logo."""
    logo = known_site(sites, key).theme.logo
    if logo is None:
        raise NotFoundError("This site has no logo of its own.")
    return asset_response(request, Asset(logo.body, None, logo.media_type, _version(logo.body)), v)


LOADER = "widget.js"
PLACEHOLDER = b"LODGE_SITES"
# Five minutes, so that a change in the table of sites is soon seen; while the server is down, any will do.
_CACHING = "public, max-age=300, stale-while-revalidate=86400, stale-if-error=604800"


def loader(assets: Assets, sites: SiteLookup, catalogue: Catalogue) -> Asset:
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
    sites: NamedDependency[SiteLookup],
    catalogue: NamedDependency[Catalogue],
) -> Response[bytes]:
    """The one script that other sites' pages name."""
    return send_asset(request, loader(assets, sites, catalogue), _CACHING)


_OPTIONS = ("label", "lang", "position", "contact")


@get("/demo", include_in_schema=False, sync_to_thread=False)
def demo_page(
    request: Request[Any, Any, Any], place: NamedDependency[SiteContext], sites: NamedDependency[SiteLookup]
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


TEMPLATES_DIR = Path(__file__).parent / "templates"


def environment(assets: Assets) -> Environment:
    """Templates escape everything and stop at an undefined name."""
    env = Environment(
        loader=FileSystemLoader(TEMPLATES_DIR),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals.update(
        asset=assets.url,
        style_sheet=lambda site: style_url(assets, site),
        logo=lambda site: logo_url(assets, site),
        reasons=FeedbackReasons,
        answer_pieces=view_models.answer_pieces,
        is_rich=view_models.is_rich,
        is_structured=view_models.is_structured,
        has_help_lines=view_models.has_help_lines,
        rich_answer=view_models.rich_answer,
        as_of=view_models.as_of,
        cautions_of=view_models.cautions_of,
        pages_cited=view_models.pages_cited,
        quote_pieces=view_models.quote_pieces,
        source_date=view_models.source_date,
        announcement=view_models.announcement,
    )
    env.filters.update(
        link=view_models.link,
        host_and_path=view_models.host_and_path,
        phone_link=view_models.phone_link,
        reach_links=view_models.reach_links,
        with_tel_links=view_models.with_tel_links,
        fill=fill,
    )
    return env

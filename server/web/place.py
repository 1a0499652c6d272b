"""Where a visitor is: on which site's page, and whether inside the widget's frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from litestar import Request

from server.errors import NotAllowedError, NotFoundError
from server.records import Site
from server.web.protocols import Sites
from server.web.texts import Texts

MAIN = "main"
_OWN = ("same-origin", "none")

AnyRequest = Request[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """A page's surroundings, as its address has them; `texts` speak of the site by its name."""

    site: Site
    texts: Texts
    embedded: bool

    @property
    def query(self) -> str:
        """The part of an address that leads back here: `?site=main&embed=1`."""
        pairs = {"site": self.site.key} | ({"embed": "1"} if self.embedded else {})
        return f"?{urlencode(pairs)}"


class Places:
    """Knows of every request where it comes from."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites

    def of(self, request: AnyRequest) -> Place:
        """Where the request's address says; `NotFoundError` for a site that is none."""
        return self._on(request, known_site(self._sites, request.query_params.get("site", MAIN)))

    def near(self, request: AnyRequest) -> Place:
        """The same, but for a site that is none the default one: an error needs a page to stand on."""
        return self._on(request, self._sites.get(request.query_params.get("site", MAIN)) or self._default())

    def _on(self, request: AnyRequest, site: Site) -> Place:
        return Place(site, Texts().for_site(site.name), request.query_params.get("embed") == "1")

    def _default(self) -> Site:
        return self._sites.all()[0]


def known_site(sites: Sites, key: str) -> Site:
    """The site of that key; `NotFoundError` when the table has none."""
    site = sites.get(key)
    if site is None:
        raise NotFoundError("There is no site of that name here.", code="unknown_site")
    return site


def require_origin(request: AnyRequest, site: Site) -> None:
    """A script or form of another web site may ask only where the table of sites lets it.

    Browsers say where a request comes from; what says nothing is no browser. Raises `NotAllowedError`.
    """
    origin = request.headers.get("origin")
    if origin is None or request.headers.get("sec-fetch-site") in _OWN or origin in site.origins:
        return
    if urlsplit(origin).netloc != request.headers.get("host"):
        raise NotAllowedError(f"{origin} may not ask on the site {site.key}.", code="origin")

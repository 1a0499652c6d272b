"""Where a visitor is: on which site, in which language, inside the widget's frame or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from litestar import Request

from server.errors import NotAllowedError, NotFoundError
from server.http.protocols import Sites
from server.models import Contact, Site
from server.visitor.i18n import Catalogue, Texts, accepted

MAIN = "main"
_OWN = ("same-origin", "none")

AnyRequest = Request[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class SiteContext:
    """A page's surroundings, as its address has them; `texts` speak of the site by its name.

    `languages` are those the site offers, the visitor's own among them.
    """

    site: Site
    texts: Texts
    embedded: bool
    languages: tuple[Texts, ...]

    @property
    def query(self) -> str:
        """The part of an address that leads back here: `?site=main&lang=en&embed=1`."""
        return self.query_in(self.texts)

    def query_in(self, texts: Texts) -> str:
        """The same in another language."""
        pairs = {"site": self.site.key, "lang": texts.lang} | ({"embed": "1"} if self.embedded else {})
        return f"?{urlencode(pairs)}"

    def contacts(self, topic: str | None) -> tuple[Contact, ...]:
        """Whom to ask about a topic; where the site names nobody for it, whom to ask in general."""
        known = self.site.topic(topic)
        return (known.contacts if known else ()) or self.site.contacts

    def suggestions(self, topic: str | None = None) -> tuple[str, ...]:
        """What one could ask, in the visitor's language: on a topic, or on the site as a whole."""
        known = self.site.topic(topic)
        questions = self.site.questions if topic is None else known.questions if known else ()
        lang = self.texts.lang
        return tuple(question.said_in(lang) for question in questions if question.speaks(lang))

    def context(self, **more: Any) -> dict[str, Any]:
        """What every template needs, and what this one needs."""
        return {"place": self, "site": self.site, "t": self.texts, **more}


class SiteContexts:
    """Knows of every request where it comes from."""

    def __init__(self, sites: Sites, catalogue: Catalogue) -> None:
        self._sites = sites
        self._catalogue = catalogue

    def of(self, request: AnyRequest) -> SiteContext:
        """Where the request's address says; `NotFoundError` for a site that is none."""
        return self._on(request, known_site(self._sites, request.query_params.get("site", MAIN)))

    def near(self, request: AnyRequest) -> SiteContext:
        """The same, but for a site that is none the default one: an error needs a page to stand on."""
        return self._on(request, self._sites.get(request.query_params.get("site", MAIN)) or self._default())

    def _on(self, request: AnyRequest, site: Site) -> SiteContext:
        asked = request.query_params.get("lang")
        wanted = [*([asked] if asked else []), *accepted(request.headers.get("accept-language", ""))]
        return SiteContext(
            site=site,
            texts=self._catalogue.texts(site, wanted),
            embedded=request.query_params.get("embed") == "1",
            languages=tuple(self._catalogue.texts(site, [lang]) for lang in self._catalogue.offered(site)),
        )

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
    if origin.partition("://")[2] != request.headers.get("host"):
        raise NotAllowedError(f"{origin} may not ask on the site {site.key}.", code="origin")

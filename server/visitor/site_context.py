"""Where a visitor is: on which site, in which language, inside the widget's frame or not.

And what the templates of the pages may use there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from litestar.response import Template

from server.http.errors import Problem
from server.http.middleware import AnyRequest, known_site
from server.http.protocols import SiteLookup
from server.messages.catalogue import Catalogue, Plural, Texts, accepted
from server.models import Contact, Site
from server.models.sites import MAIN


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
        said = (question.said_in(lang) for question in questions if question.speaks(lang))
        return tuple(words for words in said if words not in self.site.withheld)

    @property
    def suggestions_by_topic(self) -> list[tuple[str, tuple[str, ...]]]:
        """The same by the titles of the topics that have any."""
        lang, topics = self.texts.lang, self.site.topics
        found = [(topic.title.said_in(lang), self.suggestions(topic.name)) for topic in topics]
        return [(title, questions) for title, questions in found if questions]

    def context(self, **more: Any) -> dict[str, Any]:
        """What every template needs, and what this one needs."""
        return {"place": self, "site": self.site, "t": self.texts, **more}


class SiteContexts:
    """Knows of every request where it comes from."""

    def __init__(self, sites: SiteLookup, catalogue: Catalogue) -> None:
        self._sites = sites
        self._catalogue = catalogue

    def of(self, request: AnyRequest) -> SiteContext:
        """Where the request's address says; `NotFoundError` for a site that is none."""
        return self._on(request, known_site(self._sites, request.query_params.get("site", MAIN)))

    def near(self, request: AnyRequest) -> SiteContext:
        """The same, but for a site that is none the default one: an error needs a page to stand on."""
        return self._on(request, self._sites.get(request.query_params.get("site", MAIN)) or self._default())

    def error_page(self, request: AnyRequest, problem: Problem, whole: bool) -> Template:
        """What tells a person of a problem, in their language; to htmx a part of a page."""
        place = self.near(request)
        return Template(
            "problem.html" if whole else "_problem.html",
            context=place.context(**told(problem, place)),
            status_code=problem.status,
            headers=dict(problem.headers),
        )

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


# Which message of the visitor's language tells of which code.
_SENTENCES = {
    "too_many": "too_many",
    "busy": "busy",
    "empty_question": "problem_empty",
    "question_too_long": "problem_too_long",
    "too_large": "problem_too_large",
    "not_found": "problem_not_found",
    "unknown_site": "problem_not_found",
    "not_allowed": "problem_not_allowed",
    "origin": "problem_not_allowed",
    "on_hold": "problem_on_hold",
    "internal": "problem_internal",
}


def visitor_sentence(problem: Problem, place: SiteContext) -> str:
    """What a page says, in its language: what our side is missing is for the API and the log to tell."""
    message = _message(problem, place)
    if isinstance(message, str):
        return message
    if problem.code in ("too_many", "busy"):
        return place.texts.counted(message, seconds=problem.wait)
    return place.texts.counted(message, count=place.site.max_question_chars)


def told(problem: Problem, place: SiteContext) -> dict[str, Any]:
    """What `_problem.html` takes: the sentence, and the seconds to count down in it, if there are any."""
    says = _message(problem, place) if problem.wait else ""
    return {"message": visitor_sentence(problem, place), "wait": problem.wait, "says": says}


def _message(problem: Problem, place: SiteContext) -> str | Plural:
    other = "unavailable" if problem.status == 503 else "problem_other"
    message: str | Plural = getattr(place.texts, _SENTENCES.get(problem.code, other))
    return message

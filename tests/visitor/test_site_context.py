from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from litestar import Request
from litestar.testing import RequestFactory

from server.errors import NotAllowedError, NotFoundError
from server.http.middleware import require_origin
from server.messages.catalogue import Catalogue
from server.visitor.site_context import SiteContexts
from tests.scripted_app import site_table

PLACES = SiteContexts(site_table(), Catalogue.read())


def request(headers: dict[str, str] | None = None, **query: str) -> Request[Any, Any, Any]:
    return RequestFactory(server="ask.larkmoor.example", port=443, scheme="https").get(
        "/chat", query_params=dict(query), headers=headers
    )


def test_the_address_says_which_site_and_whether_in_the_frame() -> None:
    place = PLACES.of(request(site="library", embed="1"))
    assert (place.site.key, place.embedded) == ("library", True)
    assert place.texts.title == "Ask Finch Library"
    assert place.query == "?site=library&lang=en&embed=1"


def test_without_a_word_it_is_the_main_site() -> None:
    assert PLACES.of(request()).query == "?site=main&lang=en"


def test_a_site_that_is_none_is_an_error_which_is_told_on_the_main_site() -> None:
    with pytest.raises(NotFoundError, match="no site of that name"):
        PLACES.of(request(site="nowhere"))
    assert PLACES.near(request(site="nowhere")).site.key == "main"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://www.larkmoor.example", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://ask.larkmoor.example", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "https://behind-a-proxy.example", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "https://ask.larkmoor.example", "Host": "ask.larkmoor.example"},
    ],
)
def test_our_own_pages_and_those_of_the_site_may_ask(headers: dict[str, str]) -> None:
    asked = request(headers)
    site = PLACES.of(asked).site
    require_origin(asked, site)  # which raises where it turns somebody away
    assert site.key == "main"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://library.larkmoor.example"},
        {"Origin": "https://www.larkmoor.example.evil.example"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://ask.larkmoor.example:8000", "Host": "ask.larkmoor.example"},
    ],
)
def test_other_pages_may_not(headers: dict[str, str]) -> None:
    asked = request(headers)
    with pytest.raises(NotAllowedError, match=headers["Origin"]):
        require_origin(asked, PLACES.of(asked).site)


def test_a_suggested_question_that_is_withheld_is_not_shown_nor_a_topic_without_any() -> None:
    place = PLACES.of(request())
    [(title, [own])] = place.suggestions_by_topic
    general = place.suggestions()
    assert own not in general
    without = replace(place, site=replace(place.site, withheld=frozenset({own, "Who?"})))
    assert (without.suggestions(), without.suggestions_by_topic) == (general, [])
    [topic] = [one.name for one in place.site.topics if one.title.said_in("en") == title]
    assert without.suggestions(topic) == ()
    assert ("en", own) in without.site.suggested or ("", own) in without.site.suggested

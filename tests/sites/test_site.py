from __future__ import annotations

import re
from typing import Any

import pytest

from server.errors import BadInputError
from server.models import Contact, HelpLine, Phrase, Site
from server.sites.site import SiteDefaults, checked_origins, read_site

DEFAULTS = SiteDefaults("Example University", "https://www.example.edu/contact", 500)
REGISTRAR = {"label": "Registrar", "email": "registrar@example.edu", "phone": "(802) 555-0120"}


def site(key: str = "main", **values: Any) -> Site:
    return read_site(key, values, DEFAULTS, "sites.toml")


def test_where_a_site_says_nothing_the_defaults_hold() -> None:
    own = site()
    assert (own.key, own.name, own.contact_url) == ("main", "Example University", DEFAULTS.contact_url)
    assert (own.max_question_chars, own.strategy, own.languages, own.origins) == (500, "", (), ())


def test_everything_can_be_said() -> None:
    own = site(
        "library",
        name="Finch Library",
        origins=["https://library.example.edu", "https://library.example.edu"],
        languages=["es", "en"],
        content_language="es",
        contact_url="https://library.example.edu/help",
        strategy="hybrid+rerank",
        limits={"max_question_chars": 300},
        questions=["Open today?", {"en": "Lost a book?", "es": "¿Perdió un libro?"}],
        contacts=[REGISTRAR],
        topics={"loans": {"title": "Loans", "questions": ["How long?"], "contacts": [REGISTRAR]}},
        help_lines=[{"label": "Crisis line", "phone": "988", "says": {"en": "You are not alone."}}],
    )
    assert (own.name, own.origins) == ("Finch Library", ("https://library.example.edu",))
    assert (own.languages, own.content_language) == (("es", "en"), "es")
    assert (own.strategy, own.max_question_chars) == ("hybrid+rerank", 300)
    assert [question.said_in("es") for question in own.questions] == ["Open today?", "¿Perdió un libro?"]
    contact = Contact(Phrase((("", "Registrar"),)), "registrar@example.edu", "(802) 555-0120")
    assert own.contacts == (contact,)
    loans = own.topic("loans")
    assert loans is not None
    assert (loans.title.said_in("en"), loans.contacts) == ("Loans", (contact,))
    assert own.topic("aid") is None
    assert own.help_lines == (
        HelpLine(Phrase((("", "Crisis line"),)), Phrase((("en", "You are not alone."),)), "988"),
    )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"nmae": "U"}, "it has 'nmae'; it takes: "),
        ({"languages": ["english"]}, "languages has 'english'; it takes languages such as en and es."),
        ({"strategy": "best"}, "strategy is 'best'; it takes one of: semantic, "),
        (
            {"limits": {"max_question_chars": 501}},
            "limits.max_question_chars is 501; it takes a whole number from 1 to 500.",
        ),
        ({"contacts": [{"phone": "1234"}]}, "contacts[1].label is missing; it says whom one asks."),
        ({"contacts": [{"label": "R"}]}, "contacts[1] takes at least one of: email, phone, url."),
        ({"contacts": [{"label": "R", "email": "R"}]}, "contacts[1].email is 'R'; it takes an address"),
        ({"contacts": [{"label": "R", "phone": "call us"}]}, "contacts[1].phone is 'call us'; it takes"),
        ({"topics": {"aid": {}}}, "topics.aid.title is missing; it is what visitors read."),
        ({"help_lines": [{"phone": "988"}]}, "help_lines[1].label is missing; it says who helps."),
        ({"help_lines": [{"label": "x"}]}, "help_lines[1] takes at least one of: phone, url."),
        ({"theme": {"colour": "#ffffff"}}, "theme.colour is #ffffff, whose contrast with #ffffff is 1.00"),
    ],
)
def test_a_fault_names_file_site_and_key(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError, match=re.escape(f"sites.toml, site main: {sentence}")):
        site(**values)


@pytest.mark.parametrize("key", ["Main", "a b", "../x", "", "x" * 41])
def test_a_sites_name_goes_into_addresses(key: str) -> None:
    with pytest.raises(BadInputError, match="at most 40 small letters, digits and hyphens"):
        site(key)


@pytest.mark.parametrize(
    "origin", ["https://a.example", "http://127.0.0.1:8000", "https://a-b.c.example:8443"]
)
def test_exact_origins_are_taken(origin: str) -> None:
    assert checked_origins([origin], "x") == (origin,)


@pytest.mark.parametrize(
    "wrong", ["*", "https://*.example", "https://A.example", "a.example", "https://a/;x", "'self'"]
)
def test_anything_that_would_let_in_more_is_refused(wrong: str) -> None:
    with pytest.raises(BadInputError, match="is not an origin"):
        site(origins=[wrong])


def test_pages_are_rendered_below_the_paths_that_a_site_names() -> None:
    defaults = SiteDefaults("Example University")
    assert read_site("main", {"render": ["/apply/"]}, defaults, "sites.toml").render == ("/apply/",)
    with pytest.raises(BadInputError, match="render has 'apply'"):
        read_site("main", {"render": ["apply"]}, defaults, "sites.toml")

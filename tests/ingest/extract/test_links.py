import pytest

from server.ingest.extract.extract import extract
from server.models import Document, SourcePage

URL = "https://www.brackwater.example/fees/"
PROSE = "<p>Fees are due on the first day of the term, and the bursar takes cards and cheques.</p>"


def page(body: str, head: str = "<title>Fees</title>") -> Document:
    return extract(
        SourcePage(URL, f"<html><head>{head}</head><body>{body}<main>{PROSE}</main></body></html>")
    )


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ('<a href="/library/hours">Library <b>hours</b></a>', ("/library/hours", "Library hours")),
        ('<a href="plans#when">Plans »</a>', ("/fees/plans", "Plans")),
        ('<a href="../aid/?utm_source=x">Aid</a>', ("/aid/", "Aid")),
        ('<a href="/a//b/%7ex">X y</a>', ("/a/b/~x", "X y")),
        ('<a href="/map"><img src="m.png" alt="Campus map"></a>', ("/map", "Campus map")),
        ('<a href="/cart" aria-label="Your basket"><svg></svg></a>', ("/cart", "Your basket")),
        ('<a href="/rss" title="News feed"><i></i></a>', ("/rss", "News feed")),
        ('<map><area href="/hall" alt="Quarry Hall"></map>', ("/hall", "Quarry Hall")),
        ('<a href="/post"><h3>Ferry races</h3>' + "<p>Long. </p>" * 40 + "</a>", ("/post", "Ferry races")),
    ],
)
def test_a_link_is_its_address_and_what_it_shows(link: str, expected: tuple[str, str]) -> None:
    path, text = expected
    assert page(link).links == ((f"https://www.brackwater.example{path}", text),)


@pytest.mark.parametrize(
    "link",
    [
        '<a href="#top">Top of the page</a>',
        f'<a href="{URL}#part">This part</a>',
        '<a href="mailto:a@brackwater.example">Write</a>',
        '<a href="javascript:open()">Open</a>',
        '<a href="/x">»</a>',
        '<a href="/x"></a>',
        "<a>Nowhere</a>",
        '<a href="http://[broken/">Broken</a>',
        f'<a href="/long">{"word " * 60}</a>',
    ],
)
def test_what_leads_nowhere_else_or_says_nothing_is_no_link(link: str) -> None:
    assert page(link).links == ()


def test_links_of_menus_are_seen_though_their_text_is_not_the_pages() -> None:
    found = page('<nav><a href="/apply">Apply</a></nav>')
    assert found.links == (("https://www.brackwater.example/apply", "Apply"),)
    assert "Apply" not in found.text


def test_addresses_are_resolved_by_the_pages_base() -> None:
    found = page('<a href="b">B c</a>', '<base href="/docs/"><title>Fees</title>')
    assert found.links == (("https://www.brackwater.example/docs/b", "B c"),)


@pytest.mark.parametrize("base", ["//[", "ftp://files.example/", "http://[::1/"])
def test_a_base_that_is_none_is_left_aside(base: str) -> None:
    found = page('<a href="/b">B c</a>', f'<base href="{base}"><title>Fees</title>')
    assert found.links == (("https://www.brackwater.example/b", "B c"),)


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ('<meta name="description" content="What a term  costs.">', "What a term costs."),
        ('<meta property="og:description" content="What a term costs.">', "What a term costs."),
        ('<meta name="keywords" content="tuition, bursar">', "tuition, bursar"),
        (
            '<meta name="description" content="Costs."><meta name="keywords" content="bill">',
            "Costs. · bill",
        ),
        ('<meta name="description" content="Fees">', ""),
        ('<meta name="description" content="Fees are due on the first day of the term">', ""),
        ("", ""),
    ],
)
def test_a_description_says_more_than_the_title_and_the_beginning(meta: str, expected: str) -> None:
    assert page("", f"<title>Fees</title>{meta}").description == expected


def test_the_sites_name_and_the_whole_title_are_kept_for_the_site() -> None:
    found = page("", '<title>Fees | Brackwater</title><meta property="og:site_name" content="Brackwater">')
    assert (found.title, found.head_title, found.site_name) == ("Fees", "Fees | Brackwater", "Brackwater")

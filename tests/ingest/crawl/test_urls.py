"""One spelling a URL, and what belongs to a crawl."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ingest.crawl.urls import CrawlScope, host_and_port, is_no_page, normalise, same_but_www, site_of


@pytest.mark.parametrize(
    ("url", "spelling"),
    [
        ("HTTP://WWW.Example.EDU", "http://www.example.edu/"),
        ("http://h:80/a#part", "http://h/a"),
        ("https://h:443/", "https://h/"),
        ("https://h:8443/", "https://h:8443/"),
        ("http://h/a/../b/./c/..", "http://h/b/"),
        ("http://h/../../a", "http://h/a"),
        ("http://h/a//b///", "http://h/a/b/"),
        ("http://h//", "http://h/"),
        ("http://h/to/http://x.example//y", "http://h/to/http://x.example/y"),
        ("http://h/%e2%80%99?q=%c3%a9", "http://h/%E2%80%99?q=%C3%A9"),
        ("http://h/%7ejoe/%41?q=%2d", "http://h/~joe/A?q=-"),
        ("http://h/a%2fb%252f", "http://h/a%2Fb%252f"),
        ("http://h/a/%2e%2e/b", "http://h/b"),
        ("http://h/a b?q=é", "http://h/a%20b?q=%C3%A9"),
        ("http://h/?utm_source=x&id=1&fbclid=2", "http://h/?id=1"),
        ("http://h/p;jsessionid=AB12?PHPSESSID=9", "http://h/p"),
        ("http://user:secret@h/", "http://h/"),
        ("http://h./", "http://h/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://[::1]:8000/", "http://[::1]:8000/"),
    ],
)
def test_one_spelling(url: str, spelling: str) -> None:
    assert normalise(url) == spelling


@pytest.mark.parametrize(
    "url", ["", "mailto:a@h", "javascript:void(0)", "http://", "http://h:99999/", "http://[x/"]
)
def test_what_is_no_web_address(url: str) -> None:
    assert normalise(url) is None


def test_an_index_page_is_not_taken_for_its_folder() -> None:
    assert normalise("http://h/a/index.html") != normalise("http://h/a/")


def test_links_are_relative_to_their_base() -> None:
    assert normalise("../x?y=1", "http://h/a/b/") == "http://h/a/x?y=1"
    assert normalise("//other/x", "https://h/") == "https://other/x"


@given(st.text(max_size=40))
def test_any_text_is_a_steady_spelling_or_nothing(text: str) -> None:
    once = normalise(text, "http://h/a/b")
    assert once is None or normalise(once) == once


def test_sites_and_ports() -> None:
    assert site_of("http://h:8090/x") == "h:8090"
    assert host_and_port("https://h/") == ("h", 443)
    assert same_but_www("www.h", "h")
    assert not same_but_www("a.h", "h")


@pytest.mark.parametrize("url", ["http://²../", "http://./", "http://...", "http://ä..b/"])
def test_a_host_that_has_no_spelling_is_none(url: str) -> None:
    assert normalise(url) is None


PARTS = st.sampled_from(
    [
        "http://",
        "//",
        "[::1",
        "]",
        ".",
        "..",
        "/",
        "?",
        "#",
        ":",
        "²",
        "ä",
        "%zz",
        "%ff",
        "@",
        "xn--a",
        "utm_a=1",
    ]
) | st.text(max_size=5)


@given(st.lists(PARTS, max_size=8).map("".join), st.sampled_from(["utf-8", "euc-kr", "hz", "utf-7"]))
def test_no_url_is_an_error_and_its_spelling_stays(url: str, encoding: str) -> None:
    for spelled in (normalise(url, "http://h/a", encoding), normalise("http://" + url, None, encoding)):
        assert spelled is None or (normalise(spelled) == spelled and host_and_port(spelled)[0])


def test_endings_that_are_no_page() -> None:
    assert is_no_page("http://h/photo.JPG?size=1")
    assert not any(is_no_page(f"http://h/handbook.{ending}") for ending in ("pdf", "docx", "pptx"))
    assert is_no_page("http://h/handbook.doc")
    assert not is_no_page("http://h/a?file=photo.jpg")


def test_scope_is_by_path_or_by_url() -> None:
    assert CrawlScope().covers("http://h/x")
    assert CrawlScope(("/a/",)).covers("http://h/a/b")
    assert not CrawlScope(("/a/",)).covers("http://h/b/a/")
    assert CrawlScope(("http://h/c",)).covers("http://h/cd")

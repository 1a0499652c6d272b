"""What is read in a page."""

from __future__ import annotations

from encodings.aliases import aliases
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ingest.crawl.parse import MAX_LINKS, read_facts, robots_words
from server.ingest.extract.charset import MOST_TAGS

URL = "http://h/a/page"
CHARSETS = sorted({*aliases, *aliases.values()})


def test_links_of_every_kind_once_and_in_order() -> None:
    body = b"""<a href="x">1</a><a href="x#top">2</a><area href="/y"><iframe src="z"></iframe>
        <link rel="next" href="p2"><link rel="stylesheet" href="s.css"><a href="mailto:a@h">3</a>
        <meta http-equiv="refresh" content="0; url='moved'">"""
    names = ("a/x", "y", "a/z", "a/p2", "a/moved")
    assert sorted(read_facts(body, URL).links) == sorted(f"http://h/{name}" for name in names)


def test_a_base_moves_relative_links() -> None:
    assert read_facts(b'<base href="/b/"><a href="x">', URL).links == ("http://h/b/x",)


def test_rel_nofollow_is_kept_apart_unless_the_link_is_also_followed() -> None:
    facts = read_facts(b'<a rel="nofollow" href="x"></a><a rel=nofollow href="y"></a><a href="y"></a>', URL)
    assert facts.links == ("http://h/a/y",)
    assert facts.unfollowed == ("http://h/a/x",)


def test_canonical_and_robots() -> None:
    facts = read_facts(
        b'<link rel="canonical" href="/c?utm_source=x"><meta name="Robots" content="NOINDEX">', URL
    )
    assert facts.canonical == "http://h/c"
    assert facts.robots == {"noindex"}


def test_a_robots_meta_for_us_counts_and_for_another_does_not() -> None:
    body = b'<meta name="lodgebot" content="nofollow"><meta name="googlebot" content="noindex">'
    assert read_facts(body, URL, agent="LodgeBot").robots == {"nofollow"}


def test_a_comment_without_an_end_does_not_hide_the_rest_of_the_page() -> None:
    body = b'<!-- closed --><a href="x">x</a><!-- a comment of 1996><a href="y">y</a>'
    assert read_facts(body, URL).links == ("http://h/a/x", "http://h/a/y")


def test_links_in_comments_are_not_followed() -> None:
    assert read_facts(b'<!-- <a href="x">x</a> --><p>text', URL).links == ()


def test_the_menu_of_a_frameset_is_read() -> None:
    body = b'<frameset><frame src="top"><noframes><a href="menu">m</a></noframes></frameset>'
    assert read_facts(body, URL).links == ("http://h/a/top", "http://h/a/menu")


def test_scripts_are_no_text() -> None:
    assert read_facts(b"<p>a</p><script>1+b</script>", URL).text_key == read_facts(b"<p>a</p>", URL).text_key


@pytest.mark.parametrize("body", [b"", b"   ", b"\0\0", b"<!-- ", b"\xff\xfe\xfa", b"<" * 5000])
def test_no_body_is_too_odd(body: bytes) -> None:
    assert read_facts(body, URL).links == ()


def test_a_charset_that_does_not_exist_is_passed_over() -> None:
    assert read_facts(b'<a href="x">', URL, charset="no-such-thing").links == ("http://h/a/x",)


def test_words_of_an_x_robots_tag() -> None:
    assert robots_words("noindex, nofollow") == {"noindex", "nofollow"}
    assert {"noindex", "nofollow"} <= robots_words("none")
    assert robots_words("otherbot: noindex, nofollow", "LodgeBot") == frozenset()
    assert robots_words("lodgebot: noindex", "LodgeBot") == {"noindex"}


def test_frames_within_frames_are_read_once() -> None:
    """Each would otherwise be parsed anew with all that is in it: gigabytes for a page of three megabytes."""
    menu = "<noframes>" * 5_000 + "<a href=/menu>menu</a>"
    assert read_facts(menu.encode(), "http://a.example/").links == ("http://a.example/menu",)


def test_links_are_taken_up_to_a_number_and_the_page_says_so() -> None:
    links = b"".join(b"<a href=/%d>" % number for number in range(MAX_LINKS))
    assert read_facts(links, URL).cut is None
    facts = read_facts(links + b"<a href=/last>", URL)
    assert (len(facts.links), facts.cut) == (MAX_LINKS, "links")


def test_tags_are_read_up_to_a_number_and_the_page_says_so() -> None:
    facts = read_facts(b"<a href=/first>" + b"<b>a" * MOST_TAGS + b"<a href=/last>", URL)
    assert (facts.links, facts.cut) == (("http://h/first",), "tags")


@pytest.mark.parametrize("charset", ["utf-7", "base64", "zlib", "idna", "\0", "x" * 5_000])
def test_a_charset_that_is_none_hides_no_link(charset: str) -> None:
    assert read_facts(b"<a href=/next>next</a>" * 10, URL, charset).links == ("http://h/next",)


@pytest.mark.parametrize("charset", ["utf-16", "cp037"])
def test_in_a_charset_with_other_bytes_for_markup_there_is_no_link(charset: str) -> None:
    assert read_facts(b"<a href=/next>next</a>" * 10, URL, charset).links == ()


@pytest.mark.parametrize("charset", CHARSETS)
def test_every_charset_of_python_may_be_claimed_by_header_and_document(charset: str) -> None:
    markup = f'<meta charset="{charset}"><p>\xe4 <a href="/next?q=\xe4">next</a>'.encode("latin-1")
    for claimed in (charset, charset.upper().replace("_", "-"), None):
        links = read_facts(markup, URL, claimed).links
        assert all(link.startswith("http://h/next?q=%") for link in links)


@pytest.mark.parametrize(
    "charset", ["euc-kr", "EUC-JP", "iso-2022-jp", "macintosh", "cp437", "shift_jisx0213", "utf-16", "big5"]
)
def test_a_link_is_found_in_any_charset_and_goes_by_its_letters(charset: str) -> None:
    """lxml has not all of Python's charsets, and others by another name."""
    body = '<p>text <a href="/next">next</a>'.encode(charset)
    facts = read_facts(body, URL, charset)
    assert facts.links == ("http://h/next",)
    assert facts.text_hash == read_facts(b'<p>text <a href="/next">next</a>', URL).text_hash


def test_the_query_of_a_link_is_in_the_charset_of_its_page() -> None:
    """As browsers send it; in UTF-8 from a page in UTF-16."""
    markup = '<a href="/find?q=한">'
    assert read_facts(markup.encode("euc-kr"), URL, "euc-kr").links == ("http://h/find?q=%C7%D1",)
    assert read_facts(markup.encode("utf-16"), URL, "euc-kr").links == ("http://h/find?q=%ED%95%9C",)


@given(st.binary(), st.sampled_from(CHARSETS) | st.text(max_size=20))
def test_no_bytes_in_any_charset_are_an_error(body: bytes, charset: str) -> None:
    for facts in (
        read_facts(b"<a href=/next>" + body, URL, charset),
        read_facts(f'<meta charset="{charset}">'.encode("utf-8", "replace") + body, URL),
    ):
        assert all(urlsplit(link).scheme in ("http", "https") for link in facts.links)

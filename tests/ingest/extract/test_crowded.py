from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ingest.crawl.parse import read_facts
from server.ingest.extract.charset import MOST_ATTRIBUTES, without_crowds, without_crowds_in_bytes
from server.ingest.extract.extract import extract
from server.models import SourcePage

CROWD = " ".join(f"a{number}=1" for number in range(100_000))  # libxml2 takes minutes for these
WORDS = "<p>The library is open from eight to midnight, and that is all there is to say of it.</p>"
LINK = "<a href=/next>next</a>"


@pytest.mark.parametrize(
    "opening", ["<p ", "<p x'y'z=\">\" ", '<p b"=c d=">" ', "<p\n/", "<P\x0c", "<p a=<b "]
)
def test_a_tag_with_a_crowd_of_attributes_has_none(opening: str) -> None:
    page = f"<html><body>{opening}{CROWD}>{WORDS}{LINK}"
    assert len(without_crowds(page)) < 300
    source = SourcePage(url="http://a.example/", body=page.encode(), content_type="text/html")
    assert "open from eight to midnight" in extract(source).text
    assert read_facts(page.encode(), "http://a.example/").links == ("http://a.example/next",)
    assert read_facts(page.encode("utf-16"), "http://a.example/", "utf-16").links == (
        "http://a.example/next",
    )


def test_all_other_tags_stay_as_they_are() -> None:
    many = " ".join(f"a{number}='{number} > 2'" for number in range(MOST_ATTRIBUTES))
    for tag in (
        f"<p {many}>",
        f"<img src='data:{'A ' * 5_000}'>",
        "<a b=1 b=2>",
        "<",
        "<a 'x",
        "a < b and c > d",
    ):
        assert without_crowds(tag) == tag


@given(st.lists(st.sampled_from(["<a", " ", "=", "'", '"', ">", "/", "<", "x", "é", "\n", CROWD[:6_000]])))
def test_bytes_and_text_are_told_apart_in_nothing_else(parts: list[str]) -> None:
    text = "".join(parts)
    assert without_crowds_in_bytes(text.encode()) == without_crowds(text).encode()
    assert without_crowds(without_crowds(text)) == without_crowds(text)

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.llm.sse import EventReader


def read(*blocks: bytes) -> list[str]:
    reader = EventReader()
    return [data for block in blocks for data in reader.feed(block)]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        ("data: one\n\ndata: two\n\n", ["one", "two"]),
        ("data:one\r\n\r\ndata:  two\r\r", ["one", " two"]),
        ("data: one\ndata: two\n\n", ["one\ntwo"]),
        (": ping\n\nevent: token\nid: 7\ndata: one\nretry: 3\n\n", ["one"]),
        ("data\n\n", [""]),
        ("\n\n\n", []),
        ("data: not yet", []),
        ("data: not yet\n", []),
        ("garbage without a colon\n\n", []),
    ],
)
def test_events_are_read_as_the_standard_says(stream: str, events: list[str]) -> None:
    assert read(stream.encode()) == events


def test_bytes_that_are_no_text_become_replacement_characters() -> None:
    assert read(b"data: \xff\xfe\n\n") == ["\ufffd\ufffd"]


@given(
    st.lists(st.text(st.characters(blacklist_characters="\r\n", blacklist_categories=["Cs"])), max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.lists(st.integers(0, 200), max_size=8),
)
def test_where_blocks_end_makes_no_difference(texts: list[str], end: str, cuts: list[int]) -> None:
    raw = "".join(f"data: {text}{end}{end}" for text in texts).encode()
    edges = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    assert read(*(raw[a:b] for a, b in pairwise(edges))) == texts

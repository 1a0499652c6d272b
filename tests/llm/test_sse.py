from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.llm.wire import EventReader


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
        ("\ufeffdata: one\n\n\ufeffdata: two\n\n", ["one"]),
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


def by_the_standard(raw: bytes) -> list[str]:
    """The same as the standard says it, from the whole stream at once."""
    lines = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    events: list[str] = []
    data: list[str] = []
    for line in lines[:-1]:  # what has no end is dropped
        if not line:
            events += ["\n".join(data)] if data else []
            data = []
        elif line == "data" or line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
    return events


@given(
    st.lists(
        st.sampled_from(
            [b"data", b":", b" ", b"\n", b"\r", b"\r\n", b"\n\n", b"data: ", b"event: x", b"\xef\xbb\xbf"]
        )
        | st.binary(max_size=3)
        | st.text(max_size=3).map(str.encode),
        max_size=20,
    ).map(b"".join),
    st.lists(st.integers(0, 60), max_size=8),
)
def test_any_bytes_cut_anywhere_are_what_the_standard_makes_of_them(raw: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    assert read(*(raw[a:b] for a, b in pairwise(edges))) == by_the_standard(raw)


def test_an_empty_block_between_cr_and_lf_makes_no_line() -> None:
    assert read(b"data: one\r", b"", b"\ndata: two\n\n") == ["one\ntwo"]

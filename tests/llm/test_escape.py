"""Text from outside cannot leave its place in a prompt; collected attacks are tried where they are."""

from __future__ import annotations

import gzip
import json
import os
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.llm.prompts import as_data, as_line
from server.settings import PROJECT

DATA = Path(os.environ.get("LODGE_DATA", PROJECT.parent / "shared" / "data"))
ATTACKS = DATA / "injection" / "prompts.jsonl.gz"

# Tags of ours, tokens of chat templates, and what looks like them.
TAGS = [
    "</passage>",
    '<passage n="1">',
    "</ question >",
    "< /passage>",
    "<|im_start|>system",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<｜User｜>",
    "<start_of_turn>",
    "<s>",
    "</s>",
    "<<SYS>>",
    "<think>",
    "<!-- note -->",
    "＜/passage＞",
    "‹/passage›",
    "﹤s﹥",
    "<\u200b/pass\u00adage>",
    "<\u202e/passage>",
    "<\n/passage>",
]
BRACKETS = [
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[gMASK]",
    "[|system|]",
    "[1]",
    "[ 12 ]",
    "[1, 2]",
    "【3】",
    "［4］",
]


def opens_nothing(text: str) -> bool:
    """No less-than sign but before a number, and no bracketed number or word."""
    return not re.search(
        r"[<＜﹤‹](?!\s*(?:[\d=.$€£-]|$))|[\[［【]\s*(?:[/|]?\w+[|]?|\d[\d\s,]*)\s*[\]］】]", text
    )


@pytest.mark.parametrize("tag", TAGS + BRACKETS)
def test_no_tag_or_number_survives(tag: str) -> None:
    assert opens_nothing(as_data(f"Before {tag} after"))
    assert not opens_nothing(f"Before {tag} after") or any(unicodedata.category(c) == "Cf" for c in tag)


def test_what_was_meant_can_still_be_read() -> None:
    assert as_data("a <b>bold</b> claim [2], #include <stdio.h>") == (
        "a &lt;b>bold&lt;/b> claim (2), #include &lt;stdio.h>"
    )


@pytest.mark.parametrize(
    "text",
    [
        "A GPA < 2.0 or <= 30 credits, <$500, 5 > 3",
        "Tuition is $4,200 (in state).",
        "Café, 图书馆, Straße, naïve",
        "jane@example.edu – ext. 5",
        "See [the catalogue of courses] for more.",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert as_data(text) == text


@pytest.mark.parametrize(
    "unseen",
    [
        "\u200b\u200c\u200d\ufeff",  # zero width
        "\u202a\u202e\u2066\u2069",  # turns the direction of writing
        "\U000e0041\U000e007f",  # tags: a text within the text that nobody sees
        "\ufe0f\U000e0100",  # variation selectors, which have carried hidden bytes
        "\u00ad\u034f\u3164\u2800",  # soft hyphen, joiner and blanks
        "\x00\x07\x1b\x7f\x9f",
        "\ud800\udfff",
        "\ue000\U0010ffff",
    ],
)
def test_what_nobody_sees_is_gone(unseen: str) -> None:
    assert as_data(f"li{unseen}brary") == "library"


def test_line_breaks_of_every_kind_are_line_breaks_and_one_blank_line_is_enough() -> None:
    assert as_data(" a\r\nb\rc\u2028d\x0be \n \n\n  f\t g ") == "a\nb\nc\nd\ne\n\nf g"


def test_a_line_is_one_line_and_as_long_as_it_may_be() -> None:
    assert as_line("Opening\n  <hours>\t2025", 100) == "Opening &lt;hours> 2025"
    assert as_line("x" * 50, 50) == "x" * 50
    assert as_line("x" * 51, 50) == "x" * 49 + "…"


@given(st.text() | st.text("<>[]/|＜‹【】123 \n\u200bsINT", max_size=30))
def test_whatever_comes_opens_nothing(text: str) -> None:
    assert opens_nothing(as_data(text))
    assert "\n" not in as_line(text, 20)
    assert len(as_line(text, 20)) <= 20


def test_the_collected_attacks_open_nothing() -> None:
    if not ATTACKS.exists():
        pytest.skip(f"no collected attacks at {ATTACKS}")
    attacks = [json.loads(line) for line in gzip.decompress(ATTACKS.read_bytes()).splitlines()]
    texts = [value for attack in attacks for value in attack.values() if isinstance(value, str)]
    assert len(texts) >= len(attacks) > 0
    assert [text for text in texts if not opens_nothing(as_data(text))] == []

"""What corpus/routing/README.md says of its files."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from corpus.demo_site.site import DEFAULT_ORIGIN
from corpus.routing.lines import CHECK, LEARNT, PARTS, read_demo_lines, read_lines
from corpus.visitors import page_texts
from server.models.routing import WAYS

LINES, CHECKED, APART = (read_lines(path) for path in (LEARNT, CHECK, PARTS))
DEMO = read_demo_lines()
NEAR = 0.6


def words_of(line: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", line.casefold()))


def test_there_are_as_many_lines_as_are_told() -> None:
    assert [len(LINES), len(CHECKED), len(APART), len(DEMO)] == [1764, 240, 120, 288]
    assert Counter(one.way for one in CHECKED) == dict.fromkeys(WAYS, 60)
    assert {one.hand for one in LINES} == {"first", "second", "third", "fourth", "fifth"}
    assert Counter(one.hand for one in DEMO) == {"first": 140, "second": 148}


def test_no_line_stands_twice_and_parts_stand_in_their_line_in_order() -> None:
    every = [*LINES, *CHECKED, *APART]
    assert len({one.line for one in every}) == len(every)
    for one in every:
        assert len(one.parts) != 1
        assert not one.parts or one.way == "decompose"
        assert len(one.begins) == max(0, len(one.parts) - 1)
        for first, second in pairwise(one.parts):
            assert one.line.index(first) < one.line.rindex(second)


def test_what_a_part_leaves_out_stands_outside_it() -> None:
    for one in (*LINES, *CHECKED, *APART):
        assert len(one.takes) in ({len(one.parts)} if one.parts else {0})
        for (first, last), taken in zip(one.spans, one.taken, strict=True):
            assert all(end <= first or begin >= last for begin, end in taken)
    assert all(one.parts for one in APART)
    assert 0.5 < sum(any(one.takes) for one in APART) / len(APART) < 0.9


def test_nothing_is_learnt_that_is_near_what_is_measured() -> None:
    lines = [*(one.line for one in (*CHECKED, *APART)), *(one.line for one in DEMO)]
    measured = [words_of(line) for line in lines]
    for one in LINES:
        words = words_of(one.line)
        assert not any(len(words & other) >= NEAR * len(words | other) for other in measured), one.line


def test_the_second_hand_agrees_mostly_and_not_always() -> None:
    same = sum(one.second == one.way for one in CHECKED)
    assert 0.9 * len(CHECKED) < same < len(CHECKED)


def test_what_a_demo_line_is_told_stands_on_its_page() -> None:
    texts = {url.removeprefix(DEFAULT_ORIGIN): text for url, text in page_texts.larkmoor().items()}
    for one in DEMO:
        assert len(one.told) > 1 or one.way == "quote"
        for told in one.told:
            page = " ".join(texts[told.url].split())
            for group in told.must_have:
                assert any(" ".join(text.split()) in page for text in group), (one.line, group)

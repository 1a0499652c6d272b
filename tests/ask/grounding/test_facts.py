from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.source import facts_of


def read(text: str) -> list[tuple[str, str]]:
    return [(fact.kind, fact.text) for fact in facts_of(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Dr. Fatima Ali sees students in Birch Hall 22 on Mondays from 1 to 4 p.m.",
            [
                ("name", "Fatima Ali"),
                ("code", "Birch Hall 22"),
                ("weekday", "Mondays"),
                ("time", "1"),
                ("time", "4 p.m."),
            ],
        ),
        (
            "Pay the $250 deposit by March 1, 2027, or call (802) 555-0110.",
            [("money", "$250"), ("date", "March 1, 2027"), ("phone", "(802) 555-0110")],
        ),
        (
            "CSC 203 has four credits in fall 2026 (2026–27).",
            [("code", "CSC 203"), ("number", "four"), ("term", "fall 2026"), ("year", "2026–27")],
        ),
        (
            "Write to a.b@u.example or see https://u.example/x.",
            [("e-mail", "a.b@u.example"), ("url", "https://u.example/x")],
        ),
        (
            "In May, 54% of them pass on the first try.",
            [("date", "May"), ("number", "54%"), ("number", "first")],
        ),
        (
            "Spring break runs from March 15 to March 19.",
            [("term", "Spring"), ("date", "March 15"), ("date", "March 19")],
        ),
        ("You may bring a bag.", []),
        ("", []),
    ],
)
def test_each_fact_is_read_once_and_by_the_kind_that_knows_it(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert read(text) == expected


@settings(deadline=None)
@given(st.text("aAB .,:/$%@-–0123456789mpMayJune()", max_size=60))
def test_facts_are_in_order_and_apart(text: str) -> None:
    facts = facts_of(text)
    assert facts == sorted(facts, key=lambda fact: fact.start)
    for one, other in pairwise(facts):
        assert one.end <= other.start
    for fact in facts:
        assert fact.text == text[fact.start : fact.end].strip()

"""What is masked in a visitor's words, and what is left."""

from __future__ import annotations

import re
import time

import pytest

from server.masking import PATTERNS, Masker, Pattern, in_every_text, without_masks


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("write to ana.b+x@mail.example.edu.", "write to [e-mail 1]."),
        ("(ana@example.edu)", "([e-mail 1])"),
        ("call (802) 555-0110 or 802.555.0199", "call [phone 1] or [phone 2]"),
        ("call +44 20 7946 0958, please", "call [phone 1], please"),
        ("my number is 555-0110", "my number is [phone 1]"),
        ("my number is 8025550110", "my number is [phone 1]"),
        ("student 00123456 here", "student [phone 1] here"),
        ("id B00123456", "id [number 1]"),
        ("id 483920.", "id [number 1]."),
        ("card 4111 1111 1111 1111 was charged", "card [number 1] was charged"),
        ("ssn 123-45-6789", "ssn [phone 1]"),
    ],
)
def test_addresses_and_numbers_of_people_are_masked(text: str, masked: str) -> None:
    assert Masker().masked(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "is 2026-03-01 the deadline? or 3/15/2026? or 01.04.2026?",
        "fall 2026 and spring 2027, or 2026-27 2027-28",
        "from 2026-03-01 - 2026-03-05",
        "CSC 203 in room 1104, from 9:00 to 17:30",
        "tuition is $12,500 or 12.500,00",
        "@handle and a @ b",
        "zip 14420",
        "10-12 weeks, 3-4 credits",
        "",
    ],
)
def test_dates_prices_and_course_numbers_are_left(text: str) -> None:
    assert Masker().masked(text) == text


def test_the_same_thing_has_the_same_mask_throughout_a_conversation() -> None:
    masker = Masker()
    assert masker.masked("I am ana@example.edu") == "I am [e-mail 1]"
    assert masker.masked("bob@example.edu, not ana@example.edu") == "[e-mail 2], not [e-mail 1]"


def test_an_answer_that_repeats_the_visitor_is_masked_and_the_sites_own_contacts_are_not() -> None:
    masker = Masker()
    masker.masked("I am ana@example.edu")
    answer = {"answer": "Dear ana@example.edu, call (802) 555-0100.", "citations": [{"n": 1}], "x": None}
    assert in_every_text(masker.echoed, answer) == {
        "answer": "Dear [e-mail 1], call (802) 555-0100.",
        "citations": [{"n": 1}],
        "x": None,
    }


def test_another_kind_is_another_row() -> None:
    own = Pattern("national number", re.compile(r"\b\d{6}[A-Z]\b"))
    assert Masker((own, *PATTERNS)).masked("123456A 483920") == "[national number 1] [number 1]"


def test_masks_can_be_left_out() -> None:
    assert without_masks(Masker().masked("I am ana@example.edu, 555-0110!")) == "I am  ,  !"


@pytest.mark.parametrize("piece", ["a", "1", "1 ", "a.", "a@", "(1", "2026-", "1-", "a@b."])
def test_no_text_takes_long(piece: str) -> None:
    """A far bound against a pattern that backtracks without end."""
    begun = time.perf_counter()
    Masker().masked(piece * (20_000 // len(piece)))
    assert time.perf_counter() - begun < 2

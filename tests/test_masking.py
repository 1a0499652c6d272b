"""What is masked in a visitor's words, and what is left."""

from __future__ import annotations

import re
import time

import pytest

from scripts.measure_masking import Sentence, sentences, tally_of
from server.masking import PATTERNS, Masker, Pattern, checks, in_every_text, without_masks


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("write to ana.b+x@mail.example.edu.", "write to [e-mail 1]."),
        ("(ana@example.edu)", "([e-mail 1])"),
        ("call (802) 555-0110 or 802.555.0199", "call [phone 1] or [phone 2]"),
        ("call +44 20 7946 0958, please", "call [phone 1], please"),
        ("my number is 555-0110", "my number is [phone 1]"),
        ("my number is 8025550110", "my number is [phone 1]"),
        ("student 00123456 here", "student [student number 1] here"),
        ("id B00123456", "id [student number 1]"),
        ("id 483920.", "id [student number 1]."),
        ("card 4111 1111 1111 1111 was charged", "card [card number 1] was charged"),
        ("ssn 123-45-6789", "ssn [national number 1]"),
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


@pytest.mark.parametrize(
    "text",
    [
        "is 802-555-0100 the registrar's number?",
        "I called 802-555-0100 and nobody answered",
        "do you read admissions@example.edu",
        "Is the office at 350 New Campus Drive?",
        "isbn 9780262033848, ISBN 0-262-03384-4",
        "FAFSA code 003696, SAT 1200-1400, 1340/1600, BIO 201/202/203",
        "ZIP 14420-2915, grant 2024567890, January 15 2027 2 pm",
    ],
)
def test_what_is_the_sites_own_is_left(text: str) -> None:
    assert Masker().masked(text) == text


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (checks.is_card, "4111 1111 1111 1111", "4111 1111 1111 1112"),
        (checks.is_card, "378282246310005", "9780134685991"),
        (checks.is_ssn, "987-65-4321", "000-65-4321"),
        (checks.is_dni, "12345678Z", "12345678A"),
        (checks.is_dni, "X1234567L", "X1234567A"),
        (checks.is_cpf, "529.982.247-25", "529.982.247-26"),
        (checks.is_aadhaar, "2341 2341 2346", "2341 2341 2345"),
        (checks.is_codice_fiscale, "RSSMRA85T10A562S", "RSSMRA85T10A562A"),
        (checks.is_steuer_id, "86095742719", "86095742718"),
        (checks.is_pesel, "44051401359", "44051401358"),
        (checks.luhn, "046 454 286", "046 454 287"),
    ],
)
def test_a_check_digit_tells_a_number_from_what_looks_like_one(
    check: checks.Check, good: str, bad: str
) -> None:
    assert check(good)
    assert not check(bad)


@pytest.mark.parametrize(("half", "recall", "precision"), [("tune", 0.98, 0.96), ("measure", 0.95, 0.95)])
def test_the_committed_set_is_masked_this_well(half: str, recall: float, precision: float) -> None:
    tally = tally_of([one for one in sentences() if one.half == half])
    assert tally.recall >= recall, tally.missed
    assert tally.precision >= precision, tally.wrong
    assert tally.maimed <= 2


def test_the_committed_set_is_what_it_is_said_to_be() -> None:
    those = sentences()
    assert len(those) >= 220
    assert sum(not one.personal for one in those) >= 80
    assert all(0 <= a < b <= len(one.text) for one in those for a, b, _ in one.personal)


def test_a_set_that_is_missed_is_counted_as_missed() -> None:
    """The test of the measure: a name is no pattern's business, and an office's mailbox is no person's."""
    text = "I am Ada Brill of admissions@example.edu, 802-555-0143"
    tally = tally_of([Sentence("tune", text, ((5, 14, "e-mail"),))])
    assert (tally.found.total(), tally.missed["e-mail"], tally.wrong["phone"]) == (0, 1, 1)

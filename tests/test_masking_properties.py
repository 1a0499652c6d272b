"""Masking, whatever a visitor writes: what is found is gone, the rest is as it was, and nothing is raised."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import BadInputError
from server.masking import PATTERNS, Masker, own_patterns, without_masks

ASCII = "0123456789"
SCRIPTS = (ASCII, "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "०१२३४५६७८९", "０１２３４５６７８９")
# Each is personal as it stands; numbers pass the checks of their kind.
PERSONAL = (
    "123-45-6789",
    "4111 1111 1111 1111",
    "529.982.247-25",
    "(802) 555-0110",
    "+44 20 7946 0958",
    "RSSMRA85T10A562S",
    "12345678Z",
    "2345 6789 0124",
    "1 85 05 78 006 084 91",
)
AROUND = ("my number is {}", "({})", "{}", "write {} down, please", "I am {}. And you?")
# What text of patterns is made of: much of it is nearly a number, an address or a mask.
BITS = st.sampled_from(
    [*ASCII, *"٣९５ -.()/@[]#+'%\n:,\u00a0²$é", "ana", "@x.edu", "[phone 1]", "[e-mail 9999]", "ssn ",
     "my id is ", "12 Main Street", "apt 4", "802", "555-0110", "2026-03-01", "٤١١١", "X1234567L"]
)  # fmt: skip
TEXTS = st.lists(BITS | st.text(max_size=3), max_size=14).map("".join)


def in_script(text: str, digits: str) -> str:
    return text.translate(str.maketrans(ASCII, digits))


@given(TEXTS)
def test_nothing_is_raised_and_what_is_masked_stays_as_it_is(text: str) -> None:
    masker = Masker()
    masked = masker.masked(text)
    assert masker.masked(masked) == masked
    assert Masker().masked(masked) == masked
    without_masks(masked)
    masker.echoed(text)


@given(TEXTS)
def test_what_stands_between_masks_stood_in_the_text_in_that_order(text: str) -> None:
    """Nothing is lost, doubled or moved: the text is what is left, with something in place of each mask."""
    masked = Masker().masked(text)
    pieces = [re.escape(piece) for piece in re.split(r"\[[\w -]+ [0-9]{1,4}\]", masked)]
    assert re.fullmatch("(?:.+)".join(pieces), text, re.DOTALL)


@given(st.sampled_from(PERSONAL), st.sampled_from(SCRIPTS), st.sampled_from(AROUND))
def test_digits_of_any_script_are_masked_as_ours_are(personal: str, digits: str, around: str) -> None:
    masked = Masker().masked(around.format(personal))
    assert masked != around.format(personal), "or else this shows nothing"
    assert Masker().masked(in_script(around, digits).format(in_script(personal, digits))) == masked


@given(st.lists(st.sampled_from(PERSONAL), min_size=1, max_size=6), st.sampled_from(SCRIPTS))
def test_the_same_has_the_same_mask_in_a_conversation_and_others_another(
    said: list[str], digits: str
) -> None:
    masker = Masker()
    masks: dict[str, str] = {}
    for turn, one in enumerate(said):
        mask = masker.masked(in_script(one, digits) if turn % 2 else one)
        assert masks.setdefault(one, mask) == mask
    assert len(set(masks.values())) == len(masks)


@given(st.emails(), st.emails())
def test_two_addresses_have_one_mask_only_if_they_are_one(one: str, other: str) -> None:
    masker = Masker()
    first, second = masker.masked(one), masker.masked(other)
    if first == "[e-mail 1]":
        assert (second == first) == (one.casefold() == other.casefold())


@given(st.text(max_size=20), st.text(max_size=20))
def test_an_answer_is_left_but_for_what_was_said(before: str, after: str) -> None:
    masker = Masker()
    masker.masked("I am Ana@Example.edu, my number is 802-555-0110")
    answer = f"{before} ana@example.edu {after}"
    assert "ana@example.edu" not in masker.echoed(answer).casefold()
    assert Masker().echoed(answer) == answer


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("١٢٣.١٢٣.١٢٣-١٢", "[phone 1]"),  # this and the third were unforeseen errors
        ("my number is ٨٠٢-٥٥٥-٠١١٠", "my number is [phone 1]"),
        ("RSSMRA٨٥T١٠A٥٦٢S", "[national number 1]"),
        ("fall ٢٠٢٦, room ١١٠٤", "fall ٢٠٢٦, room ١١٠٤"),
        ("[phone 9999] my number is 802-555-0110", "[phone 9999] my number is [phone 1]"),
        ("802555-0110.555-0110", "[number 1]-[phone 1]"),  # its second half was left
        ("j.doe@x.edu jdoe@x.edu J.Doe@x.edu", "[e-mail 1] [e-mail 2] [e-mail 1]"),
    ],
)
def test_what_was_found_this_way(text: str, masked: str) -> None:
    assert Masker().masked(text) == masked


def test_an_offices_address_does_not_let_a_similar_one_through() -> None:
    masker = Masker(official=["a.registrar@x.edu"])
    assert masker.masked("a.registrar@x.edu aregistrar@x.edu") == "a.registrar@x.edu [e-mail 1]"


def test_a_number_is_not_taken_out_of_a_longer_one() -> None:
    masker = Masker()
    assert masker.masked("my ssn ends in 1234") == "my ssn ends in [national number 1]"
    assert masker.echoed("Fees are $12345, form 1234.") == "Fees are $12345, form [national number 1]."


@pytest.mark.parametrize(
    "table",
    [
        "off = 3",
        "off = [[1]]",
        "off = ['nothing']",
        "pattern = 3",
        "pattern = [3]",
        "[pattern]\nname = 'x'\nregex = 'x'",
        "[[pattern]]\nname = 'x'\nregex = 'a{99999999999}'",
        "[[pattern]]\nname = 'x'\nregex = 'x'\nregexp = 'y'",
        "[[patterns]]\nname = 'x'\nregex = 'x'",
        "x = " + "[" * 3000,
        "x = " + "1" * 5000,
        "x = '\x00'",
    ],
)
def test_patterns_of_its_own_that_are_none_are_a_sentence(tmp_path: Path, table: str) -> None:
    """A misspelt table would otherwise mask nothing, in silence."""
    path = tmp_path / "personal.toml"
    path.write_text(table, encoding="utf-8")
    with pytest.raises(BadInputError, match=r"^LODGE_PERSONAL_FILE"):
        own_patterns(path)


@pytest.mark.parametrize(
    ("regex", "masked"),
    [
        (r"B(?P<it>\d+)?", "B and B[badge 1]"),  # the group need not take part
        (r"(?=B)", "B and B12"),  # it finds nothing at all
        (r"[a-z]+ \d", "B and B12"),  # and would find a mask
    ],
)
def test_patterns_of_its_own_break_no_text(tmp_path: Path, regex: str, masked: str) -> None:
    path = tmp_path / "personal.toml"
    path.write_text(f"[[pattern]]\nname = 'badge'\nregex = '''{regex}'''", encoding="utf-8")
    masker = Masker(own_patterns(path))
    assert masker.masked("B and B12") == masked
    assert masker.masked("[badge 1] [phone 2]") == "[badge 1] [phone 2]"


def test_every_kind_that_ships_is_a_mask_that_is_known_again() -> None:
    for pattern in PATTERNS:
        assert without_masks(f"a [{pattern.kind} 12] b") == "a   b"

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
# The same, and what is known by more than its digits.
SPELLED = (
    *PERSONAL,
    "4111-1111-1111-1111",
    "4242.4242.4242.4242",
    "3782/822463/10005",
    "5555_5555_5555_4444",
    "802-555-0110",
    "802.555.0110",
    "+1 802 555 0110",
    "DE89 3704 0044 0532 0130 00",
    "GB82WEST12345698765432",
    "930-123-450",
    "990807-2383",
    "X-4825713-Z",
    "ana@example.edu",
    "jordan.pell (at) example (dot) edu",
)
LEFT = (
    "from 2026-03-01 - 2026-03-05",
    "fall 2026 and spring 2027, or 2026-27 2027-28",
    "CSC 203-04 in room 1104",
    "zip 14420-2915",
    "10-12 weeks, 3-4 credits",
    "SAT 1200-1400, or 980-1130",
    "isbn 978-0-13-468599-1",
    "is 802-555-0100 the registrar's number?",
    "sections 20417-20419 are full",
    "part number 4512-8830-2291",
    "pages 812-1123",
)
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
SPACES = (" ", "\u00a0", "\u2002", "\u2007", "\u2009", "\u202f", "\u3000", "  ", "\t", " \u00a0")
NO_WIDTH = ("", "", "", "\u00ad", "\u200b", "\u200d", "\u200e", "\u2060", "\u202c", "\ufe0e", "\ufeff")
WIDE = {ord(one): ord(one) + 0xFEE0 for one in "0123456789.@/+()"}
AROUND = ("my number is {}", "({})", "{}", "write {} down, please", "I am {}. And you?")
# What text of patterns is made of: much of it is nearly a number, an address or a mask.
BITS = st.sampled_from(
    [*ASCII, *"٣९５ -.()/@[]#+'%\n:,\u00a0²$é–—\u2011\u2009\u200b＠_", " at ", " dot ",
     "ana", "@x.edu", "[phone 1]", "[e-mail 9999]", "ssn ",
     "my id is ", "12 Main Street", "apt 4", "802", "555-0110", "2026-03-01", "٤١١١", "X1234567L"]
)  # fmt: skip
TEXTS = st.lists(BITS | st.text(max_size=3), max_size=14).map("".join)


def in_script(text: str, digits: str) -> str:
    return text.translate(str.maketrans(ASCII, digits))


@st.composite
def respelled(draw: st.DrawFn, text: str, wide: bool = True) -> str:
    """The same text in other typography."""
    spelled = []
    for one in text:
        if one == " ":
            spelled.append(draw(st.sampled_from(SPACES)))
        elif one == "-":
            spelled.append(draw(st.sampled_from(DASHES)))
        else:
            spelled.append(one.translate(WIDE) if wide and draw(st.booleans()) else one)
        spelled.append(draw(st.sampled_from(NO_WIDTH)))
    return "".join(spelled[:-1])


def left_of(masked: str) -> list[str]:
    """The words that no mask hides."""
    return re.findall(r"\w+", re.sub(r"\[[a-z -]+ [0-9]{1,4}\]", " ", masked))


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


@given(st.sampled_from(SPELLED), st.sampled_from(AROUND), st.data())
def test_no_typography_undoes_a_mask(personal: str, around: str, data: st.DataObject) -> None:
    """What phones and word processors write by themselves: dashes, spaces, wide digits, no width at all."""
    assert left_of(Masker().masked(around.format(personal))) == left_of(around.format(""))
    typed = around.format(data.draw(respelled(personal)))
    assert left_of(Masker().masked(typed)) == left_of(around.format("")), typed.encode("unicode_escape")


@given(st.sampled_from(LEFT), st.data())
def test_no_typography_makes_what_is_the_sites_own_personal(text: str, data: st.DataObject) -> None:
    typed = data.draw(respelled(text, wide=False))
    assert Masker().masked(typed) == typed


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


def test_patterns_of_its_own_are_found_in_the_text_as_it_was_written_too(tmp_path: Path) -> None:
    path = tmp_path / "personal.toml"
    path.write_text("[[pattern]]\nname = 'badge'\nregex = 'L[–-]\\d{4}'", encoding="utf-8")
    masker = Masker(own_patterns(path))
    assert masker.masked("L–1234, L‑1235 and L-1236") == "[badge 1], [badge 2] and [badge 3]"


def test_every_kind_that_ships_is_a_mask_that_is_known_again() -> None:
    for pattern in PATTERNS:
        assert without_masks(f"a [{pattern.kind} 12] b") == "a   b"

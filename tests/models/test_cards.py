from __future__ import annotations

import pytest

from server.models.cards import card_of_lines, card_of_row, linked, read_card


@pytest.mark.parametrize(
    ("line", "name", "lines"),
    [
        (
            "Advising Center, Quarry Hall 140, (802) 555-0122, advising@larkmoor.example",
            "Advising Center",
            ["Quarry Hall 140", "(802) 555-0122", "advising@larkmoor.example"],
        ),
        (
            "Office of the President, Founders House, first floor, (802) 555-0101, Assistant: Bettina Loomis",
            "Office of the President",
            ["Founders House, first floor", "(802) 555-0101", "Assistant: Bettina Loomis"],
        ),
        (
            "Access Office, Birch Hall 12 · Monday 8 a.m.–5 p.m. (802) 555-0170 · access@larkmoor.example",
            "Access Office",
            ["Birch Hall 12", "Monday 8 a.m.–5 p.m.", "(802) 555-0170", "access@larkmoor.example"],
        ),
        (
            "Weld Hall 140. Chair: Dr. Noor Haddadi. (802) 555-0139.",
            "Psychology",
            ["Weld Hall 140", "Chair: Dr. Noor Haddadi", "(802) 555-0139"],
        ),
    ],
)
def test_short_parts_with_a_number_or_an_address_are_a_card(line: str, name: str, lines: list[str]) -> None:
    card = read_card(line, "Psychology")
    assert card
    said = [": ".join(filter(None, pair)) for pair in zip(card.labels, card.lines, strict=True)]
    assert (card.name, said) == (name, lines)


@pytest.mark.parametrize(
    "line",
    [
        "The dean's office is in Miller Commons 210, open on weekdays, (802) 555-0112.",
        "Live map. Questions to the Parking Office, (802) 555-0185.",
        "Something else? Call (802) 555-0110 or text the same number between 9 a.m. and 4 p.m.",
        "Advising Center, Quarry Hall 140, open all day",
        "(802) 555-0118",
        "Room 12, (802) 555-0118",
        "",
    ],
)
def test_a_sentence_or_a_number_alone_is_no_card(line: str) -> None:
    assert read_card(line, "Psychology") is None


def test_a_room_without_an_office_needs_the_pages_title() -> None:
    assert read_card("Weld Hall 140, Second floor, (802) 555-0139") is None


def test_a_row_with_an_address_is_a_card_and_its_empty_cells_are_left_out() -> None:
    card = card_of_row(("", "Where", "Telephone", "Fax"), ("Registrar", "Quarry 204", "(802) 555-0120", ""))
    assert card
    assert (card.name, card.labels) == ("Registrar", ("Where", "Telephone"))
    assert card_of_row(("Hall", "Beds"), ("Maple", "264")) is None


def test_lines_of_one_person_are_a_card_and_those_of_two_are_none() -> None:
    lines = ("Bo Marsh, bmarsh@larkmoor.example", "Adviser", "(802) 555-0132", "Weld 141")
    card = card_of_lines(lines)
    assert card is not None
    assert (card.name, card.lines) == ("Bo Marsh", ("bmarsh@larkmoor.example", *lines[1:]))
    assert card_of_lines((*lines, "Ann Field, afield@larkmoor.example")) is None
    assert card_of_lines(("Chess", "Rowing", "Debate")) is None


def test_numbers_and_addresses_are_links_and_nothing_else_is() -> None:
    said = list(linked("Call (802) 555-0120 or mail a.b@larkmoor.example by 2026-11-23, room 555."))
    assert "".join(words for words, _ in said) == (
        "Call (802) 555-0120 or mail a.b@larkmoor.example by 2026-11-23, room 555."
    )
    assert [address for _, address in said if address] == ["tel:8025550120", "mailto:a.b@larkmoor.example"]

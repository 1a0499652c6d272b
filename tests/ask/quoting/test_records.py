from __future__ import annotations

import pytest

from server.ask.quoting.records import is_contact, record_around
from server.sentences import sentences


def record(text: str, sentence: str) -> str | None:
    """The record in which the sentence stands, as the text has it; None where it is in none."""
    spans = sentences(text)
    i = next(i for i, (start, end) in enumerate(spans) if text[start:end] == sentence)
    if not (found := record_around(text, spans, i)):
        return None
    return text[spans[found[0]][0] : spans[found[1]][1]]


STAFF = """\
Ann Field, afield@brackwater.example
Office manager
(802) 555-0131
Weld 140
Bo Marsh, bmarsh@brackwater.example
Adviser
(802) 555-0132
Weld 141"""
TUTORS = "Name: Ann Field\nMajor: Geology\nRoom: Weld 140\nName: Bo Marsh\nMajor: Law\nRoom: Weld 141"


@pytest.mark.parametrize(
    ("text", "sentence", "first", "last"),
    [
        (STAFF, "Bo Marsh, bmarsh@brackwater.example", "Bo Marsh", "Weld 141"),
        (STAFF, "(802) 555-0131", "Ann Field", "Weld 140"),
        (TUTORS, "Major: Law", "Name: Bo Marsh", "Room: Weld 141"),
    ],
)
def test_a_persons_lines_go_together_and_none_of_the_next(
    text: str, sentence: str, first: str, last: str
) -> None:
    quoted = record(text, sentence)
    assert quoted
    assert quoted.startswith(first)
    assert quoted.endswith(last)
    assert "Name: Ann" not in quoted or first == "Name: Ann"
    assert quoted.count("@") <= 1


CARDS = "\n".join(
    f"{name}\n{post}\n{area}\nFaculty: Law\nPhone:{phone}\nOffice: Weld {room}\nRead more"
    for name, post, area, phone, room in (
        ("Ann Field", "Lecturer", "Rivers\nMaps", "", 140),
        ("Bo Marsh", "Professor", "Rocks", " (802) 555-0131", 141),
        ("Cy Brook", "Lecturer", "Maps", " (802) 555-0132", 142),
        ("Di Heath", "Lecturer", "Soil\nMaps", "", 143),
        ("Ed Moor", "Lecturer", "Soil", "", 144),
    )
)


@pytest.mark.parametrize("sentence", ["Phone: (802) 555-0131", "Bo Marsh", "Rocks", "Office: Weld 141"])
def test_of_cards_that_end_alike_one_is_quoted_without_its_last_line(sentence: str) -> None:
    """A field without a value leads in to nothing: the cards below it are no list of its items."""
    card = "Bo Marsh\nProfessor\nRocks\nFaculty: Law\nPhone: (802) 555-0131\nOffice: Weld 141"
    assert record(CARDS, sentence) == card


@pytest.mark.parametrize("sentence", ["Phone: (802) 555-0132", "Cy Brook"])
def test_a_card_that_lacks_its_last_line_ends_with_the_field_that_the_others_end_with(sentence: str) -> None:
    cards = CARDS.replace("Office: Weld 141\nRead more", "Office: Weld 141")
    card = "Cy Brook\nLecturer\nMaps\nFaculty: Law\nPhone: (802) 555-0132\nOffice: Weld 142"
    assert record(cards, sentence) == card


def test_a_heading_above_the_first_record_moves_none_of_them() -> None:
    staff = f"Department of Geology\n{STAFF}".replace(", ", " ")
    bo = "Bo Marsh bmarsh@brackwater.example\nAdviser\n(802) 555-0132\nWeld 141"
    assert record(staff, "(802) 555-0132") == bo
    assert record(staff, "Department of Geology") is None


@pytest.mark.parametrize("sentence", ["Advisor, nursing", "Office: Weld 140"])
def test_one_persons_lines_alone_go_together_and_a_list_of_fees_does_not(sentence: str) -> None:
    card = "Ann Field\nAdvisor, nursing\nOffice: Weld 140\nPhone: (802) 555-0131"
    assert record(card, sentence) == card
    fees = "All fees\nApplication: $45\nTranscript: $12\nDeposit: $250"
    assert record(fees, "Transcript: $12") is None


def test_lines_of_one_sort_are_no_records() -> None:
    courses = "GEOL 110 Rocks (4)\nGEOL 120 Rivers (4)\nGEOL 130 Maps (3)"
    assert record(courses, "GEOL 120 Rivers (4)") is None


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("Weld Science Hall 140. Chair: Dr. Noor Haddadi. (802) 555-0139. psychology@u.example", True),
        ("School of Education, Larch Hall 105, (802) 555-0135. Field director: Dr. Odile Ames.", True),
        ("For counseling, please go to the Counseling Center in Alder House, (802) 555-0160.", False),
        ("Weld Science Hall 140. Chair: Dr. Noor Haddadi.", False),
    ],
)
def test_a_line_of_short_parts_with_a_telephone_tells_how_to_reach_someone(line: str, is_one: bool) -> None:
    assert is_contact(line) == is_one

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.sentences import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Marian Okafor-Lindqvist has been president since 2021.",
        "Tours begin at 10 a.m. and 2 p.m. on weekdays.",
        "The bus leaves at 10 a.m. Monday to Friday.",
        "The office is on St. James Street near Prof. J. B. Smith's house.",
        "See Fig. 2 and sec. 4.1 of no. 12.",
        "The average is 3.5 and the fee $1,720.50 a year.",
        "Write to www.larkmoor.example/apply.html or registrar@larkmoor.example today.",
        "Call (802) 555-0120 ext. 4357 for help.",
        "La Dra. Castellanos atiende los lunes.",
        "Bring a form of ID, e.g. Your passport is one.",
        "1. Complete the form.",
        "It is paid by the U.S. Department of Education.",
    ],
)
def test_a_full_stop_within_a_sentence_does_not_end_it(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It opens at 8. It closes at 5.", ["It opens at 8.", "It closes at 5."]),
        ("Is it free? Yes! Come in.", ["Is it free?", "Yes!", "Come in."]),
        ("We open at 9 a.m. The desk opens later.", ["We open at 9 a.m.", "The desk opens later."]),
        ("You live in the U.S. Apply by May.", ["You live in the U.S.", "Apply by May."]),
        ("The answer is no. Ask again.", ["The answer is no.", "Ask again."]),
        ('She said "come." Then she left.', ['She said "come."', "Then she left."]),
        ("Wait... what? Nothing.", ["Wait... what?", "Nothing."]),
        ("Fees\nTuition: $9,240\n\nHousing: $8,150", ["Fees", "Tuition: $9,240", "Housing: $8,150"]),
        ("図書館は八時に開きます。金曜は五時まで。", ["図書館は八時に開きます。", "金曜は五時まで。"]),
    ],
)
def test_sentences_end_where_a_reader_stops(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@given(st.text(alphabet=st.sampled_from("aB1.!?。 \n\t\"')e.g"), max_size=80))
def test_every_visible_character_is_in_exactly_one_sentence(text: str) -> None:
    spans = sentences(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(a < b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


@pytest.mark.parametrize("text", ["." * 200_000, "e.g. " * 40_000, "a" * 200_000, ". \n" * 60_000])
def test_odd_texts_take_no_longer_than_others(text: str) -> None:
    start = time.perf_counter()
    sentences(text)
    assert time.perf_counter() - start < 3

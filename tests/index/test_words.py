from __future__ import annotations

from pathlib import Path

import pytest

from server.index.search import Index
from server.index.text import Stems, searchable, words
from tests.index.small_index import opened

TEXTS = [
    "Résumé, 9 a.m.—ÉCOLE n° 5",
    "The universities' libraries are generally closing; students' registrations happily continued",
    "data-driven co-operation e-mail C++ 3.5GPA x_y",
    "Ångström naïve façade Dvořák",
    "",
    "¿Dónde está? 图书馆 Straße Øresund",
]


@pytest.mark.parametrize("text", TEXTS)
def test_words_and_stems_are_those_of_duckdbs_full_text_index(index: Index, text: str) -> None:
    [(theirs,)] = index.snapshot.rows("SELECT fts_main_chunks.tokenize(?)", [searchable(text)])
    assert words(text) == [word for word in theirs if word]
    stems = [
        row[0] for row in index.snapshot.rows("SELECT stem(unnest(?::VARCHAR[]), 'porter')", [words(text)])
    ]
    assert Stems().of(words(text)) == stems


@pytest.mark.parametrize(
    ("written", "word"),
    [
        (("Ph.D.", "PhD", "Ph. D.", "ph.d", "PHD"), ["phd"]),
        (("M.S.", "MS", "M. S.", "m.s."), ["ms"]),
        (("U.S.A.", "USA", "u.s.a."), ["usa"]),
        (("9 a.m.", "9 am", "9 A.M."), ["9", "am"]),
        (("M.Ed.", "MEd", "M. Ed."), ["med"]),
        (("CSE101", "CSE 101", "cse-101", "Cse 101"), ["cse", "101"]),
        (("F-1", "f1", "F1"), ["f1"]),
        (("H-1B", "h1b"), ["h1b"]),
        (("1098-T", "1098t"), ["1098t"]),
        (("fall2026", "Fall 2026"), ["fall", "2026"]),
    ],
)
def test_an_abbreviation_or_a_code_is_the_same_however_it_is_written(
    written: tuple[str, ...], word: list[str]
) -> None:
    assert [words(f"one {text}, two") for text in written] == [["one", *word, "two"]] * len(written)


@pytest.mark.parametrize(
    "text",
    [
        "The end. A new one.",
        "Option a. A student",
        "St. John's",
        "www.example.edu",
        "May 5-7",
        "e-mail",
        "A4, mp3",
    ],
)
def test_other_points_and_numbers_part_words_as_ever(text: str) -> None:
    assert searchable(text) == text


def test_a_page_is_found_by_another_spelling_and_shown_in_its_own(tmp_path: Path) -> None:
    texts = ["Apply to the Ph.D. program.", "BIO210 has a lab.", "An M. S. takes long."]
    index = opened(tmp_path / "s", texts)
    found = [index.keyword.search(asked, 1)[0].chunk_id for asked in ("phd", "bio 210", "M.S.")]
    assert found == [0, 1, 2]
    assert index.snapshot.passages([0])[0].text == texts[0]

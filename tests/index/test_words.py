from __future__ import annotations

import pytest

from server.index.search import Index
from server.index.text import Stems, words

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
    [(theirs,)] = index.snapshot.rows("SELECT fts_main_chunks.tokenize(?)", [text])
    assert words(text) == [word for word in theirs if word]
    stems = [
        row[0] for row in index.snapshot.rows("SELECT stem(unnest(?::VARCHAR[]), 'porter')", [words(text)])
    ]
    assert Stems().of(words(text)) == stems

from __future__ import annotations

import pytest

from server.ask.conversation.spelling import PhrasingWords, edits


@pytest.mark.parametrize(
    ("word", "other", "count"),
    [
        ("tution", "tuition", 1),
        ("ealry", "early", 1),
        ("boks", "books", 1),
        ("same", "same", 0),
        ("", "ab", 2),
    ],
)
def test_a_swap_of_neighbours_is_one_edit(word: str, other: str, count: int) -> None:
    assert edits(word, other) == edits(other, word) == count


def test_the_nearest_word_of_a_phrasing() -> None:
    words = PhrasingWords(["How much is tuition?", "early action"])
    assert words.knows(["tuition", "early", "fees"]) == {"tuition", "early"}
    assert words.nearest_words("tution", 1) == ["tuition"]
    assert words.nearest_words("tutoin", 1) == []
    assert PhrasingWords([]).nearest_words("tution", 2) == []
